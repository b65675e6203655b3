"""What a page says of itself in its markup and does not show: JSON-LD and descriptions.

It is useful where the page shows less, above all where a script would have to build it. But nobody sees it, so it is
where text for machines alone could stand. So it is periphery, it never repeats what is visible, and only where the page
shows no text of its own are its article and its description the main text.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from veriscore_agent.adapters.pages.blocks import Block, html_blocks
from veriscore_agent.adapters.pages.bounds import UnreadablePageError, check_markup

_MAX_SCRIPT = 500_000
"""Characters of JSON-LD that are read, of all scripts together."""
_MAX_OBJECTS = 400
_MAX_DEPTH = 12
_MAX_VALUE = 400
"""Characters of a value that is a fact and no text."""
_MAX_TEXT = 60_000
_MAX_VALUES = 20
_PROSE = ("articleBody", "text", "description", "reviewBody")
_PAIRS = frozenset({"Question"})
_NO_FACTS = re.compile(
    r"@\w+$|.*(?:url|image|logo|photo|thumbnail|sameas|inlanguage|potentialaction|breadcrumb|itemlistelement|identifier"
    r"|encoding|mainentityofpage|target|query-input|position|accessmode|isaccessible|cssselector|haspart|contenturl"
    r"|embedurl|width|height|copyright|license|keywords|wordcount|sku|gtin|mpn)",
    re.I,
)
"""Keys whose values point at something, or describe files."""
_TECHNICAL = """WebSite SearchAction ReadAction BreadcrumbList ImageObject ListItem SiteNavigationElement WPHeader
WPFooter WPSideBar WebPageElement SpeakableSpecification EntryPoint PropertyValueSpecification"""
_TECHNICAL_TYPES = frozenset(_TECHNICAL.split())
_COMMA_AT_THE_END = re.compile(r",(\s*[}\]])")
_MARKUP = re.compile(r"<[a-zA-Z/!]|&[a-zA-Z#]\w*;")
_DESCRIPTIONS = (
    "meta[name=description i],meta[property='og:description' i],meta[name='twitter:description' i],"
    "meta[name='dc.description' i]"
)
_TITLES = "meta[property='og:title' i],meta[name='og:title' i]"


@dataclass(frozen=True, slots=True)
class Told:
    """What the markup of a page says of it."""

    title: str = ""
    prose: tuple[str, ...] = ()
    """Texts of articles and descriptions, the longest first."""
    facts: tuple[str, ...] = ()
    """One line for each thing or question: ``Person | name: Ada | jobTitle: engineer``."""


def read_told(parser: LexborHTMLParser) -> Told:
    """Read titles, descriptions and JSON-LD. Never raises; what is broken or too large is left out."""
    prose: dict[str, None] = {}
    facts: dict[str, None] = {}
    for thing in _things(parser):
        fact = _question(thing) if _type_of(thing) in _PAIRS else _fact(thing)
        if fact:
            facts[fact] = None
        if _type_of(thing) not in _PAIRS | {"Answer"} | _TECHNICAL_TYPES:
            prose |= {text: None for key in _PROSE if (text := _visible(thing.get(key), _MAX_TEXT))}
    for meta in parser.css(_DESCRIPTIONS)[:8]:
        if text := _visible(meta.attributes.get("content"), _MAX_TEXT):
            prose[text] = None
    return Told(_title(parser), tuple(sorted(prose, key=len, reverse=True)), tuple(facts))


def told_blocks(told: Told, has_text: bool, is_visible: Callable[[str], bool]) -> tuple[list[Block], list[Block]]:
    """Blocks for main and for periphery. ``has_text``: whether the page shows a text of its own."""
    kept: list[str] = []
    for text in told.prose:
        # A description is often the beginning of the article.
        if not is_visible(text) and not any(text.rstrip(" .…") in other for other in kept):
            kept.append(text)
    prose = [Block("paragraph", part, "body") for text in kept for part in text.split("\n") if part.strip()]
    facts = [Block("row", line, "furniture") for fact in told.facts if (line := _news(fact, is_visible))]
    for blocks in (prose, facts):
        if blocks:
            blocks[0] = Block(blocks[0].kind, blocks[0].text, blocks[0].zone, starts_article=True)
    return ([], prose + facts) if has_text else (prose, facts)


def _news(fact: str, is_visible: Callable[[str], bool]) -> str:
    """A fact without the long values that the page shows; nothing where it shows all."""
    subject, *values = fact.split(" | ")
    left = [value for value in values if not is_visible(value.partition(": ")[2])]
    if not left or all(value.startswith("name: ") for value in left):
        return ""
    name = [value for value in values if value.startswith("name: ") and value not in left]
    return " | ".join([subject, *name, *left])


def _title(parser: LexborHTMLParser) -> str:
    for meta in parser.css(_TITLES)[:2]:
        if content := _visible(meta.attributes.get("content"), _MAX_VALUE):
            return content
    for name in ("head title", "title", "h1"):
        node = parser.css_first(name)
        if node is not None and (title := " ".join(node.text(deep=True).split())):
            return title
    return ""


def _things(parser: LexborHTMLParser) -> Iterator[dict[str, Any]]:
    """The objects of all JSON-LD with a type, outer ones first, without recursion."""
    left, count = _MAX_SCRIPT, 0
    for script in parser.css("script[type*='ld+json' i]"):
        text = script.text(deep=True) or ""
        left -= len(text)
        if left < 0:
            return
        todo: deque[tuple[Any, int]] = deque([(_parsed(text), 0)])
        while todo and count < _MAX_OBJECTS:
            value, depth = todo.popleft()
            if isinstance(value, dict):
                count += 1
                if _type_of(value):
                    yield value
                value = list(value.values())
            if isinstance(value, list) and depth < _MAX_DEPTH:
                todo += [(each, depth + 1) for each in value[:_MAX_OBJECTS] if isinstance(each, dict | list)]


def _parsed(text: str) -> Any:
    text = text.strip().removeprefix("<!--").removesuffix("-->").strip()
    text = text.removeprefix("//<![CDATA[").removesuffix("//]]>").strip().rstrip(";")
    for each in (text, _COMMA_AT_THE_END.sub(r"\1", text)):
        try:
            return json.loads(each, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _type_of(thing: dict[str, Any]) -> str:
    kind = thing.get("@type")
    if isinstance(kind, list):
        kind = next((each for each in kind if isinstance(each, str)), None)
    return kind[:60].rpartition("/")[2] if isinstance(kind, str) else ""


def _question(thing: dict[str, Any]) -> str:
    answers = thing.get("acceptedAnswer") or thing.get("suggestedAnswer")
    texts = [
        _visible(answer.get("text"), _MAX_TEXT)
        for answer in (answers if isinstance(answers, list) else [answers])[:_MAX_VALUES]
        if isinstance(answer, dict)
    ]
    question = _visible(thing.get("name") or thing.get("text"), _MAX_VALUE)
    answer = " ".join(text.replace("\n", " ").replace(" | ", " ") for text in texts if text)
    return f"Question: {question.replace(' | ', ' ')} | Answer: {answer}" if question and answer else ""


def _fact(thing: dict[str, Any]) -> str:
    """A thing's plain values, and the names of the things that they are."""
    if _type_of(thing) in _TECHNICAL_TYPES:
        return ""
    values = [
        f"{key}: {text}"
        for key, value in list(thing.items())[:100]
        if key not in _PROSE and not _NO_FACTS.match(key) and (text := _plain(value))
    ]
    return " | ".join([_type_of(thing), *values[:_MAX_VALUES]]) if len(values) > 1 else ""


def _plain(value: Any) -> str:
    """A value as text: a scalar, the name or amount of a thing, or several of these."""
    if isinstance(value, list):
        return ", ".join(dict.fromkeys(text for each in value[:_MAX_VALUES] if (text := _plain_one(each))))[:_MAX_VALUE]
    return _plain_one(value)


def _plain_one(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, dict):
        parts = [_plain_one(value.get(key)) for key in _AMOUNTS if not isinstance(value.get(key), dict | list)]
        address = [_visible(value.get(key), _MAX_VALUE) for key in _ADDRESS]
        return " ".join(part for part in (*parts, *address) if part)[:_MAX_VALUE]
    if isinstance(value, int | float):
        return f"{value}"[:40]
    text = _visible(value, _MAX_VALUE).replace("\n", " ").replace(" | ", " ")
    return "" if text.startswith(("http://", "https://", "//", "data:")) else text


_AMOUNTS = ("name", "value", "unitText", "price", "priceCurrency", "ratingValue", "ratingCount", "startDate")
_ADDRESS = ("streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry")


def _visible(value: object, limit: int) -> str:
    """A string without markup and needless space; of anything else nothing."""
    if not isinstance(value, str):
        return ""
    value = value[:limit]
    if _MARKUP.search(value):
        try:
            check_markup(value)
        except UnreadablePageError:
            return ""
        value = "\n".join(block.text for block in html_blocks(value))
    lines = (" ".join(line.split()) for line in value.split("\n"))
    return "\n".join(line for line in lines if line)

"""What of a page nobody sees: hidden by attribute, by its style, or by a rule of the page's own style sheets.

Only style sheets within the page are read, and only their simplest selectors (``.name``, ``#name``, ``tag.name``): what
hides text from readers and shows it to machines is written like that. A name that any rule shows, even under a
condition (``.tab.active``), is that of something which opens, as ``details`` does, and is no hidden text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0?(?:\.0*)?(?:%|\s)*(?:;|!|$)"
    r"|font-size\s*:\s*0?(?:\.0*)?(?:px|em|rem|pt|%)?\s*(?:;|!|$)|text-indent\s*:\s*-\d{3,}"
    r"|(?:left|right|top|bottom|margin-left|margin-top)\s*:\s*-\d{4,}(?:\.\d+)?\s*px|clip\s*:\s*rect\(\s*[01](?:px)?[\s,]"
    r"|clip-path\s*:\s*(?:inset\(\s*(?:50|100)%|circle\(\s*0)|transform\s*:\s*scale\(\s*0\s*\)"
    r"|(?<![-\w])color\s*:\s*transparent",
    re.I,
)
_HINTS = (
    *("display:none", "visibility:hidden", "visibility:collapse", "opacity:0", "opacity:.0", "font-size:0"),
    *("text-indent:-", "left:-", "right:-", "top:-", "bottom:-", "clip:rect(", "clip-path:", "color:transparent"),
)
"""What stands in every rule that hides, once white space around colons is gone."""
_SHOWING = re.compile(r"display:(?!none)[\w-]|visibility:visible|opacity:0?\.?[1-9]", re.I)
_COLOR = re.compile(r"(?:^|;)\s*color\s*:\s*([^;!]+)", re.I)
_BACKGROUND = re.compile(r"(?:^|;)\s*background(?:-color)?\s*:\s*([^;!]+)", re.I)
_NAMED_COLORS = {"white": "#ffffff", "black": "#000000"}
_SHORT_COLOR = re.compile(r"#([0-9a-f])([0-9a-f])([0-9a-f])")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.S)
_SIMPLE = re.compile(r"(?:[a-zA-Z][a-zA-Z0-9]*)?[.#][A-Za-z_][\w-]*")
_NAME = re.compile(r"[.#][A-Za-z_][\w-]*")
_MAX_STYLE = 3_000
"""Characters of one style attribute that are read, which is more than any real one has."""
_MAX_SHEETS = 400_000
_MAX_SELECTORS = 300
_MAX_HINTS = 2_000


def hidden_nodes(parser: LexborHTMLParser) -> set[int]:
    """``mem_id`` of the elements that are hidden, those within them left out. ``html`` and ``body`` never are.

    (Whole pages are hidden until their scripts have run; a reader sees them.)
    """
    found = parser.css("[hidden],[aria-hidden=true i]")
    found += [node for node in parser.css("[style]") if _hides((node.attributes.get("style") or "")[:_MAX_STYLE])]
    found += _hidden_by_sheets(parser)
    return {node.mem_id for node in found if node.tag not in ("html", "body")}


@lru_cache(4096)
def _hides(style: str) -> bool:
    return _HIDING.search(style) is not None or _is_invisible_by_color(style)


def _is_invisible_by_color(style: str) -> bool:
    color, background = _COLOR.search(style), _BACKGROUND.search(style)
    return bool(color and background) and _plain_color(color[1]) == _plain_color(background[1])  # type: ignore[index]


def _plain_color(value: str) -> str:
    value = "".join(value.lower().split())
    value = _SHORT_COLOR.sub(r"#\1\1\2\2\3\3", value) if len(value) == 4 else value
    return _NAMED_COLORS.get(value, value)


def _hidden_by_sheets(parser: LexborHTMLParser) -> list[LexborNode]:
    sheet = _sheet_of(parser.css("style"))
    selectors = list(dict.fromkeys(_hiding_selectors(sheet)))[:_MAX_SELECTORS]
    if not selectors:
        return []
    hiding = {name: _is_shown(sheet, name) for name in {_NAME.findall(each)[0] for each in selectors}}
    return [
        node
        for node in parser.css(",".join(selectors))
        if any(hiding.get(name) is False for name in _names_of(node.attributes))
    ]


def _sheet_of(sheets: Iterable[LexborNode]) -> str:
    """The rules of a page as one text, without comments and needless white space."""
    texts, left = [], _MAX_SHEETS
    for sheet in sheets:
        text = (sheet.text(deep=True) or "")[: max(left, 0)]
        left -= len(text)
        texts.append(" ".join(_COMMENT.sub(" ", text).split()))
    return "\n".join(texts).replace(" :", ":").replace(": ", ":")


def _hiding_selectors(sheet: str) -> Iterator[str]:
    """The simple selectors of rules that hide; not of those within ``@media`` and the like, which often do not hold."""
    lowered = sheet.lower()
    depth = at = 0
    for hint in _places_of_hints(lowered):
        depth += lowered.count("{", at, hint) - lowered.count("}", at, hint)
        at = hint
        begin = lowered.rfind("{", 0, hint)
        if depth != 1 or not _HIDING.search(lowered[begin + 1 : lowered.find("}", hint)][:_MAX_STYLE]):
            continue
        selectors = sheet[max(sheet.rfind("}", 0, begin), sheet.rfind(";", 0, begin)) + 1 : begin]
        yield from (each for each in map(str.strip, selectors[:_MAX_STYLE].split(",")) if _SIMPLE.fullmatch(each))


def _places_of_hints(sheet: str) -> list[int]:
    places: list[int] = []
    for hint in _HINTS:
        at = sheet.find(hint)
        while at >= 0 and len(places) < _MAX_HINTS:
            places.append(at)
            at = sheet.find(hint, at + 1)
    return sorted(places)


def _is_shown(sheet: str, name: str) -> bool:
    """Whether some rule for the name, alone or together with others, shows what has it."""
    at = sheet.find(name)
    while at >= 0:
        begin, end = (sheet.find(brace, at, at + _MAX_STYLE) for brace in "{}")
        is_name = not ((after := sheet[at + len(name) : at + len(name) + 1]).isalnum() or after in ("-", "_"))
        if is_name and 0 <= begin < end and _SHOWING.search(sheet, begin, end):
            return True
        at = sheet.find(name, at + 1)
    return False


def _names_of(attributes: dict[str, str | None]) -> Iterator[str]:
    yield from ("." + each for each in (attributes.get("class") or "").split())
    if identity := attributes.get("id"):
        yield "#" + identity

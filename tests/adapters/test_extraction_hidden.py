"""What a page does not show: hidden text is in neither tier; what its markup says of it is, but apart."""

from __future__ import annotations

import json
import time

import pytest

from veriscore_agent.adapters.pages.blocks import html_blocks
from veriscore_agent.adapters.pages.extract import ExtractedPage, extract_page
from veriscore_agent.core.blocked import blocked_reason

PROSE = "The bridge over the Karl was opened on a cold morning, and many people came to see it. " * 4


def _page(html: str) -> ExtractedPage:
    return extract_page(html.encode(), "https://a.example/", "text/html; charset=utf-8")


def _is_shown(markup: str) -> bool:
    page = _page(f"<body><article><p>{PROSE}</p>{markup}<p>{PROSE}</p></article></body>")
    return "secret" in page.text


HIDDEN = [
    ("<p style='text-indent:-9999px'>secret</p>", "off screen by indent"),
    ("<p style='position:absolute; left: -10000px'>secret</p>", "off screen by position"),
    ("<p style='clip:rect(0,0,0,0)'>secret</p>", "clipped to nothing"),
    ("<p style='clip-path: inset(100%)'>secret</p>", "clipped to nothing by path"),
    ("<p style='color:#FFF; background-color: white'>secret</p>", "white on white"),
    ("<p style='color: transparent'>secret</p>", "without color"),
    ("<style>.x{display:none}</style><p class='a x'>secret</p>", "a class"),
    ("<style>a.y, #x { color:red; VISIBILITY : hidden }</style><p id=x>secret</p>", "an id among several selectors"),
    ("<style>p.x{opacity:0}</style><p class=x>secret</p>", "a class of one tag"),
    ("<style>/* } */ .x{font-size:0}</style><p class=x>secret</p>", "after a comment"),
    ("<style>.x{display:none}</style><table><tr><th>A<td>1<tr class=x><td>B<td>secret</table>", "a row"),
    ("<span ARIA-HIDDEN=TRUE>secret</span>", "in capitals"),
]


@pytest.mark.parametrize(("markup", "why"), HIDDEN)
def test_hidden(markup: str, why: str) -> None:
    assert not _is_shown(markup), why


SHOWN = [
    ("<style>.x{display:none} .x.open{display:block}</style><p class=x>secret</p>", "what opens at a click"),
    ("<style>@media print{.x{display:none}}</style><p class=x>secret</p>", "hidden only on paper"),
    ("<style>.js .x{display:none}</style><p class=x>secret</p>", "hidden only under a condition"),
    ("<style>.x{opacity:0.6}</style><p class=x>secret</p>", "faint"),
    ("<p style='margin-left:-10px;opacity:.9'>secret</p>", "a little to the left"),
    ("<p style='color:#000;background:#fff'>secret</p>", "black on white"),
    ("<style>.xy{display:none}</style><p class=x>secret</p>", "another name"),
]


@pytest.mark.parametrize(("markup", "why"), SHOWN)
def test_shown(markup: str, why: str) -> None:
    assert _is_shown(markup), why


@pytest.mark.parametrize(
    "sheet",
    [
        "{" * 400_000,
        "display:none" * 40_000,
        ".a{display:none}" + ".a" * 190_000,
        ".a{opacity:" + " " * 300_000,
        "/*" * 200_000,
        "".join(f".a{n}{{display:none}}.a{n} b{{display:block}}" for n in range(10_000)),
    ],
)
def test_a_style_sheet_that_is_built_to_be_slow(sheet: str) -> None:
    started = time.process_time()
    html_blocks(f"<style>{sheet}</style>" + "<p class=a>x</p>" * 1000)
    assert time.process_time() - started < 5


def _script(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return f"<script type='application/ld+json'>{text}</script>"


ARTICLE = {
    "@type": "NewsArticle",
    "headline": "Bridge",
    "articleBody": "<p>The bridge &amp; its tower weigh 9,800 tonnes.</p>",
}
BODY = "The bridge & its tower weigh 9,800 tonnes."


def test_a_shell_whose_text_is_in_its_markup_is_read() -> None:
    page = _page(f"<head>{_script({'@graph': [ARTICLE]})}</head><body><div id=root></div><script src=/a.js></script>")
    assert page.text[: page.main_chars] == BODY
    assert blocked_reason(page.title, page.text[: page.main_chars], page.clues) is None
    assert _page("<body><div id=root></div><script src=/a.js></script>").text == ""


def test_a_description_is_the_text_of_a_page_without_any() -> None:
    page = _page("<head><meta name=description content='The tower is 412 m tall.'></head><body></body>")
    assert page.text[: page.main_chars] == "The tower is 412 m tall."


def test_what_is_only_told_is_periphery_where_there_is_text() -> None:
    page = _page(f"{_script(ARTICLE)}<article><p>{PROSE}</p></article>")
    assert BODY not in page.text[: page.main_chars]
    assert BODY in page.text[page.main_chars :]


def test_what_is_visible_is_not_told_again() -> None:
    page = _page(f"{_script(ARTICLE)}<article><p>{PROSE}</p><p>{BODY.replace('&', '&amp;')}</p></article>")
    assert page.text.count("9,800") == 1


TOLD = [
    (
        {"@type": "Person", "name": "Ada Holm", "birthDate": "1815-12-10", "jobTitle": "engineer", "url": "https://x"},
        "Person | name: Ada Holm | birthDate: 1815-12-10 | jobTitle: engineer",
    ),
    (
        {
            "@type": "Event",
            "name": "Fair",
            "location": {"@type": "Place", "name": "Hall", "address": {"addressLocality": "Lund"}},
        },
        "Event | name: Fair | location: Hall",
    ),
    (
        {
            "@type": "FAQPage",
            "mainEntity": [
                {"@type": "Question", "name": "How tall?", "acceptedAnswer": {"text": "412 m, with the mast."}}
            ],
        },
        "Question: How tall? | Answer: 412 m, with the mast.",
    ),
    ('{"@type": "Thing", "name": "Karl", "length": "412 m",}', "Thing | name: Karl | length: 412 m"),
    ('<!-- {"@type": ["Thing"], "name": "A\nB", "length": 412} -->', "Thing | name: A B | length: 412"),
]


@pytest.mark.parametrize(("value", "line"), TOLD)
def test_facts_of_the_markup(value: object, line: str) -> None:
    page = _page(f"{_script(value)}<article><p>{PROSE}</p></article>")
    assert line in page.text[page.main_chars :]


@pytest.mark.parametrize(
    "text",
    ["{", "[" * 200_000, "null", '"x"', '{"@type": 1}', '{"@type":"A","b":' * 50_000, "[[]," * 100_000, "9" * 5_000],
)
def test_broken_and_hostile_markup_of_facts(text: str) -> None:
    started = time.process_time()
    assert "many people came" in _page(f"{_script(text)}<article><p>{PROSE}</p></article>").text
    assert time.process_time() - started < 5


def test_a_title_of_its_own_goes_before_that_of_the_window() -> None:
    head = "<title>Bridge | Daily</title>"
    assert _page(f"<head>{head}</head><p>x").title == "Bridge | Daily"
    assert _page(f"<head>{head}<meta property=og:title content='The bridge'></head><p>x").title == "The bridge"

"""The text of pages: what is kept, in which tier and order, and by processes that can be ended."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from importlib.metadata import requires

import pytest

from veriscore_agent.adapters.pages.article import Article
from veriscore_agent.adapters.pages.bounds import UnreadablePageError
from veriscore_agent.adapters.pages.extract import (
    MAX_TEXT_CHARACTERS,
    ExtractedPage,
    extract_page,
    page_of_note,
)
from veriscore_agent.adapters.pages.kinds import body_kind
from veriscore_agent.core.passages import choose_passages
from veriscore_agent.domain import Page

PROSE = "The bridge over the Karl was opened on a cold morning, and many people came to see it. " * 4


def _text(html: str) -> str:
    return extract_page(html.encode(), "https://a.example/", "text/html; charset=utf-8").text


KEPT = [
    ("<table><tr><th>Opened</th><td><ul><li>12 May 1931</li></ul></td></tr></table>", "Opened: 12 May 1931", "H02"),
    (
        '<ul><li><span tabindex="0">The bridge weighs 9,800 tonnes.</span></li></ul>',
        "The bridge weighs 9,800 tonnes.",
        "H04",
    ),
    ("<table><tr><td>Height</td><td><p><b>412 m</b></p></td></tr></table>", "412 m", "H05"),
    (
        "".join(f'<div class="section"><div class="text">Tower {n} opened in 19{n}0.</div></div>' for n in range(5)),
        "\n".join(f"Tower {n} opened in 19{n}0." for n in range(5)),
        "H08",
    ),
    (
        "<p>abc &#xD83D; opened in 1931 and closed in 1954.</p>",
        "opened in 1931 and closed in 1954.",
        "H13, as a reference",
    ),
    ("<dl><dt>Height</dt><dd>412 m</dd></dl>", "Height: 412 m", "a definition list"),
    ("<p>The bridge<sup>2</sup> is <b>412</b>&nbsp;m long</p>", "The bridge2 is 412 m long", "inline elements"),
    ("<p>One line<br>and another</p>", "One line\nand another", "a line break"),
    ("<figure><img><figcaption>The bridge in 1931</figcaption></figure>", "The bridge in 1931", "a caption"),
    ("<aside>The toll was nine crowns.</aside>", "The toll was nine crowns.", "an aside"),
    ("<details><summary>More</summary><p>Eleven men died.</p></details>", "Eleven men died.", "what opens at a click"),
    ("<pre>a = 1\n  b = 2</pre>", "a = 1\n  b = 2", "code keeps its lines"),
    ("<p>so\u00adft hy\u200bphens</p>", "soft hyphens", "characters that nobody sees"),
    ("<div>" * 2000 + "The tower is tall." + "</div>" * 2000, "The tower is tall.", "deep nesting"),
    ("The tower <p>is tall", "The tower", "text outside of any block"),
]


@pytest.mark.parametrize(("html", "kept", "why"), KEPT)
def test_kept(html: str, kept: str, why: str) -> None:
    assert kept in _text(html), why
    assert kept in _text(f"<html><body><article><p>{PROSE}</p>{html}</article></body></html>"), f"{why}, in an article"


HIDDEN = [
    "<p hidden>secret</p>",
    "<div hidden=until-found><p>secret</p></div>",
    '<p aria-hidden="true">secret</p>',
    '<p style="color: red; DISPLAY : none !important">secret</p>',
    '<p style="visibility:hidden">secret</p>',
    '<span style="font-size:0">secret</span>',
    '<span style="opacity: 0;">secret</span>',
    "<template><p>secret</p></template>",
    "<noscript>secret</noscript>",
    "<script>secret</script>",
    "<!-- secret -->",
    "<select><option>secret</option></select>",
    "<table><tr><td>Height</td><td>412 m</td></tr><tr hidden><td>x</td><td>secret</td></tr></table>",
    '<table style="display:none"><tr><td>x</td><td>secret</td></tr></table>',
]


@pytest.mark.parametrize("html", HIDDEN)
def test_hidden_text_is_in_no_tier(html: str) -> None:
    for page in (f"<p>seen</p>{html}<p>also seen</p>", f"<article><p>{PROSE}</p>{html}<p>{PROSE}</p></article>"):
        assert "secret" not in _text(page)


def test_a_page_that_is_only_shown_by_script_is_read() -> None:
    """Whole pages are hidden until their style has loaded; a reader sees them."""
    assert "The tower is tall." in _text('<body style="opacity:0"><p>The tower is tall.</p></body>')


TABLES = [
    (
        "<tr><th>Year</th><th>Place</th></tr><tr><td>1931</td><td>Lund</td></tr>",
        ["Year | Place", "Year: 1931 | Place: Lund"],
        "headers with their cells",
    ),
    (
        "<thead><tr><td>Year</td><td>Place</td></tr></thead><tr><td>1931</td><td>Lund</td></tr>",
        ["Year | Place", "Year: 1931 | Place: Lund"],
        "headers by thead",
    ),
    (
        "<tr><th rowspan=2>Year</th><th colspan=2>Sales</th></tr><tr><th>EU</th><th>US</th></tr>"
        "<tr><td rowspan=2>1990</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr>",
        [
            "Year | Sales",
            "Year | EU | US",
            "Year: 1990 | Sales EU: 1 | Sales US: 2",
            "Year: 1990 | Sales EU: 3 | Sales US: 4",
        ],
        "spanning headers and cells",
    ),
    (
        "<tr><th colspan=2>Karl bridge</th></tr><tr><th>Opened</th><td>1931</td></tr>"
        "<tr><th>Length</th><td>412 m</td></tr>",
        ["Karl bridge", "Opened: 1931", "Length: 412 m"],
        "an infobox",
    ),
    (
        "<caption>Bridges</caption><tr><td>Karl</td><td>412 m</td></tr><tr><td>Emma</td><td>99 m</td></tr>",
        ["Bridges", "Karl | 412 m", "Emma | 99 m"],
        "no headers, a caption",
    ),
    (
        "<tr><th>Year</th><th>Place</th></tr><tr><th>1931</th><td>Lund</td></tr>",
        ["Year | Place", "Year: 1931 | Place: Lund"],
        "row headers under column headers",
    ),
    ("<tr><th>Year</th><th></th></tr><tr><td>1931</td><td></td></tr>", ["Year", "Year: 1931"], "empty cells"),
    ("<tr><td colspan=99999999999 rowspan=0>a</td><td>b</td></tr>", ["a | b"], "absurd spans"),
]


@pytest.mark.parametrize(("rows", "lines", "why"), TABLES)
def test_tables(rows: str, lines: list[str], why: str) -> None:
    assert _text(f"<table>{rows}</table>").split("\n") == lines, why


def test_a_table_that_lays_out_the_page_is_no_data() -> None:
    """Its cells are read as blocks of their own, and a table inside is read as what it is."""
    inner = "<table><tr><th>Opened</th><td>1931</td></tr></table>"
    text = _text(f"<table><tr><td><p>{PROSE}</p><p>{PROSE}</p></td><td>{inner}</td></tr></table>")
    assert "Opened: 1931" in text.split("\n")


def test_main_comes_first_and_furniture_last() -> None:
    page = extract_page(
        f"<body><nav><a href=/>Home</a></nav><article><h1>The bridge</h1><p>{PROSE}</p><p>{PROSE}</p></article>"
        "<footer><p>Imprint and contact of the publisher</p></footer></body>".encode(),
        "",
        "text/html",
    )
    main, periphery = page.text[: page.main_chars], page.text[page.main_chars :]
    assert main.startswith("# The bridge\n")
    assert "many people came" in main
    assert "Home" in periphery
    assert "Imprint" in periphery
    assert "Home" not in main


def test_an_article_that_trafilatura_does_not_find() -> None:
    """Then all that is no furniture is main."""
    page = extract_page(b"<nav>Menu</nav><p>Short.</p>", "", "text/html", lambda *_: None)
    assert page.text[: page.main_chars] == "Short."
    assert page.text.endswith("Menu")
    assert page.extractor.startswith("selectolax ")


TEASERS = [
    "".join(f"<h3><a href=/{n}>Mayor {n} of Lund resigns</a></h3><p>Summary {n} of it</p>" for n in range(30)),
    "".join(
        f"<div class=t><a href=/{n}>Mayor {n} of Lund resigns</a><p>Summary {n} of it</p></div>" for n in range(30)
    ),
    "<ul>" + "".join(f"<li><a href=/{n}>Mayor {n} of Lund resigns</a></li>" for n in range(30)) + "</ul>",
    "".join(f"<article><p>Mayor {n} of Lund resigns</p><p>Summary {n} of it</p></article>" for n in range(30)),
    "".join(f"<a href=/{n}><h3>Mayor {n} of Lund resigns</h3><p>Summary {n} of it</p></a>" for n in range(30)),
]


@pytest.mark.parametrize("html", TEASERS)
def test_passages_never_join_two_teasers(html: str) -> None:
    """H07: a front page with thirty headlines."""
    extracted = extract_page(f"<body><main>{html}</main></body>".encode(), "", "text/html")
    page = Page("https://a.example/", "News", extracted.text, None, "", extracted.main_chars)
    passages = choose_passages("A mayor of Lund resigns.", (), [page], budget_tokens=2000, count_tokens=len)
    assert passages
    for passage in passages:
        assert sum(f"Mayor {n} of" in passage.text for n in range(30)) == 1
        assert sum(f"Summary {n} of" in passage.text for n in range(30)) <= 1


def test_title_and_date() -> None:
    html = (
        "<html><head><title>The bridge | Daily</title>"
        "<meta property='article:published_time' content='2024-05-31T10:00:00Z'>"
        f"</head><body><article><h1>The bridge</h1><p>{PROSE}</p></article></body></html>"
    )
    page = extract_page(html.encode(), "https://a.example/news/bridge", "text/html")
    assert page.date == "2024-05-31"
    assert "The bridge" in page.title
    assert extract_page(b"<title>Only  a\ntitle</title><p>x", "", "text/html", lambda *_: None).title == "Only a title"


def test_a_date_in_the_text_is_not_that_of_publication() -> None:
    text = "The bridge was rebuilt and opened again on July 4, 2003 after two years of work. " * 8
    html = f"<html><head><title>The bridge</title></head><body><article><p>{text}</p></article></body></html>"
    assert extract_page(html.encode(), "https://a.example/bridge", "text/html").date is None
    byline = html.replace("<article>", "<article><p>Published <time datetime='2023-02-01'>1 Feb</time></p>")
    assert extract_page(byline.encode(), "https://a.example/bridge", "text/html").date == "2023-02-01"


def test_plain_text() -> None:
    page = extract_page(b"First paragraph,\nsecond line.\n\n<b>Second</b> paragraph.", "", "text/plain")
    assert page.text == "First paragraph,\nsecond line.\n<b>Second</b> paragraph."
    assert page.main_chars == len(page.text)


KINDS = [
    (b"<html>", "text/html", "html"),
    (b"<html>", "", "html"),
    (b"  <!DOCTYPE html>", "application/octet-stream", "html"),
    (b"<html>", "text/plain", "html"),
    (b"just words", "text/plain; charset=utf-8", "text"),
    (b"just words", "", "text"),
    (b"a,b,c", "text/csv", "table"),
    (b"%PDF-1.7", "application/pdf", "pdf"),
    (b"%PDF-1.7", "text/html", "pdf"),
    (b"\x89PNG\r\n", "text/html", "other"),
    (b"PK\x03\x04", "text/html", "other"),
    (b"a\x00b", "", "other"),
]


@pytest.mark.parametrize(("body", "content_type", "kind"), KINDS)
def test_kind_of_body(body: bytes, content_type: str, kind: str) -> None:
    """The first bytes go before what the server says."""
    assert body_kind(body, content_type) == kind


HOSTILE = {
    "nested elements": b"<div>" * 100_000,
    "nested inline elements": b"<b>" * 100_000 + b"x",
    "attributes": b"<p " + b" ".join(b"a%d=1" % n for n in range(100_000)) + b">text",
    "attributes without values": b"<p " + b" ".join(b"a%d" % n for n in range(100_000)) + b">text",
    "paragraphs": b"<p>word word</p>" * 100_000,
    "rows": b"<table>" + b"<tr><td>a<td>b" * 50_000,
    "spans": b"<table>" + b"<tr><td rowspan=65000 colspan=1000>x<td>y" * 2000,
    "nested tables": b"<table><tr><td>x" * 1500,
    "one word": b"<p>" + b"x" * 3_000_000,
    "open brackets": b"<" * 3_000_000,
    "references": b"&amp;" * 600_000,
    "open comments": b"<!--" * 500_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_markup_takes_bounded_time(name: str) -> None:
    """Each would take a parser half a minute or more, or is as large as a page may be."""
    started = time.process_time()
    with suppress(UnreadablePageError):
        page = extract_page(HOSTILE[name], "https://a.example/", "text/html")
        assert len(page.text) <= MAX_TEXT_CHARACTERS + 2
    assert time.process_time() - started < 15


@pytest.mark.parametrize(
    "name", ["nested elements", "nested inline elements", "attributes", "attributes without values"]
)
def test_markup_that_no_parser_reads_in_time_is_refused(name: str) -> None:
    with pytest.raises(UnreadablePageError, match="too"):
        extract_page(HOSTILE[name], "https://a.example/", "text/html")


def test_a_note_gives_the_page_again() -> None:
    page = ExtractedPage("Title", "Text \ufffd é", "2024-05-31", 4, "trafilatura 2.3.1", ("script",))
    assert page_of_note(json.loads(json.dumps(page.as_note()))) == page


@pytest.mark.parametrize("note", [None, {}, {"title": 1}, {"problem": "slow"}, "text"])
def test_a_note_of_another_form_gives_none(note: object) -> None:
    assert page_of_note(note) is None


def test_an_article_stands_for_trafilatura() -> None:
    """What is given as the article decides the tiers, and nothing else does."""
    html = b"<p>One sentence of the page that is long enough.</p><p>Another sentence of the page, also long.</p>"
    article = Article(text="Another sentence of the page, also long.")
    page = extract_page(html, "", "text/html", lambda *_: article)
    assert page.text[: page.main_chars] == "Another sentence of the page, also long."


PARAGRAPHS = "".join(
    f"<p>The bridge over the Karl was opened in {year}, and many people came to see it.</p>"
    for year in range(1900, 1940)
)


@pytest.mark.parametrize(
    ("headings", "is_main"),
    [
        ("<h2><a href='/other'>Another headline of the day</a></h2>", False),
        ("<h2><a href='#part'>Another headline of the day</a></h2>", True),
        ("<h2>Another headline of the day</h2>", True),
    ],
    ids=["leads elsewhere", "names itself", "is no link"],
)
def test_headings_that_lead_elsewhere_are_those_of_other_articles(headings: str, is_main: bool) -> None:
    html = f"<body><article><h1>Bridge</h1>{PARAGRAPHS}{headings}{PARAGRAPHS.replace('Karl', 'Ulm')}</article>"
    page = extract_page(html.encode(), "", "text/html; charset=utf-8")
    assert ("Another headline" in page.text[: page.main_chars]) == is_main
    assert "Another headline" in page.text


def test_headlines_are_the_text_of_a_page_that_lists_them() -> None:
    html = "".join(f"<h2><a href='/{n}'>Headline number {n} of this long day</a></h2><p>More</p>" for n in range(9))
    page = extract_page(f"<body><main>{html}</main>".encode(), "", "text/html; charset=utf-8")
    assert "Headline number 8" in page.text[: page.main_chars]


def test_furniture_within_furniture_of_tables_is_set_apart_once() -> None:
    """Elements that are destroyed for trafilatura are so from the inside out, or memory would be used after its end."""
    inner = "<td>a<nav>x<a href=/>u</a></nav></td><td>b</td>"
    html = f"<body>{PARAGRAPHS}<nav><table><tr><th>q</th>{inner}</tr><tr><td>1</td>{inner}</tr></table></nav>"
    assert "q" in extract_page(html.encode(), "", "text/html; charset=utf-8").text


@pytest.mark.parametrize("character", ["\x01", "\x7f", "\ufffe", "\uffff", "\ud800"])
def test_what_is_unfit_for_xml_is_in_no_text(character: str) -> None:
    html = f"<p>One{character}sentence of the page that is long enough.</p>".encode("utf-8", "surrogatepass")
    assert character not in extract_page(html, "", "text/html; charset=utf-8").text


def test_what_older_installers_miss_is_a_dependency_of_our_own() -> None:
    """H01: without it the import of trafilatura fails."""
    assert any(
        each.startswith("lxml_html_clean") or each.startswith("lxml-html-clean")
        for each in requires("veriscore-agent") or ()
    )

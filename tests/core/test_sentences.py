"""Answers cut into units: tables of cases, and what must hold for any text."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veriscore_agent.core.sentences import MAX_UNIT_CHARS, split_sentences
from veriscore_agent.core.sentences.prose import script_language


def texts(answer: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(answer)]


PROSE = [
    (
        "C08: titles, decimals, abbreviations, a year at the end, and a space left out",
        "Dr. A. Verrin Ph.D.'s log of 3.5 kg, No. 7, e.g. iron, ended in 1931. "
        "The U.S. team left in 2016.In May it closed.",
        [
            "Dr. A. Verrin Ph.D.'s log of 3.5 kg, No. 7, e.g. iron, ended in 1931.",
            "The U.S. team left in 2016.",
            "In May it closed.",
        ],
    ),
    (
        "names of code and hosts hold full stops that end nothing",
        "Use Node.js and asyncio.TaskGroup here. Visit www.Example.com or https://a.example/x?y=1.2. Then stop.",
        [
            "Use Node.js and asyncio.TaskGroup here.",
            "Visit www.Example.com or https://a.example/x?y=1.2.",
            "Then stop.",
        ],
    ),
    (
        "initials and places",
        "J. R. R. Tolkien met C.S. Lewis in Washington, D.C. in May. It was 5 p.m. Then they left.",
        ["J. R. R. Tolkien met C.S. Lewis in Washington, D.C. in May.", "It was 5 p.m.", "Then they left."],
    ),
    (
        "abbreviations before numbers",
        "See Vol. 3, pp. 5-7. It held approx. 5 kg. Fig. 2 shows it.",
        ["See Vol. 3, pp. 5-7.", "It held approx. 5 kg.", "Fig. 2 shows it."],
    ),
    (
        "a letter, a numeral or a number may end a sentence",
        "He took vitamin C. It helped. World War II. It ended. It cost $3.Then it rose.",
        ["He took vitamin C.", "It helped.", "World War II.", "It ended.", "It cost $3.", "Then it rose."],
    ),
    (
        "closing marks and footnotes belong to the sentence before",
        '**It opened in 1931.** It shut.[1] "It is gone." He left. *Really.* Yes.',
        ["**It opened in 1931.**", "It shut.[1]", '"It is gone."', "He left.", "*Really.*", "Yes."],
    ),
    (
        "what follows in lower case goes on, unless all of the text is so",
        "It opened (cf. et al. the log) in May, approx. then. iPhone sales rose. It closed.",
        ["It opened (cf. et al. the log) in May, approx. then.", "iPhone sales rose.", "It closed."],
    ),
    (
        "a writer who never uses capitals",
        "i like it. the bridge opened in 1931. it closed.",
        ["i like it.", "the bridge opened in 1931.", "it closed."],
    ),
    (
        "German dates and ordinals",
        "Am 3. Mai 1931 wurde z. B. die Brücke eröffnet. Im 20. Jahrhundert stand sie. Dr. Müller kam.",
        ["Am 3. Mai 1931 wurde z. B. die Brücke eröffnet.", "Im 20. Jahrhundert stand sie.", "Dr. Müller kam."],
    ),
    (
        "French titles",
        "M. Dupont est né en 1931. Mme. Curie est là.",
        ["M. Dupont est né en 1931.", "Mme. Curie est là."],
    ),
    (
        "Spanish titles and marks",
        "El Sr. García y la Sra. López nacieron. ¿Qué? ¡Sí!",
        ["El Sr. García y la Sra. López nacieron.", "¿Qué?", "¡Sí!"],
    ),
    (
        "C11: the Chinese full stop ends a sentence, the comma does not",
        "拉克斯珀大桥于1931年通车，全长412米。它很长！",
        ["拉克斯珀大桥于1931年通车，全长412米。", "它很长！"],
    ),
    (
        "Chinese with quotations, decimals, Latin initials and an address",
        "他说：“大桥开通了。”然后走了。长412.5米。U.S.很大。网址http://a.example。完",
        ["他说：“大桥开通了。”", "然后走了。", "长412.5米。", "U.S.很大。", "网址http://a.example。", "完"],
    ),
    ("Chinese with Latin full stops", "大桥开通了.全长412米.", ["大桥开通了.", "全长412米."]),
    ("Japanese", "橋は1931年に開通した。長さは412メートル。", ["橋は1931年に開通した。", "長さは412メートル。"]),
    ("Arabic", "افتتح الجسر عام 1931. هل هو طويل؟ نعم.", ["افتتح الجسر عام 1931.", "هل هو طويل؟", "نعم."]),
    ("Urdu", "یہ پل 1931 میں کھلا۔ یہ لمبا ہے۔", ["یہ پل 1931 میں کھلا۔", "یہ لمبا ہے۔"]),
    ("Devanagari", "पुल 1931 में खुला। यह लंबा है।", ["पुल 1931 में खुला।", "यह लंबा है।"]),
    ("Khmer", "ស្ពានបើក។ វាវែង។", ["ស្ពានបើក។", "វាវែង។"]),
    ("Armenian", "Կամուրջը բացվել է։ Այն երկար է։", ["Կամուրջը բացվել է։", "Այն երկար է։"]),
    ("Amharic", "ድልድዩ በ1931 ተከፈተ። ረጅም ነው።", ["ድልድዩ በ1931 ተከፈተ።", "ረጅም ነው።"]),
    ("half a surrogate pair does not stop the splitter", "lone \ud83d here. Next.", ["lone \ud83d here.", "Next."]),
    ("an emoji alone is no unit", "It opened. 🎉 It closed.", ["It opened.", "🎉 It closed."]),
    ("white space", " \n\t\n ", []),
]


@pytest.mark.parametrize(("why", "answer", "expected"), PROSE, ids=[row[0] for row in PROSE])
def test_prose_is_cut_at_its_sentences(why: str, answer: str, expected: list[str]) -> None:
    assert texts(answer) == expected


MARKDOWN = [
    (
        "a numbered item is one unit, its number kept",
        "Causes:\n\n1. **Hormonal Imbalance**: It shifts. It can be due to stress.\n\n2. **Stress**: It rises.\n",
        ["1. **Hormonal Imbalance**: It shifts. It can be due to stress.", "2. **Stress**: It rises."],
    ),
    ("bullets of all kinds", "- a one.\n- b two.\n\n* c three\n+ d four", ["a one.", "b two.", "c three", "d four"]),
    (
        "nested items are units of their own, and a parent that is a mere heading is none",
        "- Awards\n  - Salka Prize, 1931\n  - Lund Medal, 1940\n- The band broke up.\n  - It lost money.\n"
        "- **Early years**\n  - It sang.\n- Ada Verrin (1879-1955)\n  - She sang.",
        [
            *("Salka Prize, 1931", "Lund Medal, 1940"),
            *("The band broke up.", "It lost money."),
            *("It sang.", "Ada Verrin (1879-1955)", "She sang."),
        ],
    ),
    (
        "several paragraphs of one item are one unit",
        "1. It opened.\n\n   It is long.\n2. It closed.",
        ["1. It opened.\nIt is long.", "2. It closed."],
    ),
    ("a year that opens a line is no list number to lose", "1931. It opened.\n", ["1931. It opened."]),
    ("an answer that is only a number", "1931.", ["1931."]),
    (
        "list marks that Markdown does not know",
        "• It opened. It is long.\n• It closed.",
        ["• It opened. It is long.", "• It closed."],
    ),
    (
        "numbers without a space, CRLF",
        "The four were: \r\n1.Ada Verrin (1797-1801) \r\n2.Karl Brandt (2009-2013) \r\n",
        ["1.Ada Verrin (1797-1801)", "2.Karl Brandt (2009-2013)"],
    ),
    (
        "a table row is one unit that names its columns",
        "| Bridge | Opened |\n|---|---|\n| Larkspur | 1931 |\n| Salka | |\n",
        ["Bridge: Larkspur | Opened: 1931", "Bridge: Salka"],
    ),
    (
        "a row with more cells than the header loses none, and a sentence after a table is no row",
        "| Bridge | Opened |\n|---|---|\n| Salka | 1954 | by Verrin |\nBoth are long. Both are old.",
        ["Bridge | Opened\n| Salka | 1954 | by Verrin |", "Both are long.", "Both are old."],
    ),
    (
        "the first row of a table of facts is a fact too",
        "| Opened | 1931 |\n|---|---|\n| Length | 412 m |\n",
        ["Opened | 1931", "Opened: Length | 1931: 412 m"],
    ),
    ("code is no unit", "It runs.\n\n```py\nx = 1. The bridge.\n```\n\nIt stops.", ["It runs.", "It stops."]),
    (
        "an answer wrapped in a Markdown fence is read",
        "```markdown\n# T\nIt opened. It closed.\n```",
        ["It opened.", "It closed."],
    ),
    ("indented text is prose", "    It opened. It closed.", ["It opened.", "It closed."]),
    ("a quotation is prose, its marks gone", "> It opened\n> in May. It closed.", ["It opened\nin May.", "It closed."]),
    (
        "headings are no units",
        "# Bridges\n\n## History\n\nIt opened.\n\n**Later years**\nIt closed.",
        ["It opened.", "It closed."],
    ),
    (
        "a heading that reads as a statement is one",
        "## The Larkspur Bridge opened in 1931\n\nIt is long.\n\n**It closed in 1954.**\n\nIt rusts.",
        ["The Larkspur Bridge opened in 1931", "It is long.", "**It closed in 1954.**", "It rusts."],
    ),
    ("a question as a heading is none", "## What happened to the bridge in 1931?\n\nIt opened.", ["It opened."]),
    ("a bold answer with nothing under it", "**Paris**", ["**Paris**"]),
    ("a heading with nothing under it", "# 1931", ["1931"]),
    ("a rule under a sentence makes no heading of it", "The bridge\n---\nIt opened.", ["The bridge", "It opened."]),
    (
        "line breaks part lines that stand alone",
        "Name: Ada Verrin\nBorn: 1931\nDied: 1954",
        ["Name: Ada Verrin", "Born: 1931", "Died: 1954"],
    ),
    (
        "line breaks of a wrapped paragraph part nothing",
        "The Larkspur Bridge is a bridge in Salka that was opened in\n"
        "May 1931 by Ada Verrin after four years of building. It was\nclosed in 1954.",
        [
            "The Larkspur Bridge is a bridge in Salka that was opened in\n"
            "May 1931 by Ada Verrin after four years of building.",
            "It was\nclosed in 1954.",
        ],
    ),
    (
        "HTML and link definitions are text",
        "<b>It opened.</b>\n\n[Note]: It closed.",
        ["<b>It opened.</b>", "[Note]: It closed."],
    ),
]


@pytest.mark.parametrize(("why", "answer", "expected"), MARKDOWN, ids=[row[0] for row in MARKDOWN])
def test_markdown_is_taken_apart(why: str, answer: str, expected: list[str]) -> None:
    assert texts(answer) == expected


def test_a_unit_knows_what_it_stands_under() -> None:
    """Headings, list introductions and parent items, outermost first; a new heading replaces its equals."""
    answer = (
        "# Salka\n\n## History\n\nIt grew. These are its bridges:\n\n- Old ones\n  - Larkspur, 1931\n\n"
        "**Later**\nIt shrank.\n\n## Trade\n\nIt sells iron."
    )
    contexts = {sentence.text: sentence.context for sentence in split_sentences(answer)}
    assert contexts["Larkspur, 1931"] == ("Salka", "History", "These are its bridges:", "Old ones")
    assert contexts["It shrank."] == ("Salka", "History", "Later")
    assert contexts["It sells iron."] == ("Salka", "Trade")


def test_units_are_numbered_and_keep_their_paragraph() -> None:
    units = split_sentences("One is. Two is.\n\n- three\n- four\n\nFive is.")
    assert [unit.index for unit in units] == [0, 1, 2, 3, 4]
    assert [unit.paragraph for unit in units] == [0, 0, 1, 2, 3]


def test_numbered_answers_of_the_sample_are_one_unit_an_item(shared_data: Path) -> None:
    """The ten numbered causes of the authors' sample answer stay whole, with five sentences around them."""
    response = json.loads((shared_data / "data/veriscore_sample_response.json").read_text(encoding="utf-8"))["response"]
    units = texts(response)
    assert len(units) == 15
    items = [unit for unit in units if re.match(r"\d+\. \*\*", unit)]
    assert [int(item.split(".")[0]) for item in items] == list(range(1, 11))
    assert items[0].endswith("underlying health conditions.")


def test_real_answers_lose_nothing(shared_data: Path) -> None:
    """Every letter of 94 real answers is in a unit or in what a unit stands under."""
    lines = (shared_data / "data/factcheck_bench_responses.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines:
        response = json.loads(line)["response"]
        units = split_sentences(response)
        kept = letters(" ".join(unit.text for unit in units)) | letters(" ".join(" ".join(u.context) for u in units))
        assert letters(response) <= kept


def letters(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


# ---------------------------------------------------------------- for any text

MARKUP_WORDS = (
    "The bridge opened in 1931 3.5 U.S. Dr. e.g. No. Larkspur 大桥。 通车， पुल। **bold** `code` | === - * "
    "[link](http://a.example) 1. 2) > # ## ``` ~~~ --- ( ) \" ' … \U0001f389 \u0301 \x00 \u2028 \ud800 <b> \\ a:"
)
WORDS = st.sampled_from(MARKUP_WORDS.split(" "))
MARKUP = st.lists(
    st.tuples(WORDS, st.sampled_from([" ", " ", " ", ". ", "\n", "\n\n", "\r\n", "  - ", "\n    "])), max_size=60
).map(lambda pairs: "".join(word + gap for word, gap in pairs))


@given(st.one_of(MARKUP, st.text(max_size=300)))
@settings(max_examples=300, deadline=None)
def test_any_text_splits_into_bounded_units(answer: str) -> None:
    units = split_sentences(answer)
    assert [unit.index for unit in units] == list(range(len(units)))
    assert all(0 < len(unit.text) <= MAX_UNIT_CHARS and unit.text == unit.text.strip() for unit in units)
    assert all(any(map(str.isalnum, unit.text)) for unit in units)
    assert [unit.paragraph for unit in units] == sorted(unit.paragraph for unit in units)
    assert split_sentences(answer) == units


PLAIN_WORDS = "The bridge opened in 1931. 3.5 kg No. 7 e.g. U.S. was long! It? “Yes.” (It was.) 大桥通车。 Node.js a.b"
PLAIN = st.lists(st.sampled_from(PLAIN_WORDS.split(" ")), min_size=1, max_size=80).map(" ".join)


@given(PLAIN)
@settings(max_examples=300, deadline=None)
def test_units_of_prose_are_verbatim_and_lose_nothing(answer: str) -> None:
    """Put together again, the units are the text, white space between sentences aside."""
    position = 0
    for unit in texts(answer):
        start = answer.index(unit, position)
        assert not any(map(str.isalnum, answer[position:start]))
        position = start + len(unit)
    assert not any(map(str.isalnum, answer[position:]))


FRAMED = st.lists(
    st.tuples(
        st.sampled_from(["", "- ", "1. ", "12) ", "# ", "### ", "> ", "**", "  - ", "     ", "• ", "(a) ", "<b>"]),
        st.lists(
            st.sampled_from(["bridge", "Salka", "opened.", "Larkspur:", "**iron**", "No.", "was", "e.g."]), max_size=9
        ),
        st.sampled_from(["\n", "\n\n", "**\n", ":\n", "\n---\n", "\n===\n"]),
    ),
    max_size=15,
).map(lambda lines: "".join(mark + " ".join(words) + end for mark, words, end in lines))


@given(FRAMED)
@settings(max_examples=300, deadline=None)
def test_markdown_without_code_loses_no_word(answer: str) -> None:
    """Every word is in a unit, or in what units stand under."""
    units = split_sentences(answer)
    kept = Counter(re.findall(r"[^\W\d_]{2,}", " ".join(unit.text for unit in units)))
    shown = {word for unit in units for part in unit.context for word in re.findall(r"[^\W\d_]{2,}", part)}
    words = Counter(re.findall(r"[^\W\d_]{2,}", answer))
    assert all(kept[word] == count or word in shown for word, count in words.items())


HUGE = [
    ("C14: 200,000 words without a full stop", "word " * 200_000),
    ("no space either", "x" * 300_000),
    ("Chinese without a full stop", "大桥通车，" * 40_000),
    ("one word a line", "a\n" * 60_000),
    ("full stops without spaces", "a.b." * 60_000),
    ("closing marks", "a" + '.")' * 60_000),
    ("quotes in quotes", "> " * 60_000 + "deep"),
    ("lists in lists", "- " * 60_000 + "deep"),
    ("one long item", "- " + "It opened. " * 20_000),
]


@pytest.mark.parametrize(("why", "answer"), HUGE, ids=[row[0] for row in HUGE])
def test_huge_units_are_cut_in_bounded_time(why: str, answer: str) -> None:
    """Units stay short, nothing is lost, and it takes seconds at most, where quadratic time would take minutes."""
    begun = time.process_time()
    units = texts(answer)
    assert time.process_time() - begun < 10
    assert max(len(unit) for unit in units) <= MAX_UNIT_CHARS
    assert sum(map(str.isalnum, "".join(units))) == sum(map(str.isalnum, answer))


def test_long_text_is_cut_between_words() -> None:
    units = texts("word " * 1000)
    assert all(set(unit.split()) == {"word"} for unit in units)
    assert len(units) == 5


def test_a_long_item_is_cut_between_sentences() -> None:
    units = texts("- " + "The bridge opened in May. " * 100)
    assert all(unit.endswith("May.") for unit in units)
    assert len(units) == 3


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The bridge", "en"),
        ("Der Brücke", "en"),
        ("1931", "en"),
        ("", "en"),
        ("拉克斯珀大桥 (Larkspur Bridge)", "zh"),
        ("橋は開通した", "ja"),
        ("다리", "ko"),
        ("Мост", "ru"),
        ("الجسر", "ar"),
        ("पुल", "hi"),
    ],
)
def test_the_script_tells_the_language(text: str, language: str) -> None:
    assert script_language(text) == language

"""Claim extraction around the model: requests, replies, merging, warnings."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veriscore_agent.core.extraction import (
    ClaimCounts,
    answer_name,
    claim_id,
    count_claims,
    extraction_requests,
    extraction_warnings,
    fold_claim,
    given_claims,
    is_no_claim,
    merge_claims,
    read_claims,
)
from veriscore_agent.core.sentences import MAX_UNIT_CHARS, split_sentences
from veriscore_agent.domain import Answer, GivenClaim, ModelReply, ModelRequest, Sentence, Snippet, UnscoredReason
from veriscore_agent.errors import ModelOutputError
from veriscore_agent.prompts import load_prompt
from veriscore_agent.prompts.folder import PromptFolder

SEVEN = "Zero is. One is. Two is. Three is. Four is. Five is. Six is."


def requests(answer: Answer, qa: str = "auto", folder: PromptFolder | None = None) -> tuple[ModelRequest, ...]:
    return extraction_requests(answer, split_sentences(answer.response), qa=qa, folder=folder)  # type: ignore[arg-type]


def excerpt(request: ModelRequest) -> str:
    return request.user.split("Excerpt: ")[1].split("\nMarked sentence: ")[0]


# ---------------------------------------------------------------- requests


def test_with_a_question_the_window_is_three_before_and_one_after() -> None:
    asked = requests(Answer("a", SEVEN, question="What is?"))
    assert [excerpt(request) for request in asked] == [
        "<SOS>Zero is.<EOS> One is.",
        "Zero is. <SOS>One is.<EOS> Two is.",
        "Zero is. One is. <SOS>Two is.<EOS> Three is.",
        "Zero is. One is. Two is. <SOS>Three is.<EOS> Four is.",
        "One is. Two is. Three is. <SOS>Four is.<EOS> Five is.",
        "Two is. Three is. Four is. <SOS>Five is.<EOS> Six is.",
        "Three is. Four is. Five is. <SOS>Six is.<EOS>",
    ]
    assert all("Question: What is?\n" in request.user for request in asked)


def test_without_a_question_the_first_sentence_of_a_long_text_is_put_in_front_once() -> None:
    asked = requests(Answer("a", SEVEN))
    assert excerpt(asked[3]) == "Zero is. One is. Two is. <SOS>Three is.<EOS> Four is."
    assert excerpt(asked[4]) == "Zero is. One is. Two is. Three is. <SOS>Four is.<EOS> Five is."
    assert excerpt(asked[6]) == "Zero is. Three is. Four is. Five is. <SOS>Six is.<EOS>"
    assert all(excerpt(request).count("Zero is.") == 1 for request in asked)
    assert all("Question" not in request.user for request in asked)


def test_a_text_of_five_sentences_is_not_long() -> None:
    asked = requests(Answer("a", "Zero is. One is. Two is. Three is. Four is."))
    assert excerpt(asked[4]) == "One is. Two is. Three is. <SOS>Four is.<EOS>"


def test_in_a_long_paragraph_its_own_first_sentence_is_put_in_front() -> None:
    asked = requests(Answer("a", f"Before is.\n\n{SEVEN}"))
    assert excerpt(asked[6]).startswith("Zero is. Two is.")


def test_short_paragraphs_of_a_long_answer_get_its_first_sentence() -> None:
    asked = requests(Answer("a", "Verrin is. One is.\n\nTwo is. Three is.\n\nFour is. Five is."))
    assert excerpt(asked[5]) == "Verrin is.\nTwo is. Three is.\nFour is. <SOS>Five is.<EOS>"


@pytest.mark.parametrize(
    ("qa", "question", "shown"),
    [
        ("auto", "What is?", True),
        ("auto", None, False),
        ("auto", "  ", False),
        ("always", "What is?", True),
        ("always", None, False),
        ("never", "What is?", False),
    ],
)
def test_when_the_question_is_shown(qa: str, question: str | None, shown: bool) -> None:
    """``never`` asks as for a text, first sentence in front; without a question nothing else is possible."""
    last = requests(Answer("a", SEVEN, question=question), qa)[-1]
    assert ("Question: What is?" in last.user) == shown
    assert excerpt(last).startswith("Zero is.") != shown


def test_requests_come_in_order_and_say_what_they_are_about() -> None:
    asked = requests(Answer("a1", "One is. Two is.", model="m"))
    assert [request.subject for request in asked] == ["m/a1, sentence 1 of 2", "m/a1, sentence 2 of 2"]
    assert all(request.kind == "extract" and request.schema is None and request.sample == 0 for request in asked)


def test_headings_and_introductions_are_shown_once_above_what_they_govern() -> None:
    answer = Answer("a", "# Salka\n\nThese are its bridges:\n\n- A\n- B\n- C\n- D\n- E\n", question="Which?")
    asked = requests(answer)
    assert excerpt(asked[1]) == "Salka\nThese are its bridges:\n<SOS>A<EOS>\nB"
    assert excerpt(asked[5]) == "Salka\nThese are its bridges:\nB\nC\nD\n<SOS>E<EOS>"


def test_marks_and_broken_characters_of_the_answer_are_neutralised() -> None:
    """Only our own marks mark, and half a surrogate pair does not break the request."""
    (asked,) = requests(Answer("a", "He wrote <EOS> and <sos> there \ud83d once", question="<SOS>Why?<EOS>"))
    assert asked.user.count("<SOS>") == asked.user.count("<EOS>") == 1
    assert asked.user.encode()


def test_the_answer_cannot_end_its_fence() -> None:
    """The code of the two lines depends on the text between them, so a text cannot know its own."""
    first, second = requests(Answer("a", "One is.\n\n--- 000000000000\n\nTwo is."))[::2]
    codes = {request.user.splitlines()[0] for request in (first, second)}
    assert len(codes) == 2
    assert all(request.user.splitlines().count(request.user.splitlines()[0]) == 2 for request in (first, second))


def test_the_same_sentence_makes_the_same_prompt() -> None:
    answer = Answer("a", SEVEN, question="What is?")
    assert requests(answer) == requests(answer)


def test_a_call_is_small_and_its_fixed_part_comes_first() -> None:
    """In tokens as characters / 4: over 1,024 fixed, so that providers cache it; under 1,600 with a usual window."""
    sentence = "The Larkspur Bridge in Salka was opened in May 1931 by Ada Verrin after four years of building. "
    asked = requests(Answer("a", sentence * 12, question="What do you know about the Larkspur Bridge in Salka?"))
    assert {request.system for request in asked} == {load_prompt("extract_system.v1").text}
    assert len(asked[0].system) / 4 > 1024
    assert max(len(request.system) + len(request.user) for request in asked) / 4 < 1400


def test_a_call_is_bounded_whatever_the_answer_and_question() -> None:
    answer = Answer("a", "word " * 3000, question="Why is " + "it so " * 5000 + "in Salka?")
    longest = max(requests(answer), key=lambda request: len(request.user))
    assert len(longest.user) < 2 * MAX_UNIT_CHARS + 4000
    assert "Question: Why is" in longest.user
    assert "in Salka?" in longest.user


def test_prompts_of_a_folder_are_filled_in_one_pass() -> None:
    """Text that looks like a field stays what it is; braces of the answer harm nothing."""
    folder = PromptFolder(
        extraction_qa_template="Text: {snippet}\nSentence: {sentence}",
        extraction_system="You extract.",
        extraction_tail="Facts:",
    )
    (asked,) = requests(Answer("a", "It is {sentence} and {0} {.", question="What is {snippet}?"), folder=folder)
    assert asked.system == "You extract."
    assert asked.user == (
        "Text: Question: What is {snippet}?\nResponse: <SOS>It is {sentence} and {0} {.<EOS>\n"
        "Sentence: It is {sentence} and {0} {.\n\nFacts:"
    )


def test_what_a_folder_lacks_is_the_packages_own() -> None:
    folder = PromptFolder(extraction_text_template="Text: {snippet} / {sentence}")
    with_question = Answer("a", "It is.", question="What?")
    assert requests(with_question, folder=folder) == requests(with_question)
    (asked,) = requests(Answer("a", "It is."), folder=folder)
    assert asked.user == "Text: <SOS>It is.<EOS> / It is."
    assert asked.system == load_prompt("extract_system.v1").text


# ---------------------------------------------------------------- replies

REPLIES = [
    (
        "C01: a year and a count open claims, `3. ` numbers one",
        "1931 was the year the Larkspur Bridge opened.\n12 people signed the Salka treaty.\n"
        "3. The bridge is 412 m long.",
        [
            "1931 was the year the Larkspur Bridge opened.",
            "12 people signed the Salka treaty.",
            "The bridge is 412 m long.",
        ],
    ),
    ("C01: alone, a count stays", "300 people died in the flood.", ["300 people died in the flood."]),
    ("C01: alone, a list number goes", "3. The bridge is 412 m long.", ["The bridge is 412 m long."]),
    ("C01: a year with a full stop is no list number", "1931. was odd.", ["1931. was odd."]),
    (
        "C02: only the bullet goes, dashes inside stay",
        "- The final score was 3 - 2 for Salka.\n- The 1914 - 1918 ledger survives.",
        ["The final score was 3 - 2 for Salka.", "The 1914 - 1918 ledger survives."],
    ),
    ("a score may open a claim", "- 3 - 2 was the final score.", ["3 - 2 was the final score."]),
    ("a minus sign is no bullet", "-5 °C was measured.\n- -6 °C was not.", ["-5 °C was measured.", "-6 °C was not."]),
    ("a decimal is no list number", "1.5 kg of iron was used.", ["1.5 kg of iron was used."]),
    ("a German date is no list number", "3. Oktober 1990 war ein Mittwoch.", ["3. Oktober 1990 war ein Mittwoch."]),
    (
        "several German dates are no list",
        "1. Mai 1931 war ein Freitag.\n2. Mai 1931 war ein Samstag.",
        ["1. Mai 1931 war ein Freitag.", "2. Mai 1931 war ein Samstag."],
    ),
    (
        "a name is no list number",
        "3. Marie Curie won.\n5. iPhone sales rose.",
        ["Marie Curie won.", "iPhone sales rose."],
    ),
    ("lower case after a lone number may be a date", "3. maj 1931 var en søndag.", ["3. maj 1931 var en søndag."]),
    ("numbers in a row are a list, whatever follows", "1. eBay rose.\n2. maj kom.", ["eBay rose.", "maj kom."]),
    ("all ones are a list", "1. A is.\n1. B is.", ["A is.", "B is."]),
    ("parentheses", "1) A is.\n2) B is.", ["A is.", "B is."]),
    ("two parentheses", "(1) A is.\n(3) B is.", ["A is.", "B is."]),
    ("square brackets", "[1] A is.\n[2] B is.", ["A is.", "B is."]),
    ("nested numbers", "1. A is.\n   1.1. B is.\n   1.2. C is.", ["A is.", "B is.", "C is."]),
    ("nested numbers without a stop", "1.1 Larkspur is.\n1.2 Salka is.", ["Larkspur is.", "Salka is."]),
    (
        "amounts are no nested numbers",
        "1.1 million people came.\n1.2 million people left.",
        ["1.1 million people came.", "1.2 million people left."],
    ),
    ("letters", "a) A is.\n(b) B is.", ["A is.", "B is."]),
    (
        "initials are no letters of a list",
        "A. Verrin built it.\nC. elegans is a worm.",
        ["A. Verrin built it.", "C. elegans is a worm."],
    ),
    (
        "bullets of all kinds",
        "* A is.\n• B is.\n– C is.\n•D is.\n- [ ] E is.",
        ["A is.", "B is.", "C is.", "D is.", "E is."],
    ),
    ("bullets and numbers mixed", "- 1. A is.\n2. - B is.", ["A is.", "B is."]),
    ("bold", "**1.** A is.\n**2. B is.**\n3. **Lentils** are.", ["A is.", "B is.", "Lentils are."]),
    (
        "italics go, products stay",
        "*Hamlet* is old.\n5 * 3 * 2 is 30.\nA* is a search.",
        ["Hamlet is old.", "5 * 3 * 2 is 30.", "A* is a search."],
    ),
    (
        "quotes around the whole claim go, others stay",
        '"A is."\n"Iron" is by "Brandt".',
        ["A is.", '"Iron" is by "Brandt".'],
    ),
    ("our own marks are echoed", "<SOS>A is.<EOS>", ["A is."]),
    ("labels", "Claim 1: A is.\nFact: B is.", ["A is.", "B is."]),
    (
        "preambles, headings and notes are no claims",
        "Here are the verifiable claims:\n\n### Facts\n**Claims:**\n- A is.\n\n"
        "Note: the rest is opinion.\n(Only one was found.)",
        ["A is."],
    ),
    (
        "a claim may begin like a note",
        "Note G was written by Ada.\nReason is a book.",
        ["Note G was written by Ada.", "Reason is a book."],
    ),
    ("remarks about the sentence are no claims", "A is.\nThe marked sentence also gives advice.", ["A is."]),
    ("fences", "```\n- A is.\n- B is.\n```", ["A is.", "B is."]),
    ("a JSON list", '["A is.", "B is."]', ["A is.", "B is."]),
    ("a fenced JSON object", '```json\n{"claims": ["A is."]}\n```', ["A is."]),
    ("JSON after a preamble", 'Here they are:\n["A is."]', ["A is."]),
    ("JSON objects", '{"claims": [{"claim": "A is.", "id": 1}]}', ["A is."]),
    ("JSON lines", '{"claim": "A is."}\n{"claim": "B is."}', ["A is.", "B is."]),
    ("empty JSON", '{"claims": []}', []),
    ("an empty JSON list", "[]", []),
    ("no claim in JSON", '["No verifiable claim."]', []),
    ("hidden reasoning", "<think>A is?</think>\nA is.", ["A is."]),
    ("Chinese", "大桥于1931年通车。\n大桥全长412米。", ["大桥于1931年通车。", "大桥全长412米。"]),
    (
        "C03: a sibling of the statement of none",
        "The bridge opened in 1931.\nNo verifiable claim.",
        ["The bridge opened in 1931."],
    ),
    ("C03: before it", "No verifiable claim.\nThe bridge opened in 1931.", ["The bridge opened in 1931."]),
    ("C03: on its line", "The bridge opened in 1931. No verifiable claim.", ["The bridge opened in 1931."]),
    (
        "C03: in brackets on its line",
        "The bridge opened in 1931. (No verifiable claim in the rest.)",
        ["The bridge opened in 1931."],
    ),
    ("C03: after it on its line", "No verifiable claim. The bridge opened in 1931.", ["The bridge opened in 1931."]),
    ("a title that apologises", "Sorry is a 2015 song.", ["Sorry is a 2015 song."]),
    ("a refusal of one part", "A is.\nI'm sorry, I can't extract the rest.", ["A is."]),
]


@pytest.mark.parametrize(("why", "reply", "claims"), REPLIES, ids=[row[0] for row in REPLIES])
def test_a_reply_is_read_without_touching_its_claims(why: str, reply: str, claims: list[str]) -> None:
    assert list(read_claims(ModelReply(reply))) == claims


NONE = [
    "No verifiable claim.",
    "No verifiable claim",
    "no verifiable claims.",
    "**No verifiable claim.**",
    "- No verifiable claim.",
    "1. No verifiable claim.",
    '"No verifiable claim."',
    "`No verifiable claim.`",
    "None.",
    "None",
    "N/A",
    "n/a.",
    "Claims: none",
    "There are no verifiable claims in this sentence.",
    "There are no verifiable factual claims in the marked sentence.",
    "No verifiable facts can be extracted from the sentence.",
    "No verifiable claim (the sentence is a question).",
    "No verifiable claim: this is advice.",
    "No verifiable claim. The sentence is an opinion.",
    "No verifiable claim, as it expresses an opinion.",
    "The marked sentence contains no verifiable claims.",
    "This sentence does not contain any verifiable claims, as it is a question.",
    "The marked sentence expresses an opinion.",
    "I could not find any verifiable claims.",
    "I'm sorry, but there are no verifiable claims in the marked sentence.",
    "Note: There are no verifiable claims.",
    "Here are the claims:\nNo verifiable claim.",
    "No claims to extract.",
    "没有可验证的声明。",
    "Keine überprüfbaren Behauptungen.",
    "There aren't any verifiable claims.",
    "There isn’t a verifiable claim in it.",
    "Nothing verifiable.",
    "Not verifiable.",
    "Empty list.",
    "Output: None",
    "Answer: **No verifiable claim.**",
]


@pytest.mark.parametrize("reply", NONE)
def test_the_statement_of_none_in_any_wording_gives_no_claim(reply: str) -> None:
    """C04: none of them is searched for or scored."""
    assert read_claims(ModelReply(reply)) == ()


@pytest.mark.parametrize(
    "claim",
    [
        "No verifiable claims were made by Verrin at the trial.",
        "There is no factual information about Verrin in the archive.",
        "None of the bridges survived.",
        "Nothing was found in the wreck.",
        "No bridge in Salka is longer.",
        "Answer: No bridge in Salka is longer.",
        "No verifiable claims were found in the rest of the archive.",
        "There isn't a verifiable statement by Verrin in the archive.",
        "The text of the 1931 treaty does not contain any claim to the island.",
    ],
)
def test_a_claim_about_nothing_is_a_claim(claim: str) -> None:
    assert not is_no_claim(claim)
    assert read_claims(ModelReply(claim)) == (claim,)


FAILURES: list[tuple[str, ModelReply, UnscoredReason]] = [
    ("refusal", ModelReply("I'm sorry, I can't assist with that."), "model_refused"),
    ("refusal with an offer", ModelReply("Sorry, but I can't help.\nIs there anything else?"), "model_refused"),
    ("machine", ModelReply("As an AI language model, I cannot extract claims."), "model_refused"),
    ("empty", ModelReply(""), "unreadable_reply"),
    ("white space", ModelReply(" \n "), "unreadable_reply"),
    ("only a preamble", ModelReply("Here are the claims:"), "unreadable_reply"),
    ("only a note", ModelReply("Note: see above."), "unreadable_reply"),
    ("JSON that breaks off", ModelReply('["A is.", "B'), "unreadable_reply"),
    ("JSON of something else", ModelReply('{"answer": 1}'), "unreadable_reply"),
    ("a Python list", ModelReply("['A is.', 'B is.']"), "unreadable_reply"),
    ("cut off", ModelReply("A is.\nB", finish_reason="length"), "output_cut"),
    ("cut off before anything", ModelReply("", finish_reason="length"), "output_cut"),
    ("filtered", ModelReply("A is.", finish_reason="content_filter"), "content_filtered"),
]


@pytest.mark.parametrize(("why", "reply", "reason"), FAILURES, ids=[row[0] for row in FAILURES])
def test_a_reply_without_an_outcome_is_an_error_and_never_no_claims(
    why: str, reply: ModelReply, reason: UnscoredReason
) -> None:
    with pytest.raises(ModelOutputError) as caught:
        read_claims(reply)
    assert caught.value.reason == reason
    assert caught.value.reply == reply.text


CLAIM = st.from_regex(r"[A-Z][a-z]{2,8} (was|is|has) [a-z0-9 ,%-]{1,30}[a-z0-9]\.", fullmatch=True)
MARK = st.sampled_from(["", "- ", "* ", "• ", "– "])


@given(st.lists(CLAIM, min_size=1, max_size=6), MARK, st.booleans())
@settings(max_examples=200, deadline=None)
def test_any_claims_come_back_from_any_list(claims: list[str], mark: str, numbered: bool) -> None:
    lines = [f"{mark}{f'{number}. ' if numbered else ''}{claim}" for number, claim in enumerate(claims, start=1)]
    assert list(read_claims(ModelReply("\n".join(lines)))) == claims


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_reply_is_read_or_refused(reply: str) -> None:
    """Nothing but ModelOutputError, and no claim that is empty."""
    try:
        claims = read_claims(ModelReply(reply))
    except ModelOutputError:
        return
    assert all(claim.strip() == claim != "" for claim in claims)


@pytest.mark.parametrize(
    ("beginning", "unit"),
    [
        *(("", unit) for unit in ("no verifiable ", "the sentence ", "I cannot any ", "**a ", "*a ", "[", '{"a":')),
        ("", "1. "),
        ("no ", "verifiable "),
        ("No ", "factual and verifiable, "),
        ("It opened. No verifiable claim", " made here"),
        ("It opened. No verifiable claim", " to be made"),
        ("It opened. No verifiable claim", " in the text of the text"),
        ("", "</think>"),
        ("", "a</think>"),
        ("", "<think></think>"),
    ],
)
def test_a_mad_reply_is_read_in_bounded_time(beginning: str, unit: str) -> None:
    begun = time.process_time()
    with contextlib.suppress(ModelOutputError):
        read_claims(ModelReply(beginning + unit * 2000 + " x"))
    assert time.process_time() - begun < 5


# ---------------------------------------------------------------- merging

ANSWER = Answer("a1", "text", model="m")


def test_equal_claims_of_several_sentences_count_once_and_remember_all() -> None:
    """C12: overlapping windows yield the same fact in other clothes."""
    read = [
        (1, ["The Larkspur Bridge opened in 1931.", "It is long."]),
        (2, ["the larkspur bridge  opened in 1931", "The Larkspur Bridge opened in 1931."]),
        (4, ["The Larkspur Bridge opened in 1931."]),
    ]
    first, second = merge_claims(ANSWER, read, exact=False)
    assert first.id == "m/a1#1"
    assert first.text == "The Larkspur Bridge opened in 1931."
    assert first.sentences == (1, 2, 4)
    assert first.wordings == ("The Larkspur Bridge opened in 1931.", "the larkspur bridge  opened in 1931")
    assert (second.id, second.text, second.sentences) == ("m/a1#2", "It is long.", (1,))


def test_under_the_papers_protocol_only_exact_texts_are_equal() -> None:
    claims = merge_claims(ANSWER, [(0, ["It is long.", "it is long"]), (1, ["It is long."])], exact=True)
    assert [(claim.text, claim.sentences) for claim in claims] == [("It is long.", (0, 1)), ("it is long", (0,))]


def test_counts_of_both_kinds_leave_statements_of_none_out() -> None:
    texts = ["It is long.", "it is long", "It is long.", "It is old.", "No verifiable claim.", " "]
    assert count_claims(texts) == ClaimCounts(exact=3, folded=2)


def test_an_id_names_the_answer_and_the_model_if_any() -> None:
    assert claim_id(ANSWER, 3) == "m/a1#3"
    assert claim_id(Answer("a1", "text"), 1) == "a1#1"


NAMES = [
    ("x/y", "z", "x/y/z", "a model with a slash, as many have"),
    ("x", "y/z", "x//y/z", "an id with one"),
    ("", "x/y/z", "//x/y/z", "no model"),
    ("x", "/y/z", "x///y/z", "an id that begins with one"),
    ("x/", "y/z", "x%2F//y/z", "a model that ends with one"),
    ("http://h/x", "z", "http:%2F%2Fh%2Fx/z", "an address for a model"),
    ("http:%2F%2Fh%2Fx", "z", "http:%252F%252Fh%252Fx/z", "a model that looks like an encoded one"),
    ("", "z", "z", "the plain case"),
]


def test_no_two_pairs_of_model_and_id_have_one_name() -> None:
    for model, id, name, why in NAMES:
        assert answer_name(Answer(id, "text", model=model)) == name, why
    parts = ("", "x", "/", "x/", "/x", "x/x", "x//x", "%2F", "%252F", "x%2Fx", "//")
    names = [answer_name(Answer(id, "text", model=model)) for model in parts for id in parts if id]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Larkspur Bridge opened in 1931.", "the  larkspur bridge opened in 1931"),
        ("“Iron” is by Brandt’s aunt.", '"Iron" is by Brandt\'s aunt'),
        ("The U.S. team left.", "The US team left."),
        ("It ran from 1914–1918.", "It ran from 1914 - 1918."),
        ("A well-known bridge.", "A well known bridge."),
        ("Ｔｈｅ ﬁrst bridge", "The first bridge"),
        ("STRASSE", "Straße"),
        ("It was −5 °C.", "It was -5 °C."),
        ("It rose by 5 %.", "It rose by 5%."),
    ],
)
def test_what_differs_in_form_alone_folds_together(one: str, other: str) -> None:
    assert fold_claim(one) == fold_claim(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It weighs 3.5 kg.", "It weighs 35 kg."),
        ("It was -5 °C.", "It was 5 °C."),
        ("It rose by 5%.", "It rose by 5."),
        ("It rose by 5%.", "It rose by 5‰."),
        ("He writes C#.", "He writes C."),
        ("He writes C++.", "He writes C."),
        ("It costs $5.", "It costs €5."),
        ("It took 1/2 hour.", "It took 1-2 hours."),
        ("It opened at 10:30.", "It opened at 10.30."),
        ("The score was 3-2.", "The score was 32."),
        ("大桥于1931年通车。", "大桥于1932年通车。"),
        ("?!", "!?"),
    ],
)
def test_what_differs_in_meaning_stays_apart(one: str, other: str) -> None:
    assert fold_claim(one) != fold_claim(other)


SNIPPET = Snippet("S1", "t", "http://a.example", "x")


def test_given_claims_keep_their_ids_searches_and_labels() -> None:
    answer = Answer(
        "a1",
        "text",
        model="m",
        given=(
            GivenClaim("It is long."),
            GivenClaim("No verifiable claim."),
            GivenClaim("it is long", snippets=(SNIPPET,), reference_label="supported"),
            GivenClaim("It is old.", snippets=(), id="own-7"),
            GivenClaim("It is new.", id="own-7"),
        ),
    )
    pairs = given_claims(answer, exact=False)
    assert [claim.id for claim, _ in pairs] == ["m/a1#1", "own-7", "m/a1#3"]
    assert pairs[0][0].wordings == ("It is long.", "it is long")
    assert pairs[0][0].sentences == ()
    assert pairs[0][0].reference_label == pairs[0][1].reference_label == "supported"
    assert pairs[0][1].snippets == (SNIPPET,)
    assert pairs[1][1].snippets == ()
    assert pairs[2][1].snippets is None


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (("m/a1#2", None), ("m/a1#2", "m/a1#2'")),
        ((None, "m/a1#1"), ("m/a1#1'", "m/a1#1")),
        (("m/a1#2", "m/a1#2"), ("m/a1#2", "m/a1#2'")),
        (("m/a1#2", None, "m/a1#2'"), ("m/a1#2", "m/a1#2''", "m/a1#2'")),
    ],
)
def test_an_id_of_ours_never_is_one_that_the_file_gives(ids: tuple[str | None, ...], expected: tuple[str, ...]) -> None:
    """Outcomes are known by the id: two claims of one id would be one."""
    given = tuple(GivenClaim(f"Number {number} is long.", id=each) for number, each in enumerate(ids))
    pairs = given_claims(Answer("a1", "", model="m", given=given), exact=False)
    assert tuple(claim.id for claim, _ in pairs) == expected


def test_the_first_search_and_label_of_equal_given_claims_count() -> None:
    answer = Answer(
        "a1",
        "text",
        given=(
            GivenClaim("It is long.", snippets=(), reference_label="supported"),
            GivenClaim("It is long!", snippets=(SNIPPET,), reference_label="contradicted"),
        ),
    )
    ((claim, given_claim),) = given_claims(answer, exact=False)
    assert claim.reference_label == "supported"
    assert given_claim.snippets == ()
    assert len(given_claims(answer, exact=True)) == 2


def test_an_answer_without_given_claims_gives_none() -> None:
    assert given_claims(ANSWER, exact=False) == ()


# ---------------------------------------------------------------- warnings


def test_no_claim_from_a_long_answer_is_warned_of() -> None:
    """C11: an answer in another language must not vanish silently."""
    answer = Answer("a", "大桥于1931年通车。全长412米。它很长。它很旧。")
    (warning,) = extraction_warnings(answer, sentences=len(split_sentences(answer.response)), claims=0)
    assert "no verifiable claim" in warning
    assert "4 sentences" in warning


@pytest.mark.parametrize(
    ("why", "sentences", "claims", "unextracted", "abstained"),
    [
        ("claims were found", 9, 1, 0, False),
        ("it is short", 2, 0, 0, False),
        ("it declines", 9, 0, 0, True),
        ("failed sentences are told of by themselves", 9, 0, 1, False),
    ],
)
def test_other_answers_are_not_warned_of(
    why: str, sentences: int, claims: int, unextracted: int, abstained: bool
) -> None:
    answer = Answer("a", "It is.")
    assert not extraction_warnings(
        answer, sentences=sentences, claims=claims, unextracted=unextracted, abstained=abstained
    )


def test_an_answer_of_code_alone_is_warned_of() -> None:
    answer = Answer("a", "```py\nx = 1\n```")
    assert split_sentences(answer.response) == ()
    (warning,) = extraction_warnings(answer, sentences=0, claims=0)
    assert "no sentence" in warning


def test_a_sentence_of_its_own_can_be_asked() -> None:
    """Requests need nothing but sentences: those of another splitter serve as well."""
    (asked,) = extraction_requests(Answer("a", "x"), (Sentence(0, "It is.", 0),), qa="auto")
    assert excerpt(asked) == "<SOS>It is.<EOS>"

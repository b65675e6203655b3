"""Which answers decline as a whole."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from veriscore_agent.core.abstention import is_abstention

ABSTENTIONS = [
    "I'm sorry, I don't have information about that.",  # S01
    "I don't know.",
    "I’m sorry, but I can’t help with that.",
    "**I'm sorry, but I can't assist with that request.**",
    "Sorry, I cannot answer this question.",
    "I'm afraid I don't know the answer to that.",
    "I apologize, but I am unable to verify that claim.",
    "I have no information on this topic.",
    "No information is available.",
    "We do not have enough information to answer.",
    "I'm unable to say who built it.",
    "I am not aware of any bridge by that name.",
    "I do not have personal opinions. Is there anything else I can help you with?",
    "As an AI language model, I don't have access to real-time data. Please check a reliable source for news.",
    "Unfortunately, I couldn't find any information about Ada Verrin. If you provide more, I'd be happy to help!",
    "I'm not sure who you mean. Could you please clarify which bridge you are asking about?",
    "I'm just an AI assistant and I don't know who built the bridge. You may want to consult a local archive.",
    "I'm sorry for the confusion, but I don't have any details about the bridge. My knowledge cutoff is 2021. "
    "I recommend checking official sources.",
    "I cannot provide medical advice. It's best to consult a doctor.",
    "I don't have information about that, but I can help you look for other sources.",
    "I refuse to answer that.",
    "I must respectfully decline.",
    "I wasn't able to find anything about this.",
    "I am just an AI and can't answer that.",
    "It is not possible for me to answer this question.",
    "That information is not available to me.",
    "My apologies, but that is beyond my knowledge.",
    "I'm sorry, but as of my last update in 2023, I have no information on the Salka treaty.",
    "Lo siento, no tengo información sobre eso.",
    "Es tut mir leid, ich habe dazu keine Informationen.",
    "Je suis désolé, je ne dispose pas d'informations à ce sujet.",
    "抱歉，我没有关于这个问题的信息。",
    "申し訳ありませんが、その情報はわかりません。",
]

ANSWERS = [
    ("S02: sorry to say something is to say it", "I'm sorry to say the Larkspur Bridge closed in 1954."),
    ("S02: somebody else's refusal", '"I cannot let you pass," said the guard in the 1931 play.'),
    ("S02: an engineer, not a machine", "As an AI engineer, Verrin built it."),
    ("S04: a word of declining in a sentence of fact", "Insufficient funds closed the bridge in 1954."),
    ("declines and then answers", "I don't know who built it. The bridge opened in 1931."),
    ("declines and answers in one sentence", "I don't have information about that, but the bridge opened in 1931."),
    ("declines, and names a name all the same", "I don't know who built it; Verrin is often named, though."),
    ("apologises and answers", "I'm sorry, the bridge closed in 1954."),
    ("regrets and answers", "Unfortunately, the bridge closed in 1954."),
    ("a state of knowledge, and a fact", "As of my last update in 2023, the bridge was closed."),
    ("somebody's information", "That information is not available in the archive of Salka."),
    ("a refusal of something else", "I refuse to cross the Larkspur Bridge since 1931."),
    ("a short answer", "Paris."),
    ("a denial is an answer", "No."),
    ("a fact about lack of knowledge", "Little is known about his family life."),
    ("praise", "I cannot recommend the stew enough; it is wonderful."),
    ("feelings", "I can't tell you how much I loved Salka."),
    ("a title", "Sorry is a song by Ada Verrin."),
    ("courtesy alone declines nothing", "Thank you for your question!"),
    ("an offer alone declines nothing", "Should you need help, I'm here."),
    ("advice alone declines nothing", "You should cross the bridge at dawn."),
    ("a conditional fact", "If you cross the bridge, you reach Salka."),
    ("a story", "Once upon a time, a knight could not cross a bridge."),
    ("nothing at all", "  \n"),
]


@pytest.mark.parametrize("response", ABSTENTIONS)
def test_an_answer_that_only_declines_is_an_abstention(response: str) -> None:
    assert is_abstention(response)


@pytest.mark.parametrize(("why", "response"), ANSWERS, ids=[row[0] for row in ANSWERS])
def test_an_answer_that_says_something_is_none(why: str, response: str) -> None:
    assert not is_abstention(response)


def test_no_real_answer_with_labelled_claims_counts_as_declined(shared_data: Path) -> None:
    """All 113 answers of two benchmarks say something, some of them beside an apology."""
    for name in ("factcheck_bench_responses.jsonl", "factool_kbqa.jsonl"):
        for line in (shared_data / "data" / name).read_text(encoding="utf-8").splitlines():
            assert not is_abstention(json.loads(line)["response"])


@pytest.mark.parametrize(
    "response", ["I don't know. " * 5000, "I'm sorry, but sorry, " * 10_000, "I do not " * 2000, "for a-a-a " * 5000]
)
def test_a_long_answer_is_told_in_bounded_time(response: str) -> None:
    begun = time.process_time()
    is_abstention(response)
    assert time.process_time() - begun < 5

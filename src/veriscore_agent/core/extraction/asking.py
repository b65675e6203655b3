"""The request that asks for the claims of one sentence: a window of the answer with the sentence marked in it.

As in the VeriScore paper (arXiv 2406.19276, section 3.1): up to three sentences before, one after, the question in
front where there is one; without a question, the first sentence of a long text.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from veriscore_agent.domain import Answer, ModelRequest, Sentence
from veriscore_agent.prompts import load_prompt
from veriscore_agent.prompts.folder import PromptFolder, fill_template

Qa = Literal["auto", "always", "never"]

_BEFORE = 3
_AFTER = 1
_LONG_TEXT = 5
"""Number of sentences above which a text's first one is put in front."""
_MAX_NEIGHBOUR_CHARS = 400
_MAX_QUESTION_CHARS = 2000
_MARK = re.compile(r"<(/?(?:SOS|EOS))>", re.IGNORECASE)
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def answer_name(answer: Answer) -> str:
    """What an answer is called in ids and messages: ``model/id``, or ``id`` where no model is named.

    No two answers of one run share a name: an id that holds a slash itself stands after two of them (``model//a/b``,
    ``//a/b``), for the last single slash ends the model.
    """
    return joined_name(answer.model, answer.id)


def joined_name(model: str, name: str) -> str:
    """A name within a model, different for every pair: ``x/y`` and ``z``, and ``x`` and ``y/z``, are two."""
    if "//" in model or model.endswith("/") or "%" in model:
        model = model.replace("%", "%25").replace("/", "%2F")
    if "/" in name:
        return f"{model}//{name}"
    return f"{model}/{name}" if model else name


def extraction_requests(
    answer: Answer, sentences: tuple[Sentence, ...], *, qa: Qa, folder: PromptFolder | None = None
) -> tuple[ModelRequest, ...]:
    """One request for each sentence, in order.

    ``qa``: the question is shown where there is one (``auto``, ``always``) or never. An answer without a question is
    asked as plain text in any case. ``folder`` holds prompts of the user's own; what it lacks is the package's.
    """
    question = (answer.question or "").strip() if qa != "never" else ""
    leads = (None,) * len(sentences) if question else _leads(sentences)
    return tuple(
        _request(
            question=_as_data(_clip_middle(question)),
            excerpt=_excerpt(sentences, position, lead),
            sentence=_as_data(sentences[position].text),
            subject=f"{answer_name(answer)}, sentence {position + 1} of {len(sentences)}",
            folder=folder or PromptFolder(),
        )
        for position, lead in enumerate(leads)
    )


def _request(*, question: str, excerpt: str, sentence: str, subject: str, folder: PromptFolder) -> ModelRequest:
    system = load_prompt("extract_system.v1").text
    template = folder.extraction_qa_template if question else folder.extraction_text_template
    if template is not None:
        snippet = f"Question: {question}\nResponse: {excerpt}" if question else excerpt
        whole = "\n\n".join(filter(None, (template, folder.extraction_tail)))
        user = fill_template(whole, {"snippet": snippet, "sentence": sentence})
        return ModelRequest("extract", folder.extraction_system or system, user, subject=subject)
    # The code depends on the data alone: the same sentence always makes the same prompt.
    code = hashlib.sha256(f"{question}\0{excerpt}".encode()).hexdigest()[:12]
    values = {"code": code, "excerpt": excerpt, "sentence": sentence}
    if question:
        user = load_prompt("extract_qa.v1").render(question=question, **values)
    else:
        user = load_prompt("extract_text.v1").render(**values)
    return ModelRequest("extract", system, user, subject=subject)


def _leads(sentences: Sequence[Sentence]) -> tuple[int | None, ...]:
    """For each sentence, which one to put in front: the first of its paragraph where that is long, as in the paper;
    else the first of the answer where that is long, since list items and short paragraphs need it as much."""
    sizes = Counter(sentence.paragraph for sentence in sentences)
    first_of: dict[int, int] = {}
    for position, sentence in enumerate(sentences):
        first_of.setdefault(sentence.paragraph, position)
    whole = 0 if len(sentences) > _LONG_TEXT else None
    return tuple(
        first_of[sentence.paragraph] if sizes[sentence.paragraph] > _LONG_TEXT else whole for sentence in sentences
    )


def _excerpt(sentences: Sequence[Sentence], position: int, lead: int | None) -> str:
    """The window around a sentence, the sentence between its marks, headings in front of what they govern."""
    start = max(0, position - _BEFORE)
    shown = [*range(start, min(position + _AFTER + 1, len(sentences)))]
    if lead is not None and lead < start:
        shown.insert(0, lead)
    texts = {index: _shown_text(sentences[index].text, index - position) for index in shown}
    present = " ".join(" ".join(texts.values()).split())
    excerpt = ""
    governed: set[str] = set()
    for before, index in zip([None, *shown], shown, strict=False):
        headings = [part for part in sentences[index].context if part not in governed]
        headings = [part for part in headings if part.rstrip("…") not in present]
        governed.update(headings)
        text = f"<SOS>{texts[index]}<EOS>" if index == position else texts[index]
        runs_on = before is not None and not headings and sentences[before].paragraph == sentences[index].paragraph
        excerpt += (" " if runs_on else "\n") + "\n".join([*map(_as_data, headings), text])
    return excerpt.strip()


def _shown_text(text: str, distance: int) -> str:
    """A sentence as it stands in the window: whole if marked, else the end that lies towards the marked one."""
    if distance == 0 or len(text) <= _MAX_NEIGHBOUR_CHARS:
        return _as_data(text)
    if distance < 0:
        return "…" + _as_data(text[-_MAX_NEIGHBOUR_CHARS:])
    return _as_data(text[:_MAX_NEIGHBOUR_CHARS]) + "…"


def _clip_middle(question: str) -> str:
    """A question of bounded length: what is asked stands at its beginning or its end."""
    if len(question) <= _MAX_QUESTION_CHARS:
        return question
    half = _MAX_QUESTION_CHARS // 2
    return f"{question[:half]} […] {question[-half:]}"


def _as_data(text: str) -> str:
    """Text that can neither fake the marks nor break the request: half surrogate pairs become U+FFFD."""
    return _SURROGATE.sub("\ufffd", _MARK.sub(r"‹\1›", text))

"""Where text may hold a command at all: cheap looks at its words, so that only those places are read closely.

A command needs certain words beside each other. Text is cut into stretches, and the beginnings of their words are
looked up: no pattern is tried where they are missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce
from operator import or_

from veriscore_agent.core.instructions.folding import without_marks

_STRETCH = 300
"""Characters of a stretch. Commands lie within two neighbours: those that are known span less than one."""
_BEGINNING = 5
"""So many first letters of a word are looked at."""
_LONG_WORD = 24
"""From this length on a word may be Base64."""
_TABLE = bytes(
    b"oieastas"[b"013457@$".index(code)] if code in b"013457@$"
    else ord(chr(code).lower()) if code < 0x80 and (chr(code).isalnum() or code == ord("_")) else 0x20
    for code in range(256)
)  # fmt: skip
"""Lower case, digits for letters undone, every mark and every other alphabet a blank."""
_EMPHASIS = b"*`~"
_FOREIGN = re.compile(rb"[\xce-\xe1\xe3-\xef\xf3]")
"""Begins a character of another alphabet in UTF-8. Such text has no words here, and is read closely."""
_SPELLED = re.compile(r"(?<!\w)(?:\w[ .\-_/]){2,}[^\W\d](?!\w)")
_BASE64 = re.compile(rb"(?<![A-Za-z0-9+/])(?=[A-Za-z0-9+/]{24})[A-Za-z+/]*(?:[0-9]|[a-z][A-Z])")
_BLANK = re.compile(r"\s")
_SINGLES = re.compile(rb"(?: \w){2} ")


def _beginnings(words: str) -> frozenset[bytes]:
    return frozenset(word[:_BEGINNING].encode() for word in words.split())


_LABELS = frozenset((b"supported", b"supports", b"contradicted", b"contradicts", b"inconclusive"))
_VALUES = _beginnings("verified true confirmed factual correct false refuted unsupported proven accurate established")
_CLAIMS = _beginnings("claim claims part parts statement following finding verdict stance label everything")
_MODELS = _beginnings(
    "ai ais artificial llm llms gpt gpt4 gpta gpts gpt5 chatgpt claude gemini copilot chatbot assistant"
)
_KINDS = _beginnings(
    "virtual automated automatic digital machine based neural fact factchecker claim answer language large"
)
_ROLES = _beginnings(
    "assistant agent judge reviewer reader system factcheck checker checking crawler verifier verification grader "
    "evaluator annotator rater model models"
)
_CALLS = _beginnings(
    "dear hey hello attention note notice message instruction reminder hint memo warning important directive command "
    "request you this these must should shall please instructed required ordered asked told directed"
)
_TRIGGERS: tuple[tuple[frozenset[bytes], ...], ...] = (
    (_beginnings("ignore disregard forget override overrule bypass discard neglect"),),
    (_beginnings("follow"), _beginnings("not t stop"), _beginnings("instruction prompt directive rule rules order")),
    (
        _beginnings("instruction prompt override task tasks mode") | {b"directive", b"directives"},
        _beginnings("new updated hidden secret override admin developer system god debug jailbreak maintenance"),
    ),
    (
        _beginnings("begin beginning start end"),
        _beginnings("evidence system prompt user untrusted instruction context"),
    ),
    (_MODELS, _CALLS),
    (_KINDS, _ROLES, _CALLS),
    (_MODELS, _VALUES),
    (_KINDS, _ROLES, _VALUES),
    (_LABELS,),
    (
        _VALUES,
        _CLAIMS,
        _beginnings("mark label rate return output respond reply answer classify judge treat declare score report set"),
    ),
    (_VALUES, _beginnings("decision verdict label stance judgement classification final ground answer result")),
    (frozenset((b"referent_clear", b"referentclear", b"stance", b"inst")),),
    (_beginnings("part"), _beginnings("evidence stance quote")),
    (
        _beginnings("system assistant developer llm ai"),
        _beginnings("verified confirmed claim claims statement obey verdict"),
    ),
    (  # the same in other languages that are written in Latin letters
        _beginnings(
            "vergiss vergessen missachten beachten uberschreibe oublie tiens tenez neglige olvida caso descarta "
            "siga sigas dimentica esqueca desconsidere negeer vergeet zignoruj ignoruj zapomnij onceki"
        ),
        _beginnings(
            "anweisung anleitung vorgabe regel befehl prompt instruktion consigne regle directive indicacion "
            "reglas ordenes istruzioni regole indicazioni regras orientacoes diretrizes opdrachten aanwijzing "
            "polecenia zasad talimat yonerge regels"
        ),
    ),
    (
        _beginnings(
            "markiere bewerte melde antworte stufe kennzeichne betrachte gib geben werte marque reponds considere "
            "indique classe classez traite traitez juge jugez declare marca responde considera clasifica "
            "etiqueta indica informa trata trate segna segnate contrassegna rispondi classifica markeer "
            "beoordeel beschouw antwoord"
        ),
        _beginnings(
            "behauptung aussage teil teile these claim anspruch affirmation allegation declaration enonce partie "
            "assertion afirmacion parte partes enunciado aseveracion affermazione dichiarazione parti alegacao "
            "bewering stelling uitspraak deel"
        ),
        _beginnings(
            "gestutzt belegt wahr unterstutzt bestatigt widerlegt richtig falsch verifiziert vrai vraie soutenu "
            "confirme etaye verifie fausse faux contredit exact prouve verdadero respaldado apoyado verificado "
            "falso falsa falsos falsas cierto correcto probado supportato vera vero verdadeiro suportado "
            "comprovado ondersteund waar bevestigd juist onwaar weerlegd"
        ),
    ),
)
"""Groups of words, all of which a place must have one of."""


class _Signs(dict[bytes, int]):
    """A number for each word, with a bit for each group that it is of, remembered as the same words come again."""

    def __missing__(self, word: bytes) -> int:
        if len(self) > _REMEMBERED:
            self.clear()
        bits = _BITS.get(word, 0) | _BITS.get(word[:_BEGINNING], 0)
        if len(word) >= _LONG_WORD:
            bits |= _LONG
        self[word] = bits
        return bits


_GROUPS = tuple(dict.fromkeys(group for groups in _TRIGGERS for group in groups))
_BITS = {
    word: sum(1 << at for at, group in enumerate(_GROUPS) if word in group) for word in frozenset().union(*_GROUPS)
}
_NEEDED = tuple(tuple(1 << _GROUPS.index(group) for group in groups) for groups in _TRIGGERS)
_LONG = 1 << len(_GROUPS)
_REMEMBERED = 50_000
_signs = _Signs()


def suspected(text: str) -> Iterator[str]:
    """The places of ``text`` that are to be read closely, in order: neighbours, of which one or both are suspect."""
    text = without_marks(text)
    cuts, told, close = [0], 0, list[int]()
    while cuts[-1] < len(text):
        cuts.append(_end_of_stretch(text, cuts[-1]))
        here = _told(text[cuts[-2] : cuts[-1]])
        if here is None or _is_suspect(told | here):
            close.append(len(cuts) - 2)
        told = here or 0
    for first, last in _runs(close):
        yield text[cuts[max(0, first - 1)] : cuts[min(last + 2, len(cuts) - 1)]]


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """First and last of each run of numbers that follow each other."""
    for at, number in enumerate(numbers):
        if at == 0 or number - numbers[at - 1] > 1:
            first = number
        if at + 1 == len(numbers) or numbers[at + 1] - number > 1:
            yield first, number


def _end_of_stretch(text: str, start: int) -> int:
    """Where a word ends after so many characters."""
    if len(text) <= start + 2 * _STRETCH:
        return len(text)
    blank = _BLANK.search(text, start + _STRETCH, start + 2 * _STRETCH)
    return blank.start() if blank else start + 2 * _STRETCH


def _told(stretch: str) -> int | None:
    """The signs of its words, or None where it is written in a way that only reading closely undoes."""
    coded = stretch.encode("utf-8", "replace")
    if b"<" in coded or b"[/" in coded or (len(coded) > len(stretch) and _FOREIGN.search(coded)):
        return None
    words = coded.translate(_TABLE, _EMPHASIS)
    if _SINGLES.search(words) and _SPELLED.search(stretch):
        return None
    signs = reduce(or_, map(_signs.__getitem__, words.split()), 0)
    return None if signs & _LONG and _BASE64.search(coded) else signs


def _is_suspect(signs: int) -> bool:
    for bits in _NEEDED:
        for bit in bits:
            if not signs & bit:
                break
        else:
            return True
    return False

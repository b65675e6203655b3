"""Whether a claim's parts say all that the claim says: every number, name, date, negation and relation.

The check compares words, since nothing more can be checked without another model. A word of the claim is covered if
the parts hold it, a regular form of it, or another way to write the same number, negation or connective. English words
that carry nothing by themselves (articles, auxiliaries, most prepositions) are not asked for.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MAX_LEFT_OUT = 12
"""Words that are asked for by name; a list of parts that lacks more is about another claim."""

_SIGNS = str.maketrans({"%": " percent ", "$": " dollars ", "€": " euros ", "£": " pounds ", "’": "'", "‘": "'"})
_WORD = re.compile(r"\d+(?:[.,:]\d+)*(?:st|nd|rd|th|s)?\b|[^\W\d_](?:[^\W_]|['.](?=[^\W_]))*\.?|\d+")
_REWRITTEN = (
    (re.compile(r"\bnot only\b", re.IGNORECASE), ""),  # "not only A but also B" says A and B, and negates nothing
    (re.compile(r"\bUnited States(?: of America)?\b|\bU\.S\.A\.|\bUSA\b|\bU\.S\."), "US"),
    (re.compile(r"\bUnited Kingdom\b|\bU\.K\."), "UK"),
)
_NUMBER_SUFFIX = re.compile(r"^(\d.*?)(?:st|nd|rd|th|s)?$")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_UNSPACED_NEGATIONS = frozenset("不没沒無无未非")

_EMPTY_WORDS = """
a an the this that these those it its itself he him his himself she her hers herself they them their theirs themselves
we our you your i my who whom whose which what where when while there here one ones is are was were be been being am
has have had having do does did doing will would shall of in on at by for to from with as into onto upon about and or
but so than then out off up via per among within also too very such even just both respectively namely well currently
now today approximately roughly around nearly almost called named titled entitled known
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_NEGATION_WORDS = """
not no never none nor neither nobody nothing nowhere without cannot lack lacks lacked lacking fail fails failed failing
refuse refuses refused deny denies denied
"""
_NEGATIONS = frozenset(_NEGATION_WORDS.split())
_EQUALS = (
    "before prior earlier until preceding preceded precede",
    "after following later since subsequent subsequently followed",
    "because due cause causes caused owing result results resulted therefore thus",
    "during amid throughout",
    "except excluding besides apart",
    "only sole solely exclusively",
    "all every entire each everyone everything",
    "most majority mostly",
    "although though despite however",
    "if when provided",
    "may might could can possibly perhaps",
    "must required requires require mandatory",
    "over more above exceeds exceeding exceeded",
    "under less fewer below",
    "die dies died dying dead death",
    "born birth",
    "win wins won winner winning",
    "write writes wrote written writing writer",
    "begin begins began begun beginning start starts started starting",
    "find finds found founded founder founding",
    "make makes made making",
    "lead leads led leading leader",
    "buy buys bought buying",
    "sell sells sold selling",
    "hold holds held holding",
    "build builds built building",
    "give gives gave given giving",
    "take takes took taken taking",
    "know knows knew knowing",
    "become becomes became becoming",
    "say says said saying",
    "run runs ran running",
    "speak speaks spoke spoken",
    "choose chooses chose chosen",
    "use uses used using",
    "lie lies lay lying lain",
)
_GROUPS: dict[str, set[str]] = {}
for _line in _EQUALS:
    for _each in _line.split():
        _GROUPS.setdefault(_each, set()).update(_line.split())
_NUMBERS = {
    word: str(value)
    for line in (
        "zero - two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
        "eighteen nineteen twenty",
        "- first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    )
    for value, word in enumerate(line.split())
    if word != "-"
}
_NAME_ENDING_LIST = "s es n an ian ean ish ese i a e y ia ic ist ism"
_NAME_ENDINGS = frozenset(["", *_NAME_ENDING_LIST.split()])
_ENDING_LIST = """
d ed ing er ers or ors r rs ion ions tion tions ation ations al als ally ly ment ments ance ence ances ences ant ent
ants ents ies ied ity ities ous ive ively able ible ably ibly ists ize izes ized izing ise ises ised ising en t ner ned
ning ted ting ter led ling ler ped ping per
"""
_ENDINGS = _NAME_ENDINGS | frozenset(_ENDING_LIST.split())


@dataclass(frozen=True, slots=True)
class _Word:
    shown: str
    """As it stands in the text."""
    key: str
    """Folded: case, diacritics, dots and possessive gone; numbers in digits."""
    is_name: bool


def left_out(claim: str, parts: Iterable[str]) -> tuple[str, ...]:
    """The words of ``claim`` that ``parts`` together do not cover, as they stand there, in order, each once."""
    text = "\n".join(parts)
    offered = _words(text)
    keys = {word.key for word in offered}
    by_start: defaultdict[str, list[str]] = defaultdict(list)
    for key in keys:
        by_start[key[:2]].append(key)
    missing: dict[str, str] = {}
    for word in _asked_for(_words(claim)):
        # Two words of one stem share two characters at least.
        alike = by_start.get(word.key[:2], ())
        if not (keys & _GROUPS.get(word.key, {word.key}) or any(_same_stem(word, key) for key in alike)):
            missing.setdefault(word.key, word.shown)
    found = [*missing.values(), *_missing_negation(claim, text), *_missing_unspaced(claim, text)]
    return tuple(sorted(found, key=claim.find))[:MAX_LEFT_OUT]


def _words(text: str) -> list[_Word]:
    text = unicodedata.normalize("NFKC", text).translate(_SIGNS)
    for pattern, plain in _REWRITTEN:
        text = pattern.sub(plain, text)
    return [_word(match[0]) for match in _WORD.finditer(_UNSPACED.sub(" ", text))]


def _word(token: str) -> _Word:
    shown = token if re.fullmatch(r"(?:[^\W\d_]\.)+", token) else token.rstrip(".")
    decomposed = unicodedata.normalize("NFKD", shown.casefold())
    key = "".join(character for character in decomposed if not unicodedata.combining(character))
    if key[0].isdigit():
        plain = _NUMBER_SUFFIX.sub(r"\1", key)
        return _Word(shown, re.sub(r",(?=\d{3}(?!\d))", "", plain), is_name=False)
    key = re.sub(r"'s?$|'s$", "", key)
    if key.endswith("n't"):
        key = "not"
    key = key.replace(".", "").replace("'", "")
    return _Word(shown, _NUMBERS.get(key, key), is_name=shown[0].isupper())


def _asked_for(words: Sequence[_Word]) -> list[_Word]:
    """The words that have to be covered one by one; negations are counted instead."""
    is_english = any(word.key in _EMPTY for word in words)
    return [
        word
        for word in words
        if word.key not in _EMPTY and word.key not in _NEGATIONS and not _is_slight(word, is_english)
    ]


def _is_slight(word: _Word, is_english: bool) -> bool:
    """Initials with a dot, stray letters, and what are most likely function words of another language."""
    if word.key.isdigit():
        return False
    if len(word.key) == 1:
        return word.shown.endswith(".") or not word.is_name
    return not word.is_name and len(word.key) <= (2 if is_english else 3) and word.key not in _GROUPS


def _same_stem(word: _Word, key: str) -> bool:
    if not word.key[0].isalpha() or not key[0].isalpha():
        return False
    length = 0
    for left, right in zip(word.key, key, strict=False):
        if left != right:
            break
        length += 1
    if not word.key.isascii():
        return length >= max(2, -(-max(len(word.key), len(key)) * 3 // 5))
    endings = _NAME_ENDINGS if word.is_name else _ENDINGS
    return length >= 3 and word.key[length:] in endings and key[length:] in endings


def _missing_negation(claim: str, text: str) -> list[str]:
    """The claim's last negation, where the parts have fewer of them."""
    wanted, offered = _negations(claim), _negations(text)
    return [wanted[-1].shown] if len(offered) < len(wanted) else []


def _negations(text: str) -> list[_Word]:
    return [word for word in _words(text) if word.key in _NEGATIONS]


def _missing_unspaced(claim: str, text: str) -> list[str]:
    """Stretches of two characters or more, or a negation, of a script without spaces that the parts do not hold."""
    offered = set(text)
    marked = "".join(
        character if _UNSPACED.match(character) and character not in offered else " " for character in claim
    )
    return [stretch for stretch in marked.split() if len(stretch) > 1 or stretch in _UNSPACED_NEGATIONS]

"""Words of claims, parts and quotes as they are compared: folded, numbers in digits, forms of one stem alike.

The checks that use them ask of single pairs whether two words are the same one, and may take their time; ranking whole
pages goes by the coarser terms of ``core.passages``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

_SIGNS = str.maketrans({"%": " percent ", "$": " dollars ", "€": " euros ", "£": " pounds ", "’": "'", "‘": "'"})
_WORD = re.compile(r"\d+(?:[.,:]\d+)*(?:st|nd|rd|th|s)?\b|[^\W\d_](?:[^\W_]|['.](?=[^\W_]))*\.?|\d+")
_REWRITTEN = (
    (re.compile(r"\bnot only\b", re.IGNORECASE), ""),  # "not only A but also B" says A and B, and negates nothing
    (re.compile(r"\bUnited States(?: of America)?\b|\bU\.S\.A\.|\bUSA\b|\bU\.S\."), "US"),
    (re.compile(r"\bUnited Kingdom\b|\bU\.K\."), "UK"),
)
_NUMBER_SUFFIX = re.compile(r"^(\d.*?)(?:st|nd|rd|th|s)?$")
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""A character of a script that puts no spaces between words. Such text has no words here."""

_EMPTY_WORDS = """
a an the this that these those it its itself he him his himself she her hers herself they them their theirs themselves
we our you your i my who whom whose which what where when while there here one ones is are was were be been being am
has have had having do does did doing will would shall of in on at by for to from with as into onto upon about and or
but so than then out off up via per among within also too very such even just both respectively namely well currently
now today approximately roughly around nearly almost called named titled entitled known
"""
EMPTY = frozenset(_EMPTY_WORDS.split())
"""Keys of English words that carry nothing by themselves."""

_NEGATION_WORDS = """
not no never none nor neither nobody nothing nowhere without cannot lack lacks lacked lacking fail fails failed failing
refuse refuses refused deny denies denied
"""
NEGATIONS = frozenset(_NEGATION_WORDS.split())
"""Keys of words that deny."""

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
        "- first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth",
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
class Word:
    """One word or number of a text."""

    shown: str
    """As it stands in the text."""
    key: str
    """Folded: case, diacritics, dots and possessive gone; numbers in digits."""
    is_name: bool
    """Whether it begins with a capital letter, as the first word of a sentence does too."""


def words(text: str) -> list[Word]:
    """Every word and number of ``text`` in order, but for scripts without spaces."""
    text = unicodedata.normalize("NFKC", text).translate(_SIGNS)
    for pattern, plain in _REWRITTEN:
        text = pattern.sub(plain, text)
    return [_word(match[0]) for match in _WORD.finditer(UNSPACED.sub(" ", text))]


def content_words(found: Sequence[Word]) -> list[Word]:
    """Those that carry something of their own. Negations are left out: they are to be counted, not found."""
    is_english = any(word.key in EMPTY for word in found)
    return [
        word
        for word in found
        if word.key not in EMPTY and word.key not in NEGATIONS and not _is_slight(word, is_english)
    ]


class Vocabulary:
    """The words of a text, to be asked whether it holds another text's word in some form."""

    def __init__(self, found: Iterable[Word]) -> None:
        self._keys = {word.key for word in found}
        # Two words of one stem share two characters at least.
        self._by_start: defaultdict[str, list[str]] = defaultdict(list)
        for key in self._keys:
            self._by_start[key[:2]].append(key)

    def holds(self, word: Word) -> bool:
        """Whether the word is there, or another form of its stem, or another way to write the same connective."""
        if self._keys & _GROUPS.get(word.key, {word.key}):
            return True
        return any(_same_stem(word, key) for key in self._by_start.get(word.key[:2], ()))


def _word(token: str) -> Word:
    shown = token if re.fullmatch(r"(?:[^\W\d_]\.)+", token) else token.rstrip(".")
    return Word(shown, _key(shown), is_name=shown[0].isupper())


@lru_cache(maxsize=50_000)
def _key(shown: str) -> str:
    decomposed = unicodedata.normalize("NFKD", shown.casefold())
    key = "".join(character for character in decomposed if not unicodedata.combining(character))
    if key[0].isdigit():
        return re.sub(r",(?=\d{3}(?!\d))", "", _NUMBER_SUFFIX.sub(r"\1", key))
    key = re.sub(r"'s?$|'s$", "", key)
    if key.endswith("n't"):
        key = "not"
    key = key.replace(".", "").replace("'", "")
    return _NUMBERS.get(key, key)


def _is_slight(word: Word, is_english: bool) -> bool:
    """Initials with a dot, stray letters, and what are most likely function words of another language."""
    if word.key.isdigit():
        return False
    if len(word.key) == 1:
        return word.shown.endswith(".") or not word.is_name
    return not word.is_name and len(word.key) <= (2 if is_english else 3) and word.key not in _GROUPS


def _same_stem(word: Word, key: str) -> bool:
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
    # Endings may begin alike themselves, as those of "menstruation" and "menstrual" do.
    return any(word.key[stem:] in endings and key[stem:] in endings for stem in range(length, max(2, length - 2), -1))

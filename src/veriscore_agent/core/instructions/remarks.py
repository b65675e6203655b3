"""Talk of claims and verdicts: sentences that are about judging, and so are evidence of nothing.

Two words decide, one for what is judged or judges, one for what is said of it. One sentence in a thousand of the pages
that this was tried on has both.
"""

from __future__ import annotations

import re

_CLAIM = r"(?:claims?|statements?|assertions?|allegations?)"
_JUDGED = re.compile(
    rf"\b(?:(?:the|this|that|these|those|all|any|every|each|both|an?|of|about|on|following|above|approve|accept"
    rf"|reject|mark"
    rf"|rate|label|verify|confirm) (?:\w+ ){{0,3}}{_CLAIM}|{_CLAIM} (?:about|regarding|concerning|on|of|is|are|has"
    rf"|have|as|in)"
    r"|^claim|verdicts?|stances?|findings?|fact[ -]?check\w*|verif(?:ier|ication)s?|evaluat(?:or|es?|ing)s?|graders?"
    r"|judge?ments?|judged?|judges|language models?|llms?|chatbots?|bots|ais?|ai \w+|the model|assistant|prompts?"
    r"|instruct(?:ed|ions?)|your (?:\w+ )?(?:task|duty|job|answer|reply|policy|role|decision|guidelines)"
    r"|(?:every|each|all|both|any|three) parts?|parts? \d+|evidence|passages?|snippets?|search results?|output|print"
    r"|(?:this|only|above|present|following) (?:page|source|site|website|article|text|document)|other (?:pages"
    r"|sources|sites)"
    r"|labels?|(?:final|only|correct) answer|whoever|administrators?|operators?|operating|developers|human|user|tool)\b"
    r"|behauptung|aussagen?\b|sprachmodell|ki-system|affirmation|allegation|modeles? de langage|\bl'ia\b|afirmaci"
    r"|declaraci|modelos? de lenguaje|affermazion|dichiarazion|modell[oi] linguistic|afirmac(?:ao|oes)|alegac"
    r"|modelos? de linguagem|bewering|stelling\b|taalmodel|twierdzeni|утвержден|заявлен|языков\w+ модел"
    r"|说法|說法|陈述|陳述|声明|语言模型|語言模型"
    r"|ai ?模型|主張|言語モデル|記述|주장|진술|언어 ?모델|ادعاء|الادعاء|النموذج|दाव[ाे]|iddia"
)
_SAID = re.compile(
    r"\b(?:supported|supports?|contradict(?:s|ed)?|inconclusive|verified|verify|confirm(?:s|ed)?|true|false|correct"
    r"|accurate|refuted?|proven|proves?|proof|certified|approved?|reject(?:ed)?|valid|trusted|trust|trustworthy"
    r"|right|wrong"
    r"|accept(?:ed)?|backed|match(?:es)?|ignored?|disregard|affirmative|established|factual|reliable|authoritative"
    r"|full marks|stands|fact|must (?:find|say|treat|report|answer|write)"
    r"|should (?:find|say|treat|report|answer|write))\b"
    r"|bestatigt|belegt|zutreffend|\bwahr\b|\bfalsch\b|widerlegt|gestutzt|confirmee?s?\b|\bvraie?s?\b|verifiee?"
    r"|prouvee?"
    r"|\bfausses?\b|respaldad|verdader|confirmad|verificad|\bfals[oa]s?\b|comprovad|supportat|confermat|\bver[ao]\b"
    r"|bevestigd"
    r"|ondersteund|potwierdz|подтвержд|верн|истин|ложн|证实|證實|支持|属实|屬實|正确|正確|真实|矛盾|裏付け|真実|正しい|사실|지지"
    r"|확인|صحيح|مدعوم|सत्य|सही|dogru"
)
_ADVICE = re.compile(
    r"\b(?:treat|take|accept|regard|consider|assume|mark|count|rate|deem)\b(?:\W++[\w']++){0,8}?\W+(?:as|to be|is"
    r"|are)\W++"
    r"(?:\w++\W++){0,2}?(?:true|factual|verified|established|ground truth|fact|proven|confirmed|supported|correct"
    r"|settled|false)\b"
    r"|(?:^|[.!?:;] ?|\byou (?:must|should|shall|have to|need to|are to) )(?:answer|respond|reply|conclude|output"
    r"|say|report"
    r"|confirm|declare|insist|repeat|pretend)(?: back)? (?:only )?(?:that\b|with\b|[:\"'])"
    r"|\b(?:mark|call|rate|declare|deem|label)\b(?:\W++[\w']++){1,8}?\W+(?:true|supported|verified|confirmed"
    r"|contradicted|false)\b"
    # What stands behind "Claim:" was claimed, and is no statement of the page's own.
    r"|^claims?(?: \w+){0,2} ?:"
    r"|\byou\b.{0,80}\b(?:supported|contradicted|inconclusive)\b"
    r"|\b(?:cite|quote)\b.{0,40}\bas evidence\b|\bquote (?:this|the following|exactly)\b"
    r"|\bno (?:further |more )?(?:verification|checks?|checking|review) (?:is |are )?(?:required|needed|necessary)\b"
)
_DOUBTFUL = re.compile(
    r"(?:^|[.!?:;>] ?)(?:please |just |do not |don't )?(?:say|agree|ignore|trust|consider|approve|pass|return|stop"
    r"|mark|accept|conclude|confirm|reject|refute|deny|comply|obey|consult|proceed|choose|pick|treat|answer|reply"
    r"|respond|rate)\b|\byou (?:are|were|must|should|have|will|verify|check|judge|want|return)\b"
    r"|\byour (?:evaluation|developer)\b|\b(?:claim(?:s|ed|ant)?|statements?|yes|ok|pass(?:es)?|validated|holds?"
    r"|positive|sufficient|(?:were|are|if|when) asked about|question|query|rating|evaluation|results?:|comply"
    r"|ordered|obey|agree|exact|confidence|assert|in favou?r|acceptable|consensus|contradiction|robots?|users?"
    r"|assistant|checked|trust|guidance|instructions?|favou?rable|green (?:light|tick)|tick (?:the|a)|side with"
    r"|believe|doubt|settled|deem(?:ed)?|bypass(?:ed)?|vouch\w*|entail\w*|premise|hypothesis|thumbs up|full points"
    r"|policy|sign(?:ed)? off|the reviewer|further review|outcome|affirm\w*|score|disagree|machines?|programmers?"
    r"|(?:should|must|is to|are to|ought to) be|deserves?|anyone|anybody|those \w+ing|lenient|generous"
    r"|(?:top|full|good|high) (?:marks?|credit)"
    r"|thumbs|(?:a|all|is|quite) (?:perfect|fine)|waved through|reader|you will|you'll"
    r"|nothing more|working notes|reviewers?|ticked"
    r"|webpage|i command|new task|everything|whatever|opposite)\b|==|\b(?:stimmt|gilt|sage|exacte?|diga|di que"
    r"|klopt|zeg)\b|antworte|anweisung|repond|responde|\bciert[ao]|rispondi|powiedz|prawdziw|скажи|ответь|请|請|回答"
    r"|答え|판단|답하|أجب|बताए"
)
"""Where a sentence shares nothing with a part but names, one of these words is enough, too."""
_COMMON = re.compile(
    r"\b(?:in fact|facts?|right|support|match|established|human|label|finding|tool|print|judges|accept(?:ed)?)\b"
)
"""Words of these lists that any text may hold."""
_JUDGING_WORDS = re.compile(
    r"\b(?:supported|supports|contradict(?:s|ed)|inconclusive|verified|confirm(?:ed|s)?|true|correct|answer|verdict"
    r"|label|claim|check(?:ed)?|complete|output|mark|tool|result|yes|say|just|part|decision|final|fact|boxed|system"
    r"|admin|judge|false|refuted|proven|approved?|accept(?:ed)?|reject(?:ed)?|finding|stance|evidence|quote|page)s?\b"
)


_ASKING = (
    r"(?:give|tick|go|lean|nod|let|keep|take|put|make|say|treat|trust|agree|assume|consider|regard|remember|quote|cite"
    r"|copy|repeat|skip|stop|proceed|continue|reply|respond|choose|pick|select|conclude|decide|confirm|verify|do|don't"
    r"|follow|obey|comply|ignore|disregard|forget|leave|add|tell|declare|allow|permit|think|ask|kindly|wave"
    r"|accept|approve|move|write|mind|act|enter|prefer|favou?r|believe|deem|judge|rule|call|send|count|score|grade"
    r"|rate|mark)"
)
_ASKING_OR_NOUN = (
    r"(?:report|record|state|file|set|sign|stamp|pass|clear|award|grant|return|answer|log|note|use|apply|check|find"
    r"|see|print|output) (?:it|them|this|that|these|those|the|all|both|every|any|no|your|as|yes|an?|with|down|through"
    r"|on)"
)
_REQUEST = re.compile(
    rf"(?:^|[.!?:;—–] )[\"'(]?(?i:please |just |simply |now )?"
    rf"(?:(?i:{_ASKING})\b(?! ?[:|,]| [A-Z][a-z]+ (?:is|was|has|and|wrote))|(?i:{_ASKING_OR_NOUN})\b)"
    rf"|, (?:so |just |please |then )*(?:{_ASKING}|{_ASKING_OR_NOUN})\b(?! ?,)|\b[Pp]lease\b|\b[Kk]indly\b"
)
"""A clause that begins with a verb in its plain form. Capitals tell names: "Mark Twain wrote", "Tim Cook, Mark Lee"."""


def is_request(sentence: str) -> bool:
    """Whether a sentence, not folded, asks its reader to do something, whatever it is."""
    return bool(_REQUEST.search(sentence))


def is_remark(folded: str) -> bool:
    """Whether a sentence, folded, speaks of claims, their judges and verdicts."""
    return bool((_JUDGED.search(folded) and _SAID.search(folded)) or _ADVICE.search(folded))


def is_doubtful(folded: str) -> bool:
    """Whether a sentence, folded, may be about judging: by one such word alone."""
    rest = _COMMON.sub(" ", folded)
    return bool(_JUDGED.search(rest) or _SAID.search(rest) or _DOUBTFUL.search(rest))


def without_judging_words(folded: str) -> str:
    """What a sentence, folded, says beside the words of a verdict."""
    return _JUDGING_WORDS.sub(" ", folded)

"""Tells an answer that declines as a whole from one that says something.

Apologies alone prove nothing ("I'm sorry to say the bridge closed in 1954."), so every sentence has to be accounted
for: it declines, or it is the courtesy that goes with declining. One sentence of content makes it an answer.
"""

from __future__ import annotations

import re

from veriscore_agent.core.sentences import split_sentences

_APOSTROPHES = str.maketrans("’‘`´", "''''")
_EDGES = ' *_#>".!…'


def _any(*alternatives: str) -> str:
    return f"(?:{'|'.join(alternatives)})"


_LEAD_IN = _any(
    r"(?:unfortunately|regrettably|sadly|sorry|(?:my )?apologies|currently|honestly|therefore|thus|also|additionally"
    r"|as such|for now|that said|(?:please )?note that|at (?:this|the) (?:time|moment))\b[,.!:]?\s*(?:but\s+)?",
    r"(?:as of|based on) (?:my|the) [^,]{1,60},\s*",
    r"(?:well|no|hello|hi)[,.!]\s*",
    r"(?:i'm|i am|we're|we are)\s+(?:\w+\s+)?(?:sorry|afraid)\b(?:\s+for\s[^,.]*)?[,.!:]?\s*(?:but\s+|that\s+)?",
    r"(?:i|we)\s+(?:\w+\s+)?(?:apologi[sz]e|regret)\b(?:\s+for\s[^,.]*|\s+to\s+(?:say|inform you))?[,.!:]?\s*"
    r"(?:but\s+|that\s+)?",
    r"as an? (?:ai|artificial intelligence|(?:large )?language model)(?:[- ]\w+){0,3},?\s*",
)
"""What a sentence of declining may open with."""

_CANNOT = _any(
    r"can(?:not|'t| not)",
    r"could(?:n't| not)",
    r"w(?:on't|ill not)",
    r"would(?:n't| not)",
    r"(?: am|'m| are|'re| was) (?:not able|unable|not (?:allowed|permitted|equipped|designed|trained|programmed)) to",
    r" w(?:as|ere)n't able to",
    r"do(?:n't| not) have the \w+(?: \w+)? (?:to|needed to|required to)",
    r"(?:must|have to) decline to",
)
_DO = _any(
    r"help|assist|answer|provide|give|offer|share|supply|verify|confirm|determine|find|locate|access|browse|retrieve",
    r"comment|discuss|fulfill?|comply|complete|generate|create|write|produce|engage|respond|speculate|predict|identify",
    r"support|continue|do (?:that|this|so)|accommodate|process|look up|disclose|reveal|make|recall|guess|know|address",
    r"be (?:certain|sure)|advise|tell you (?:who|wh\w+|if|anything|more|the|about|that|exactly)",
    r"say (?:for|with|who|wh\w+|if|anything|more)|recommend (?:a|any|one|specific)",
)
_LACK = _any(
    r"d(?:o|id)(?:n't| not) (?:\w+ )?(?:know|have|recall|recogni[sz]e|possess|hold|find|see|understand)",
    r"do(?:n't| not) feel comfortable",
    r"have (?:no|not)|haven't|lack|found no|c(?:an|ould) find no|know (?:nothing|of no)",
    r"(?: am|'m| are|'re| was) (?:not (?:sure|aware|certain|familiar)|un(?:aware|sure|familiar|certain|able))",
    r"(?:must |have to )?(?:\w+ly )?decline|(?:would|'d) (?:rather|prefer) not|prefer not",
)
_DECLINE = re.compile(
    _any(
        rf"(?:i|we)\s*(?:\w+ly\s+)?(?:{_CANNOT}\s+(?:\w+ly\s+)?{_DO}|refuse to {_DO}|{_LACK})\b.*",
        r"(?:i'm|i am) (?:just |only |simply )?an? (?:ai|assistant|language model)\b[^,.;:]{0,40}?"
        rf" {_CANNOT} {_DO}\b.*",
        rf"it(?: is|'s) (?:not possible|impossible) for me to {_DO}\b.*",
        r"(?:this|that|the|such) (?:\w+ )?(?:information|data|answer)(?: is|'s) (?:not |un)available(?: to me)?",
        r"(?:there (?:is|are) )?no (?:\w+ ){0,3}(?:information|data|records?|answer)(?: is| are)? (?:available|found)"
        r"(?: to me)?(?: (?:on|about|for) (?:this|that|it))?",
        r"(?:this|that|it|the answer)(?: is|'s) (?:unknown to me|beyond my \w+|not something i (?:know|can)\b.*)",
        r"no (?:idea|comment|answer)|unknown|not sure|i?\s*dunno|don't know|n/a",
    ),
    re.IGNORECASE,
)
_COURTESY = re.compile(
    _any(
        r"",
        r"(?:i'm|i am) (?:just |only |simply )?(?:an? )?(?:ai|artificial|(?:large )?language model|assistant)\b.*",
        r"(?:my|the) (?:knowledge|training|data|information|responses?|purpose)\b.*",
        r"i (?:was|am|have been|'ve been) (?:only )?(?:trained|designed|programmed|created)\b.*",
        r"(?:please|kindly|feel free|let me know|do let me know|don't hesitate)\b.*",
        r"(?:thank you|thanks|i hope|i understand|i appreciate|good luck|i wish)\b.*",
        r"(?:i|we)(?:'d|'ll|'m| am| are| will| would| can| could)?(?: also| still| be| strongly| highly| always)*"
        r" (?:happy|glad|pleased|here|willing|recommend|suggest|advise|encourage|try|need|love|like to help|help)\b.*",
        r"(?:if|in case|should|unless|without|once) (?:you|there's|there is|more|further|additional)\b.*",
        r"(?:is|are) there (?:anything|something|any|another)\b.*",
        r"(?:can|could|would|will|may|do|did|what|which|how) (?:\w+ )?(?:you|i|we)\b.*\?",
        r"(?:you|one) (?:may|might|can|could|should|would|will)\b.*",
        r"(?:it is|it's|it would be|it may be|it might be) (?:\w+ )?(?:best|better|advisable|recommended|helpful)\b.*",
        r"(?:for|to (?:get|find|obtain|learn|know)) (?:[\w-]+,? ){0,6}(?:information|details|answers?|help|advice)\b.*",
        r"(?:consider|try|check|consult|contact|visit|refer|search|look|ask|seek)(?:ing)?\b.*",
    ),
    re.IGNORECASE,
)
_TURN = re.compile(
    r"[,;–—]?\s+(?:but|however|although|though|while|whereas|yet)\b,?\s*|;\s*|,?\s+(?:and|so)\s+(?=(?:i|we)\b)",
    re.IGNORECASE,
)
"""Where a sentence may turn from declining to saying something after all."""

_OTHER_LANGUAGES: tuple[tuple[str, str], ...] = (
    (
        r"(?:es tut mir \w*\s?leid|tut mir leid|leider|entschuldigung)\b.*\b(?:nicht|keine?n?)\b.*"
        r"|ich (?:weiß (?:\w+ )?nicht|habe (?:\w+ ){0,2}keine|kann (?:\w+ ){0,4}nicht).*",
        r"wenn|falls|gerne?|bitte|ich (?:helfe|empfehle|bin)|haben sie|kann ich|es tut mir",
    ),
    (
        r"(?:(?:je suis )?désolée?|malheureusement|je regrette)\b.*\b(?:ne|n')\b.*\b(?:pas|aucune?)\b.*"
        r"|je (?:ne |n')(?:sais pas|peux pas|dispose pas|ai (?:pas d'|aucune )).*",
        r"si vous|n'hésitez|puis-je|je (?:vous|suis|peux)|veuillez",
    ),
    (
        r"(?:lo siento|lamentablemente|desafortunadamente|disculpa)\b.*\bno (?:puedo|tengo|sé|dispongo)\b.*"
        r"|no (?:tengo información|lo sé|puedo (?:ayudar|responder|proporcionar)).*",
        r"si (?:tiene|necesita)|por favor|¿|puedo|estoy|lo siento|(?:te|le) recomiendo",
    ),
    (
        r"(?:desculpe?|sinto muito|infelizmente|lamento)\b.*\bnão (?:posso|tenho|sei|consigo)\b.*"
        r"|(?:eu )?não (?:tenho informaç|sei|posso (?:ajudar|responder)).*",
        r"se (?:você|precisar)|por favor|posso|estou|sinto muito",
    ),
    (
        r"(?:mi dispiace|purtroppo)\b.*\bnon (?:posso|ho|so|sono)\b.*"
        r"|non (?:ho informazioni|lo so|posso (?:aiutar|risp)).*",
        r"se (?:hai|ha)|per favore|posso|mi dispiace",
    ),
    (
        r"(?:извините|к сожалению|простите)\b.*\b(?:не могу|не знаю|нет)\b.*"
        r"|(?:я )?не (?:знаю|могу (?:помочь|ответить)).*",
        r"если|пожалуйста|я (?:могу|буду)|извините",
    ),
    (
        r"(?:很|非常)?(?:抱歉|对不起|對不起|遗憾|不好意思).*(?:没有|沒有|无法|無法|不能|不知道|不了解).*"
        r"|我(?:不知道|无法|無法|不能(?:提供|回答|帮)|(?:没有|沒有).{0,20}(?:信息|資訊)).*",
        r"如果|请|請|您可以|你可以|建议|有什么|抱歉",
    ),
    (
        r".*(?:申し訳|すみません).*(?:ません|できない).*|.{0,30}(?:わかりません|分かりません|お答えできません|情報がありません)。?",
        r"もし|他に|ご了承|何か|申し訳",
    ),
    (r".*(?:죄송|미안).*(?:없습니다|못합니다|모릅니다).*|(?:잘 )?모르겠습니다\.?", r"다른|혹시|죄송"),
)
"""Declining and courtesy in some other languages."""
_DECLINE_ELSEWHERE = re.compile(_any(*(decline for decline, _ in _OTHER_LANGUAGES)), re.IGNORECASE)
_COURTESY_ELSEWHERE = re.compile(_any(*(courtesy for _, courtesy in _OTHER_LANGUAGES)), re.IGNORECASE)
_OPENING = re.compile(rf"{_LEAD_IN}*", re.IGNORECASE)


def is_abstention(response: str) -> bool:
    """Whether the whole answer declines: at least one sentence does, and all others are apologies and offers of help.

    Meant for answers without any claim; an answer that says anything about the world is no abstention.
    """
    sentences = [_folded(sentence.text) for sentence in split_sentences(response)]
    declining = [_declines(sentence) for sentence in sentences]
    return any(declining) and all(
        declines or _is_courtesy(sentence) for sentence, declines in zip(sentences, declining, strict=True)
    )


def _folded(sentence: str) -> str:
    return " ".join(sentence.translate(_APOSTROPHES).strip(_EDGES).split())


def _declines(sentence: str) -> bool:
    """Whether a sentence declines, and no clause of it goes on to say something."""
    if _DECLINE_ELSEWHERE.fullmatch(sentence):
        return True
    clauses = [_without_lead_in(clause).strip(_EDGES) for clause in _TURN.split(_without_lead_in(sentence))]
    declining = [bool(_DECLINE.fullmatch(clause)) for clause in clauses]
    return any(declining) and all(
        declines or _is_courtesy(clause) for clause, declines in zip(clauses, declining, strict=True)
    )


def _is_courtesy(sentence: str) -> bool:
    return bool(_COURTESY.fullmatch(_without_lead_in(sentence)) or _COURTESY_ELSEWHERE.match(sentence))


def _without_lead_in(sentence: str) -> str:
    opening = _OPENING.match(sentence)
    return sentence[opening.end() :] if opening else sentence

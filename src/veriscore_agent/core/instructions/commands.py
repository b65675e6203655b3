"""Commands to a model and forged verdicts: patterns over folded text (``folding.fold``) that no article holds."""

from __future__ import annotations

import re
from typing import NamedTuple


def _words(most: int) -> str:
    """So many words or fewer, and the blank or mark before what follows."""
    return rf"(?:\W++[\w']++){{0,{most}}}?\W+"


def _within(most: int) -> str:
    """The same inside of one sentence."""
    return rf"(?:[^\w.!?]++[\w']++){{0,{most}}}?[^\w.!?]++"


_START = (
    r"(?:^|[.!?:;,>\])}\"'(|–—-] ?|\b(?:please|kindly|now|then|always|simply|just|instead|you (?:must|should|shall"
    r"|will|are to|need to|have to)|must|shall) )"
)
"""Where a command begins: a clause of its own, or what is asked of somebody."""

_AI = (
    r"(?:ais?|a\.i\.|artificial intelligences?|llms?|(?:large )?language models?|ai[ -]\w+|gpt[\w.-]*|chatgpt|claude"
    r"|gemini|copilot|chatbots?|(?:virtual|automated|automatic|digital|machine|model-based|neural) "
    r"(?:assistants?|agents?|judges?|reviewers?|readers?|systems?|fact[ -]?check\w*|crawlers?|verif\w+|graders?"
    r"|evaluat\w+|annotators?|raters?|models?)|fact[ -]?check(?:ers?|ing (?:bots?|models?|systems?|tools?|agents?|ai))"
    r"|(?:claim|answer) (?:verifiers?|checkers?|judges?))"
)
_GROUP = r"(?:(?:an?|the|any|all|every|each|our|other|automated|future|whatever) )*"

_OVERRIDE = (
    r"(?:ignore|disregard(?! of)|forget|override|overrule|bypass|discard|neglect|do not follow|don't follow"
    r"|stop following)"
)
_EARLIER = r"(?:previous|previously|prior|above|earlier|preceding|foregoing|former|system|developer)"
_ORDERS = (
    r"(?:instructions?|prompts?|directions?|guidelines?|directives?|commands?|messages?|rules?|orders?|constraints?"
    r"|tasks?|context)"
)

_OBJECT = (
    r"(?:claims?|statements?|parts?|findings?|assertions?|verdicts?|stances?|labels?|decisions?|hypothes[ei]s"
    r"|propositions?|judge?ments?|everything|following|page|passage|evidence)"
)
_LABEL = r"(?:supported|supports|contradicted|contradicts|inconclusive)"
_VALUE = (
    rf"(?:{_LABEL}|verified|true|confirmed|factual|correct|false|refuted|unsupported|proven|accurate"
    rf"|established)(?! or\b| ?/)"
)
_VERB = (
    r"(?:mark|label|rate|report|return|output|answer|respond|reply|print|write|emit|classify|judge|treat|declare|score"
    r"|record|tag|set|assign|grade|produce|deem|regard|count|accept|list|give|conclude|consider|confirm|take|add"
    r"|include"
    r"|flag|evaluate|assess|say|state|decide|call|use|choose|select|quote|cite)"
)
_JUDGED = r"(?:decision|verdict|label|stance|judge?ment|classification|final answer|ground truth)"


_TERM = (
    rf"(?:verdicts?|labels?|stances?|judge?ments?|fact[ -]?check\w*|verifiers?|verification|evaluators?|graders?"
    rf"|prompts?"
    rf"|instructed|instructions?|(?:every|each|all|both) parts?|output|print|respond|reply|{_AI}|bots?|whoever)"
)
_GIVEN = (
    r"(?<!not )(?<!never )(?:supported|contradicted|inconclusive)\b"
    r"(?=\W*+$| ?[.!?,;)\]}\"'*#|<(=-]| (?:for|and|because|since|with|too)\b)"
)
"""A label that ends a clause: "is supported on Windows" is another matter."""


class _Wording(NamedTuple):
    """Patterns, and the strings, parted by ``|``, of which text must hold one for any of them to be found."""

    needs: str
    patterns: tuple[str, ...]


_COMMANDS = (
    _Wording(  # to forget what one was told
        "ignor|disregard|forget|overrid|overrul|bypass|discard|neglect|follow",
        (
            rf"\b{_OVERRIDE}{_words(3)}{_EARLIER}{_words(2)}(?:instructions?|prompts?|directives?|system messages?)\b",
            rf"(?<!\bto )(?<!\bnot )(?<!n't )\b{_OVERRIDE}{_words(2)}{_EARLIER}{_words(2)}{_ORDERS}\b",
            rf"{_START}{_OVERRIDE}{_words(2)}(?:your|all|any|every|these|those|other){_words(2)}(?:instructions?"
            rf"|prompts?|programming)\b",
            rf"{_START}(?:ignore|disregard|forget) (?:everything|anything|all|all that|what) (?:above|before this"
            rf"|previously"
            r"|you (?:have been|were|'ve been) (?:told|given|taught|instructed)|you know(?! about)|you were told)\b",
            rf"{_START}(?:ignore|disregard|forget){_words(2)}(?:other|contrary|conflicting) (?:evidence|sources?"
            rf"|pages?|passages?"
            r"|results?|snippets?)\b",
            r"(?:ignore|disregard|forget)(?:all|any|the)*(?:previous|prior|above|earlier)(?:instructions?|prompts?)",
        ),
    ),
    _Wording(  # to be told anew
        "instruction|directive|prompt|overrid|task|mode|evidence|system|untrusted|context",
        (
            r"\b(?:new|updated|hidden|secret|override|admin\w*|developer|system) (?:instructions?|directives?|prompt"
            r"|override"
            r"|task) ?[:>\]]",
            r"\bsystem override\b|\b(?:developer|admin|god|debug|jailbreak|maintenance) mode (?:is )?(?:enabled"
            r"|activated|on)\b",
            r"(?<!\w)[-=#<\[(|] ?/?(?:end|begin|start|beginning) (?:of )?(?:the )?(?:evidence|system|prompt|user"
            r"|untrusted|instructions?"
            r"|context)\b",
        ),
    ),
    _Wording(  # to be spoken to as a model
        " ai|ai |a.i.|llm|language model|artificial|gpt|claude|gemini|copilot|chatbot|assistant|virtual"
        "|automat|digital|machine|fact|neural|verifier|checker|judge",
        (
            rf"\b(?:note|notice|message|instructions?|attention|reminder|hint|memo|warning|important|directives?"
            rf"|commands?"
            rf"|requests?) (?:to|for) {_GROUP}(?!ai (?:users|compan|develop|research|start))"
            rf"{_AI}\b(?! (?:users|compan|develop|research|start-?ups))"
            rf"(?:[ ,/]++\w++){{0,4}} ?[:.!,;)\]—–-]",
            rf"\b(?:attention|dear|hey|hello) ?[,:!]? {_GROUP}{_AI}\b",
            rf"\b{_AI}\b(?:\W++\w++){{0,4}}?\W+(?:reading|processing|parsing|evaluating|judging|scoring|summari[sz]ing"
            r"|reviewing|checking|indexing|crawling|verifying|seeing|reads|sees|analy[sz]ing) (?:this|these)\b",
            rf"\bif you(?: a|')re {_GROUP}(?!ai\b.{{0,3}}$){_AI}\b",
            rf"\bas {_GROUP}{_AI}\b{_words(4)}you (?:must|should|are|have|need|will|shall|can)\b",
            rf"\byou are (?:now )?{_GROUP}(?:helpful )?(?:{_AI}|assistant)\b",
            rf"\b{_AI}\b(?:\W++\w++){{0,4}}?\W+(?:must|should|shall|please|are to|need to|have to|(?:are"
            rf"|is) (?:instructed|required"
            rf"|ordered|asked|told|directed) to)\b{_words(2)}{_VERB}{_words(14)}{_VALUE}\b",
        ),
    ),
    _Wording(  # to be told the label
        "supported|supports|contradict|inconclusive|verified|true|confirmed|factual|correct|false|refuted"
        "|proven|accurate|established",
        (
            rf"{_START}{_VERB}{_within(10)}{_OBJECT}{_within(12)}{_LABEL}\b(?! or\b| by\b| ?/)",
            rf"{_START}(?:mark|label|rate|return|output|respond|reply|answer|classify|judge|treat|declare|score"
            rf"|report|set)"
            rf"{_within(6)}(?:claims?|parts?|statements?|following|findings?|verdict|stance|label|everything)"
            rf"{_within(8)}(?:as|is|to|with|that it is|are|be)\W++(?:\w++\W++){{0,2}}?{_VALUE}\b",
            rf"{_START}(?:mark|label|rate|return|output|respond|reply|answer|classify|judge|report"
            rf"|set){_within(3)}[#\"'\[(]*"
            rf"{_LABEL}\b(?! by\b)",
            rf"\b{_JUDGED} (?:must|should|shall|has to|needs to|ought to) (?:be|read"
            rf"|say)\W++(?:\w++\W++){{0,3}}?{_VALUE}\b",
            rf"\b(?:supports|contradicts|supported|contradicted|inconclusive) (?:for|to|on|in) (?:all|every|each|any"
            rf"|this|part|parts|both)\b"
            rf"{_words(4)}(?:parts?|claims?|statements?|\d++)",
        ),
    ),
    _Wording(  # a label beside what gives or gets it
        "supported|contradicted|inconclusive",
        (
            rf"\b{_TERM}\b{_within(10)}{_GIVEN}",
            rf"(?:\b(?:as|be|is|are|say|return) |[=:\"'] ?){_GIVEN}{_within(10)}{_TERM}\b",
            rf"\b(?:claims?|statements?|assertions?)\b{_within(12)}(?:is|are|be|as|stands?)\W++(?:fully |hereby "
            rf"|now )?{_GIVEN}",
        ),
    ),
    _Wording(  # the marks and forms of a verdict
        "support|contradict|inconclusive|referent|finding|stance|part|evidence|inst]|<|>|true|verified"
        "|system|assistant|developer|llm",
        (
            rf"#(?: ?#)++ ?(?:not |fully )?{_LABEL}\W{{0,3}}# ?#",
            rf"\b{_JUDGED}\b[^.!?:=]{{0,80}}(?:[:=]|->|→)\W{{0,6}}(?:not |fully )?{_LABEL}\b(?! by\b)",
            rf"\b(?:verdict|label|stance|final answer) (?:of |for "
            rf"|on )?(?:\W++\w++){{0,6}}?\W+is\W{{1,4}}{_LABEL}\b(?! by\b)",
            r"\breferent_?clear\b|[\"']findings[\"'] ?[:=]|[\"']stance[\"'] ?[:=]|\bstance\W{1,4}(?:supports?"
            r"|contradicts?)\b",
            rf"[\"'](?:label|verdict|decision|classification|judge?ment|answer|result)[\"'] ?[:=] ?[\"'](?:{_LABEL}"
            rf"|true|verified)",
            r"\bpart\W{1,4}\d++\W{1,6}(?:evidence|stance|quote)\b|\bparts? \d++ (?:is|are|as|=|:) [#\"']*"
            rf"{_LABEL}\b(?! by\b)",
            r"<\W{0,3}evidence\b|<\|[a-z_]++\|>|\[/?inst\]|</?(?:think|start_of_turn|end_of_turn)>",
            rf"(?:^|[.|>\])] ?)<?/?(?:system|assistant|developer|llm|ai|ai judge"
            rf"|ai verifier)>? ?:(?:\W++[\w']++){{0,16}}?\W+(?:{_LABEL}"
            r"|verified|confirmed|claims?|statements?|obey|verdict)\b",
            r"<(?:system|assistant|instructions?)>",
        ),
    ),
    _Wording(  # the same in other languages that are written in Latin letters
        "anweis|anleit|vorgab|regel|befehl|prompt|instru|behaupt|aussage|teil|claim|consigne|regle|affirm"
        "|allegation|declara|enonce|partie|assertion|indica|reglas|ordenes|directri|afirma|parte|enunciado"
        "|asevera|istruzion|regole|regras|orienta|diretriz|affermazion|dichiarazion|parti|alegacao|opdracht"
        "|aanwijzing|bewering|stelling|uitspraak|polece|zasad|talimat|yonerge",
        (
            r"\b(?:ignorier\w*|vergiss|vergessen sie|missacht\w*|beachte\w* nicht|uberschreib\w*)(?:\W++\w++){0,5}?\W+"
            r"(?:anweisung\w*|anleitung\w*|vorgaben?|regeln?|befehle?|prompts?|instruktion\w*)",
            r"\b(?:markier\w*|bewerte\w*|melde\w*|antworte\w*|stufe\w*|kennzeichne\w*|betrachte\w*|gib|geben sie"
            r"|werte\w*)"
            r"(?:\W++\w++){0,10}?\W+(?:behauptung\w*|aussagen?|teile?|these|claim|anspruch)(?:\W++\w++){0,10}?\W+"
            r"(?:gestutzt|belegt|wahr|unterstutzt|bestatigt|widerlegt|richtig|falsch|verifiziert)\b",
            r"\b(?:ignore[zr]?|oublie[zr]?|ne (?:tiens|tenez) pas compte|neglige[zr]?)(?:\W++\w++){0,6}?\W+"
            r"(?:instructions?|consignes?|regles?|directives?)\b(?!\W+(?:on|to|for)\b)(?=.{0,30}(?:precedent"
            r"|anterieur|ci-dessus|initial))",
            r"\b(?:marque[zr]?|repond(?:s|ez|re)|considere[zr]?|indique[zr]?|classe[zr]?|traite[zr]?|juge[zr]?"
            r"|declare[zr]?)"
            r"(?:\W++\w++){0,8}?\W+(?:affirmation|allegation|declaration|enonce|partie"
            r"|assertion)s?(?:\W++\w++){0,10}?\W+"
            r"(?:vraie?s?|soutenue?s?|confirmee?s?|etayee?s?|verifiee?s?|fausses?|faux|contredite?s?|exacte?s?"
            r"|prouvee?s?)\b",
            r"\b(?:ignor[ae]n?|olvid[ae]n?|haz caso omiso|hagan? caso omiso|descart[ae]n?"
            r"|no sig[ua]s?)(?:\W++\w++){0,5}?\W+"
            r"(?:instrucci\w+|indicaci\w+|reglas|ordenes|directrices)\b",
            r"\b(?:marc[ae]|marque|respond[ae]|consider[ae]|clasific[ae]|clasifique|etiquet[ae]|indic[ae]|indique"
            r"|declar[ae]"
            r"|inform[ae]|trat[ae])(?:\W++\w++){0,8}?\W+(?:afirmaci\w+|declaraci\w+|partes?|enunciado|aseveraci\w+)"
            r"(?:\W++\w++){0,10}?\W+(?:verdader[ao]s?|respaldad[ao]s?|apoyad[ao]s?|confirmad[ao]s?|verificad[ao]s?"
            r"|fals[ao]s?"
            r"|ciert[ao]s?|correct[ao]s?|probad[ao]s?)\b",
            r"\b(?:ignora(?:te)?|ignori|dimentica(?:te)?|ignore|esqueca|desconsidere|ignorem)(?:\W++\w++){0,5}?\W+"
            r"(?:istruzioni|regole|indicazioni|instrucoes|regras|orientacoes|diretrizes)\b",
            r"\b(?:segna(?:te)?|contrassegna(?:te)?|rispondi|considera(?:te)?|classifica(?:te)?|marque|responda"
            r"|considere"
            r"|classifique|trate)(?:\W++\w++){0,8}?\W+(?:affermazion[ei]|dichiarazion[ei]|parte|parti|afirmacao"
            r"|afirmacoes"
            r"|alegacao|declaracao|partes)(?:\W++\w++){0,10}?\W+(?:supportat[ae]|ver[ae]|confermat[ae]|verificat[ae]"
            r"|fals[ae]"
            r"|verdadeir[ao]s?|apoiad[ao]s?|suportad[ao]s?|confirmad[ao]s?|verificad[ao]s?|comprovad[ao]s?)\b",
            r"\b(?:negeer|vergeet)(?:\W++\w++){0,5}?\W+(?:instructies?|opdrachten|regels|aanwijzingen)\b"
            r"|\b(?:markeer|beoordeel|beschouw|antwoord)(?:\W++\w++){0,8}?\W+(?:bewering\w*|stelling\w*|uitspraak|deel)"
            r"(?:\W++\w++){0,8}?\W+(?:ondersteund|waar|bevestigd|juist|onwaar|weerlegd)\b",
            r"\b(?:zignoruj|ignoruj|zapomnij)(?:\W++\w++){0,5}?\W+(?:instrukcj\w+|polece\w+|zasad\w*)"
            r"|\bonceki(?:\W++\w++){0,3}?\W+(?:talimat\w*|yonerge\w*)(?:\W++\w++){0,3}?\W+(?:yok say\w*|unut\w*"
            r"|gormezden)",
        ),
    ),
    _Wording(  # and in others
        "инструкц|указани|правил|команд|утвержден|заявлен|част|指|命令|规则|規則|提示|标|標|判|回答|视为|視為|输出|輸出|认|認|プロンプト"
        "|ルール|主張|クレーム|記述|パート|部分|지시|명령|지침|프롬프트|주장|진술|부분|تعليمات|اوامر|قواعد|निर्देश",
        (
            r"(?:игнориру|проигнорируи|забуд|отбрось)\w*(?:\W++\w++){0,5}?\W+(?:инструкц|указани|правил|команд)",
            r"(?:отметь|пометь|считаи|ответь|оцени|признаи|укажи)\w*(?:\W++\w++){0,8}?\W+(?:утвержден|заявлен|част)\w*"
            r"(?:\W++\w++){0,8}?\W+(?:подтвержд|верн|правд|поддерж|истин|ложн|опроверг)",
            r"(?:忽略|无视|無視|忽視|忘记|忘記|不要理会).{0,16}(?:指令|指示|说明|說明|规则|規則|提示|命令)",
            r"(?:标记|标为|标注|判定|判断|判为|回答|视为|输出|认定|標記|標註|判為|視為|輸出|認定).{0,24}"
            r"(?:支持|属实|屬實|正确|正確|真实|真實|成立|证实|證實|矛盾|错误|錯誤|为真|為真)",
            r"(?:指示|命令|プロンプト|ルール|指令).{0,8}(?:無視|忘れ)|(?:主張|クレーム|記述|パート|部分).{0,20}"
            r"(?:支持|真実|正しい|裏付け|事実|矛盾).{0,20}(?:してください|せよ|しなさい|判定|回答|マーク|ラベル|報告|出力)",
            r"(?:이전|앞선|위의|기존).{0,12}(?:지시|명령|지침|프롬프트).{0,10}(?:무시|잊)|(?:주장|진술|부분).{0,20}"
            r"(?:지지|사실|참으로|확인|모순).{0,16}(?:표시|답하|판단하|출력|간주)",
            r"(?:تجاهل|انس|تجاهلوا).{0,24}(?:تعليمات|التعليمات|اوامر|الاوامر|قواعد)|(?:पिछले|पूर्व"
            r"|सभी).{0,16}(?:निर्देश).{0,16}"
            r"(?:अनदेखा|भूल|नजरअंदाज)",
        ),
    ),
)

_NEEDED_AND_PATTERN = tuple(
    (wording.needs.split("|"), re.compile("|".join(f"(?:{pattern})" for pattern in wording.patterns)))
    for wording in _COMMANDS
)


def find_command(folded: str) -> str:
    """The first words of ``folded`` that are a command or a forged verdict, or nothing."""
    for needed, pattern in _NEEDED_AND_PATTERN:
        if any(word in folded for word in needed) and (found := pattern.search(folded)):
            return found[0]
    return ""

"""What pages say that are no evidence, in the words of those who write them.

Apostrophes are straight and the text is one sentence, line or title. A phrase is anchored or long enough not to stand
in a sentence about something else.
"""

from __future__ import annotations

import re


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


CHALLENGE = _any_of(
    r"^\W*just a moment\b.{0,3}$",
    r"^\W*(?:ein(?:en)? moment|un momento|un instant|um momento|しばらくお待ちください|请稍候)\W*$",
    r"checking (?:if the site connection is secure|your browser)",
    r"\bverifying (?:that )?(?:you are|your (?:browser|connection|request))\b",
    r"(?:verify|confirm|prove|make sure|checks?)(?:ing)? (?:that |to see if )?(?:you're|you are|it's really you)\b"
    r".{0,60}\b(?:human|robot|bot)\b",
    r"\b(?:verify|confirm|prove|let's confirm) (?:that )?you(?:'re| are) (?:a )?human",
    r"ob sie ein mensch sind|que (?:usted )?es un ser humano|que vous êtes humain|che sei umano|você é humano",
    r"\bkein (?:roboter|bot)\b|\bno (?:eres|es) un robot\b|\bpas un robot\b|\bnon sei un robot\b|\bgeen robot\b",
    r"人間であることを確認|ロボットではない|请验证您是真人|确认您是真人",
    r"enable (?:javascript|js) and (?:cookies to continue|disable any ad blocker)",
    r"^\W*attention required!",
    r"^\W*(?:error )?(?:403|access)\W+(?:error|(?:access )?(?:denied|forbidden))\W*$|^\W*forbidden\W*$",
    r"^\W*access (?:to (?:this|the requested) (?:page|site|resource) )?(?:has been |is |was )?(?:denied|restricted)\b",
    r"you (?:don't|do not) have permission to access",
    r"^\W*(?:zugriff verweigert|acc[èe]s refus[ée]|acceso denegado|accesso negato|アクセス拒否)\b",
    r"keine berechtigung,? auf diese seite zuzugreifen",
    r"^\W*pardon our interruption",
    r"request unsuccessful\. incapsula|incapsula incident id",
    r"unusual (?:traffic|activity) from your",
    r"^\W*are you a (?:robot|human)\?\W*$",
    r"(?:press (?:&|and) hold|complete the (?:captcha|security check)|ddos protection by|solve this captcha)",
    r"^\W*(?:one more step|security check(?:point)?|human verification|robot check|client challenge)\W*$",
    r"^\W*vercel security checkpoint|^\W*too many requests\W*$|^\W*rate limit(?: has been)? exceeded",
    r"\byou have made too many requests\b|\bplease slow down\b",
    r"^\W*(?:sorry, )?you have been blocked\b|\byour (?:ip(?: address)?|access|request) (?:has been|is|was) blocked\b",
    r"(?:made us think|believe) (?:that )?you (?:are|were|might be) (?:a (?:ro)?bot|using automation)",
    r"moving through this (?:web)?site with super-?human speed",
    r"security service to protect itself from online attacks|needs to review the security of your connection",
    r"^\W*enter the characters you see below|type the characters you see in (?:this|the) image",
    r"^\W*a required part of this site couldn't load",
    r"\brequest (?:could not be satisfied|blocked)\b\W",
)

NOT_FOUND = _any_of(
    r"^\W*404\W*$|^\W*404\s*[|:–—-]|[|:–—-]\s*404\W*$|^.{0,30}\b404\W+(?:error|not found|page|file)\b.{0,60}$",
    r"^.{0,30}\b(?:error|fehler|erreur|errore|http)\W*404\b.{0,60}$",
    r"^\W*not found\W*$|\brequested url .{0,80}\bnot found on this server\b|^.{0,40}\bthat page is gone\b",
    r"^\W*(?:410\W+)?gone\W*$|requested resource is no longer available on this server",
    r"^.{0,60}\b(?:page|site|document|file|article|content|url)\W+(?:was |is |could |can )?not (?:be )?found"
    r"(?:\W*$|\s*[|:–—!.,-].{0,60}$|\s+on (?:this|our|the) .{0,40}$)",
    r"(?:page|article|content|document|url)(?: that)? you(?:'re| are|'ve| have)? "
    r"(?:looking|searching|request\w*|tried|trying).{0,80}(?:not be found|not found|n[o']t exist"
    r"|no longer|moved|removed|unavailable|can(?:no|')t be)",
    r"\bpage (?:does not|doesn't|no longer) exists?\b",
    r"^.{0,20}\b(?:that|this|the) page (?:can't|cannot|could not|couldn't) be found\b",
    r"^.{0,20}\bthis (?:page|content|video|post|link|profile|account) (?:isn't|is not|is no longer) available\b"
    r"(?! (?:in|to|for))",
    r"^\W*it looks like nothing was found at this location|link you followed may be broken",
    r"^\W*when this happens, it's usually because the owner",
    r"^\W*(?:video|page|content|post) (?:unavailable|removed|deleted)\W*$",
    r"^\W*there is currently no text in this page|^\W*wikipedia does not have an article with this exact name",
    r"we (?:can(?:no|')t|could(?:n't| not)) (?:seem to )?find (?:(?:the|that|this) page|what you)",
    r"^.{0,20}\b(?:this|the) (?:article|page|content|post|video) (?:has been|was) (?:removed|deleted)\b",
    r"^.{0,10}\best[ea] (?:artículo|página|contenido) ya no está disponible\b",
    r"^.{0,60}\b(?:seite|inhalt|artikel|beitrag)\b.{0,40}\b(?:nicht (?:gefunden|finden|mehr verfügbar|verfügbar)"
    r"|existiert (?:leider )?nicht)\b",
    r"^.{0,40}\bpage (?:non trouvée|introuvable)\b.{0,40}$|\bpage que vous (?:recherchez|cherchez|demandez)\b",
    r"\bcette page n'existe (?:pas|plus)\b|\bno (?:hemos podido|podemos) encontrar la página\b",
    r"^.{0,60}\bp[áa]gina (?:que busca\w* |solicitada )?no (?:encontrada|existe|se encuentra|está disponible)\b",
    r"^.{0,40}\bpágina não (?:encontrada|existe)\b.{0,40}$|^.{0,40}\bpagina non (?:trovata|esiste)\b.{0,40}$",
    r"^.{0,40}\bpagina (?:is )?niet gevonden\b.{0,40}$|^.{0,30}\bnie znaleziono strony\b|\bsivua ei löyd",
    r"страница не (?:найдена|существует)",
    r"ページ(?:が|は)(?:見つかりません|存在しません)|お探しのページは",
    r"页面不存在|找不到(?:该|此)?(?:页面|网页)|您访问的页面|페이지를 찾을 수 없습니다",
)

CONSENT = _any_of(
    r"\bwe and our (?:\d* ?partners|advertising partners|third[- ]part)\b",
    r"\b(?:wir und unsere|nous et nos|nosotros y nuestros|noi e i nostri|nós e (?:os )?nossos|wij en onze)\b"
    r".{0,25}\b(?:partner|partenaires|socios|partners|parceiros)\b",
    r"^\W*(?:before you continue to|bevor sie zu\b.{1,40}\bweitergehen|avant d'accéder à|antes de continuar a)\b",
    r"\b(?:accept|reject|allow|decline|agree to|manage) (?:all |to all |our |your |the |non-essential |privacy )*"
    r"(?:cookies?|consent|privacy|preferences|options|settings)\b",
    r"^\W*(?:accept|reject|agree|decline|allow|manage)(?: all| and (?:close|continue))?\W*$",
    r"^\W*(?:alle[sn]? (?:akzeptieren|ablehnen|zulassen)|(?:akzeptieren|zustimmen)(?: und weiter)?|ablehnen"
    r"|einstellungen)\W*$",
    r"^\W*(?:tout (?:accepter|refuser)|accepter(?: et continuer)?|refuser|continuer sans accepter|paramétrer)\W*$",
    r"^\W*(?:(?:aceptar|rechazar)(?: todo| todas)?|configurar|(?:accetta|rifiuta)(?: tutt[oi])?|personalizza"
    r"|(?:aceitar|rejeitar)(?: tudo| todos)?|alles (?:accepteren|weigeren))\W*$",
    r"^\W*(?:すべて(?:受け入れる|許可|拒否)|同意する|拒否する|全部接受|接受所有|모두 동의)\W*$",
    r"^\W*(?:we (?:value|care about|respect)|wir respektieren) (?:your privacy|ihre privatsphäre)",
    r"\b(?:we|this (?:web)?site|our partners) (?:also )?uses? cookies\b",
    r"^\W*wir verwenden cookies\b|^\W*mit werbung weiterlesen\W*$|mit werbung und tracking|werbefreie abo",
    r"\bmüssen sie cookies (?:akzeptieren|zulassen)\b",
    r"cookieを使用して|使用cookie|\b(?:wij|we) gebruiken cookies\b|^\W*(?:ik ga )?akkoord\W*$"
    r"|\b(?:nous utilisons|utilizamos|usamos|utilizziamo) (?:des |i |los )?cookies\b|^\W*i (?:accept|agree)\W*$",
    r"\bpartners process your personal data\b",
    r"\b(?:store|access)(?: and/or access)? (?:information|data) on (?:a|your) device\b",
)

LOGIN = _any_of(
    r"\b(?:log|sign) ?in (?:or (?:register|sign up|create an account) )?to (?:continue|view|see|access|read|proceed)",
    r"\b(?:please|you (?:must|need to|have to)) (?:be )?(?:log|sign)(?:ged|ned)? ?(?:in|on)\b"
    r"(?! to (?:post|comment|vote))",
    r"^\W*(?:join linkedin|agree & join linkedin|see posts, photos and more on facebook)\b",
    r"^\W*(?:already on linkedin\?|by clicking continue, you agree to)",
    r"bitte (?:melden sie sich an|loggen sie sich ein)|\bveuillez vous (?:connecter|identifier)\b"
    r"|\binicia sesión para\b",
    r"^\W*ログインしてください|请先?登录",
    r"^\W*this (?:community|forum|group|account|profile|blog) is private\b|\blog in with an account that has access",
)
LOGIN_BESIDE_A_PASSWORD = _any_of(
    r"^\W*(?:log|sign) ?(?:in|into|up)(?: (?:to|with|or|into)? ?\w+)?\W*$|^\W*log ?in\s*[•|–-].{1,40}$"
    r"|^\W*(?:log|sign) ?(?:in|up) (?:to|with|or) .{1,40}$|^\W*log into \w+\W*$",
    r"^\W*(?:continue|sign (?:in|up)) with \w+\W*$",
    r"^\W*(?:forgot(?:ten)? (?:your )?(?:password|account)\??|create (?:an |new )?account"
    r"|keep me (?:logged|signed) in|don't have an account\?.{0,20}|passwort vergessen\?|anmelden"
    r"|mot de passe oublié ?\?|se connecter|iniciar sesión)\W*$",
)

PAYWALL = _any_of(
    r"\bsubscribe (?:now |today )?(?:to|and) (?:continue|keep|read|unlock|get)\b|\bplease subscribe or (?:log|sign) in",
    r"\b(?:this|the) (?:article|story|content|page) is (?:only |exclusively |reserved )?(?:available )?"
    r"(?:for|to) (?:our )?(?:paying )?(?:subscribers|members)(?: only)?\W*$",
    r"^\W*already (?:a |have an? )?(?:paid )?(?:subscriber|member|subscription|account)\b",
    r"^\W*(?:member-only|members-only|subscriber-only|premium) (?:story|article|content)\W*$|\bto unlock this story\b",
    r"^\W*this post is for paid subscribers|\bavailable to .{1,20} members only\b|\bfree article limit\b",
    r"\b(?:continue|keep) reading with a\b|\bget access to the rest of this (?:post|article|story)\b",
    r"\byou(?:'ve| have) (?:reached|used)(?: up)? (?:your|all).{0,40}(?:free )?articles\b",
    r"\b(?:subscribe|subscription|unlimited access)\b.{0,60}(?:[$€£]\s?\d|\bunlimited access\b)"
    r"|^\W*[$€£]\s?\d[\d.,]*\s*(?:an?|per|/) ?(?:week|month|year)\b",
    r"\bweiterlesen mit\b.{0,30}\babo\b|^\W*(?:sie haben bereits ein|haben sie schon ein) abo|\bnur für abonnenten\b",
    r"\b(?:réservé|accessible) (?:aux?|à nos) abonnés\b|^\W*déjà abonné|\babonnez-vous pour (?:lire|continuer)",
    r"\b(?:exclusivo|solo) para suscriptores\b|\bsuscríbe(?:te|se) para (?:seguir|continuar|leer)",
    r"\briservato agli abbonati\b|\bexclusivo para assinantes\b",
    r"有料会員限定|会員限定(?:記事|です)|登录后阅读全文|订阅后",
)

REGION = _any_of(
    r"\b(?:not|isn't|unavailable|currently unavailable)\b.{0,30}\b(?:available )?(?:in|to visitors from) "
    r"(?:your (?:country|region|location|area)|the european (?:economic area|union))\b(?!\?)",
    r"\battempting to access this (?:web)?site from a country belonging to the european economic area",
    r"^\W*our european visitors are important to us|^\W*451\b.{0,40}\b(?:unavailable|legal reasons)\b",
    r"in (?:ihrem land|deiner region|ihrer region) (?:leider )?nicht verfügbar",
    r"pas disponible dans votre (?:pays|région)",
    r"no (?:está )?disponible en su (?:país|región)|お住まいの地域では",
)

OUT_OF_SERVICE = _any_of(
    r"^\W*(?:we'll|we will) be (?:right )?back\b|\bperforming (?:some |scheduled )?maintenance\b",
    r"\b(?:site|page|service|website)\b.{0,20}\b(?:is|are) (?:currently )?"
    r"(?:under(?:going)?|down for|closed for|offline for) (?:scheduled |planned |routine )?maintenance\b",
    r"^\W*(?:site |website )?(?:is )?(?:under maintenance|maintenance mode)\W*$|\bundergoing scheduled maintenance\b",
    r"^.{0,60}\b(?:site|page|service|website) is (?:currently |temporarily )+(?:down|unavailable|offline)\b",
    r"\bseite wird (?:gerade |derzeit )?gewartet\b|\bwir sind gleich wieder da\b",
    r"\bwegen wartungsarbeiten\b|^\W*wartungsarbeiten\W*$|\ben (?:cours de )?maintenance\b|\ben mantenimiento\b"
    r"|メンテナンス中",
    r"^\W*(?:50[0234]\W+)?(?:service (?:temporarily )?unavailable|bad gateway|gateway time-?out"
    r"|internal server error)\W*$",
    r"server is temporarily unable to service your request|server encountered an internal error",
    r"^\W*application error: a client-side exception has occurred|^\W*error establishing a database connection",
    r"^\W*(?:web server is down|connection timed out|origin is unreachable|ssl handshake failed)\W*$",
)

PARKED = _any_of(
    r"^.{0,80}\b(?:domain|website|web site)(?: name)? (?:is|may be|might be) for sale\b",
    r"^\W*[\w-]+(?:\.[\w-]+)+ is for sale\b|\bmake an offer\b|^\W*buy (?:this domain|now for)\b",
    r"^\W*inquire about this domain|\bdomain .{0,40}\b(?:is |may be )?available for (?:purchase|sale)\b",
    r"\bdomain (?:owner using|parking)\b|\bthis domain (?:is|was|has been|name is) "
    r"(?:registered|parked|expired|recently registered)\b",
    r"sponsored listings displayed above|relationship with third party advertisers",
    r"^\W*this (?:account|website|site) has been suspended\b|^\W*account suspended\W*$",
    r"contact your hosting provider|^\W*domain expired\W*$|\bthis domain has expired\b",
    r"^\W*welcome to (?:nginx|openresty|caddy)|web server is successfully installed|apache2 .{0,20}default page",
    r"^\W*(?:our|this) (?:web ?)?site is (?:under construction|coming soon)\b",
    r"^\W*this is the default (?:web ?page|welcome page)",
)

JAVASCRIPT_ONLY = _any_of(
    r"^\W*(?:you are being redirected|redirecting)\b|\bif you are not redirected\b|^.{0,20}\bneeds? javascript\W*$",
    r"\b(?:please |need to |must |have to )(?:enable|turn on|activate|allow) javascript\b",
    r"^\W*(?:enable|turn on|activate|this (?:site|page|app\w*) (?:requires?|needs?)) javascript\b",
    r"\b(?:does not|doesn't|won't) work (?:properly |correctly )?without javascript\b",
    r"\bjavascript (?:is (?:disabled|turned off|not (?:enabled|available))|must be enabled|to run this app)",
    r"javascript is required (?:to|for|in order)|\brequires? javascript to (?:run|work|function|be enabled|view)",
    r"\baktivieren sie (?:bitte )?javascript|\bjavascript (?:aktivieren|ist deaktiviert)",
    r"\bactiver javascript|\b(?:habilit|activ)(?:e|ar|a) javascript|\babilita(?:re)? javascript",
    r"javascriptを有効に|启用 ?javascript",
    r"^\W*(?:your )?browser is (?:not supported|no longer supported|out of date)|^\W*unsupported browser\W*$",
    r"switch to a supported browser|upgrade your browser",
    r"^\W*(?:loading|please wait)\W*$",
)

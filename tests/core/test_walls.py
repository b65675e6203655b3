"""Pages that are no evidence and pages that only look like it, in the words of real sites' kinds of walls."""

from __future__ import annotations

import pytest

from veriscore_agent.core.blocked import blocked_reason

ARTICLE = (
    "The bridge over the Karl was opened on 12 May 1931 by the mayor. It weighs 9,800 tonnes and is 412 m long. "
    "Building it took four years, and eleven men lost their lives. The toll was abolished in 1954. "
) * 4
FACT = "The bridge over the Karl was opened on 12 May 1931 by the mayor and is 412 m long."

WALLS = [
    (
        "Just a moment...",
        (
            "a.example\nVerifying you are human. This may take a few seconds.\na.example needs to review "
            "the security of your connection before proceeding.\nRay ID: 8a1b2c3d4e5f\nPerformance & "
            "security by Cloudflare"
        ),
        (),
        "challenge",
        "Cloudflare, managed",
    ),
    (
        "Ein Moment…",
        (
            "a.example\nEs wird überprüft, ob Sie ein Mensch sind. Dies kann einige Sekunden dauern.\n"
            "Ray-ID: 8a1b2c3d4e5f"
        ),
        ("challenge_script",),
        "challenge",
        "Cloudflare in German",
    ),
    (
        "Un momento…",
        "Verificando que usted es un ser humano. Esto puede tardar unos segundos.",
        (),
        "challenge",
        "Cloudflare in Spanish",
    ),
    (
        "Un instant…",
        "Vérification que vous êtes humain. Cela peut prendre quelques secondes.",
        (),
        "challenge",
        "Cloudflare in French",
    ),
    (
        "しばらくお待ちください...",
        "人間であることを確認します。これには数秒かかる場合があります。",
        (),
        "challenge",
        "Cloudflare in Japanese",
    ),
    (
        "Access denied | a.example used Cloudflare to restrict access",
        (
            "Error 1020\nRay ID: 8a1b2c3d4e5f\nAccess denied\nWhat happened?\nThis website is using a "
            "security service to protect itself from online attacks."
        ),
        (),
        "challenge",
        "a firewall rule",
    ),
    (
        "Access to this page has been denied",
        "Press & Hold to confirm you are\na human (and not a bot).\nReference ID 1b2c3d4e",
        (),
        "challenge",
        "PerimeterX, with a broken line",
    ),
    (
        "Access to this page has been denied.",
        (
            "Access to this page has been denied because we believe you are using automation tools to "
            "browse the website.\nThis may happen as a result of the following:\nJavascript is disabled or "
            "blocked by an extension (ad blockers for example)\nYour browser does not support cookies"
        ),
        (),
        "challenge",
        "PerimeterX, without a button",
    ),
    ("a.example", "Please enable JS and disable any ad blocker", (), "challenge", "DataDome"),
    (
        "You have been blocked",
        (
            "You have been blocked from a.example.\nSomething about the behaviour of your browser made us "
            "think you are a bot.\nYou're a power user moving through this website with super-human speed."
        ),
        (),
        "challenge",
        "DataDome, hard",
    ),
    (
        "Pardon Our Interruption",
        (
            "As you were browsing something about your browser made us think you were a bot. There are a "
            "few reasons this might happen:\nYou're a power user moving through this website with "
            "super-human speed.\nYou've disabled cookies in your web browser."
        ),
        (),
        "challenge",
        "Distil",
    ),
    (
        "Human Verification",
        (
            "Let's confirm you are human\nComplete the security check before continuing. This step "
            "verifies that you are not a bot.\nBegin"
        ),
        (),
        "challenge",
        "AWS",
    ),
    (
        "Robot Check",
        (
            "Enter the characters you see below\nSorry, we just need to make sure you're not a robot. For "
            "best results, please make sure your browser is accepting cookies.\nType the characters you "
            "see in this image:"
        ),
        (),
        "challenge",
        "a shop's captcha",
    ),
    (
        "Client Challenge",
        (
            "A required part of this site couldn’t load. This may be due to a browser extension, network "
            "issues, or browser settings. Please check your connection, disable any ad blockers, or try "
            "using a different browser."
        ),
        ("script",),
        "challenge",
        "Fastly",
    ),
    (
        "Vercel Security Checkpoint",
        "We're verifying your browser\nWebsite owner? Click here to fix",
        ("script",),
        "challenge",
        "Vercel",
    ),
    ("403 Forbidden", "403 Forbidden\nnginx", (), "challenge", "a bare server with status 200"),
    (
        "ERROR: The request could not be satisfied",
        (
            "403 ERROR\nThe request could not be satisfied.\nRequest blocked. We can't connect to the "
            "server for this app or website at this time.\nGenerated by cloudfront (CloudFront)"
        ),
        (),
        "challenge",
        "CloudFront",
    ),
    (
        "",
        (
            "Our systems have detected unusual traffic from your computer network. This page checks to see "
            "if it's really you sending the requests, and not a robot."
        ),
        (),
        "challenge",
        "a search engine",
    ),
    (
        "Too Many Requests",
        "Too Many Requests\nYou have made too many requests. Please slow down and try again later.",
        (),
        "challenge",
        "a limit with status 200",
    ),
    ("Rate limit exceeded", "Rate limit exceeded. Please try again in a few minutes.", (), "challenge", "the same"),
    (
        "Zugriff verweigert",
        "Zugriff verweigert\nSie haben keine Berechtigung, auf diese Seite zuzugreifen.",
        (),
        "challenge",
        "German",
    ),
    (
        "Fehler 404",
        "Fehler 404\nDie von Ihnen angeforderte Seite existiert leider nicht (mehr).",
        (),
        "not_found",
        "German, differently",
    ),
    (
        "Seite nicht gefunden - Zeitung",
        "Ups!\nLeider konnten wir die gewünschte Seite nicht finden.\nZur Startseite",
        (),
        "not_found",
        "German, by title",
    ),
    ("", "Oups ! Cette page n'existe pas ou n'existe plus.\nRetour à l'accueil", (), "not_found", "French"),
    ("", "La page que vous recherchez est introuvable.", (), "not_found", "French"),
    ("", "Lo sentimos, la página que buscas no existe.\nVolver al inicio", (), "not_found", "Spanish"),
    ("", "お探しのページは見つかりませんでした。\nトップページへ戻る", (), "not_found", "Japanese"),
    (
        "ページが見つかりません | 新聞",
        "お探しのページは削除されたか、URLが変更された可能性があります。",
        (),
        "not_found",
        "Japanese",
    ),
    (
        "",
        ("Oops! That page can’t be found.\nIt looks like nothing was found at this location. Maybe try a search?"),
        (),
        "not_found",
        "WordPress, with its apostrophe",
    ),
    (
        "",
        ("Sorry, this page isn't available.\nThe link you followed may be broken, or the page may have been removed."),
        (),
        "not_found",
        "a social network",
    ),
    (
        "",
        (
            "This content isn't available right now\nWhen this happens, it's usually because the owner "
            "only shared it with a small group of people, changed who can see it or it's been deleted."
        ),
        (),
        "not_found",
        "another one",
    ),
    ("Video unavailable", "This video isn't available anymore", (), "not_found", "a video"),
    ("", "Hmm...this page doesn’t exist. Try searching for something else.", (), "not_found", "a third"),
    (
        "",
        (
            "There is currently no text in this page. You can search for this page title in other pages, "
            "or search the related logs, but you do not have permission to create this page."
        ),
        (),
        "not_found",
        "a wiki without the page",
    ),
    (
        "410 Gone",
        ("Gone\nThe requested resource is no longer available on this server and there is no forwarding address."),
        (),
        "not_found",
        "gone, with status 200",
    ),
    (
        "Bevor Sie zur Suche weitergehen",
        (
            "Bevor Sie zu Google weitergehen\nWir verwenden Cookies und Daten, um Dienste bereitzustellen "
            "und zu betreiben.\nAlle ablehnen\nAlle akzeptieren"
        ),
        (),
        "consent",
        "German",
    ),
    (
        "Zeitung",
        (
            "Wir und unsere 187 Partner speichern und verarbeiten personenbezogene Daten auf Ihrem Gerät.\n"
            "Akzeptieren und weiter\nEinstellungen"
        ),
        (),
        "consent",
        "German",
    ),
    (
        "zeit",
        (
            "Mit Werbung weiterlesen\nBesuchen Sie uns wie gewohnt mit Werbung und Tracking.\nZustimmen "
            "und weiter\nOder das werbefreie Abo abschließen"
        ),
        (),
        "consent",
        "pay or consent",
    ),
    (
        "Journal",
        (
            "Nous et nos 812 partenaires stockons et accédons à des informations sur votre appareil.\nTout "
            "accepter\nContinuer sans accepter"
        ),
        (),
        "consent",
        "French",
    ),
    (
        "Diario",
        (
            "Nosotros y nuestros 764 socios almacenamos o accedemos a información en un dispositivo.\n"
            "Aceptar todo\nRechazar todo"
        ),
        (),
        "consent",
        "Spanish",
    ),
    (
        "Giornale",
        ("Noi e i nostri 790 partner archiviamo e accediamo a informazioni su un dispositivo.\nAccetta tutto\nRifiuta"),
        (),
        "consent",
        "Italian",
    ),
    ("新聞", "当サイトではCookieを使用しています。\nすべて受け入れる\n拒否する", (), "consent", "Japanese"),
    (
        "Yahoo is part of the Yahoo family of brands",
        (
            "When you use our sites and apps, we use cookies to:\nprovide our sites and apps to you\n"
            "authenticate users, apply security measures, and prevent spam and abuse\nAccept all\nReject "
            "all\nManage privacy settings"
        ),
        (),
        "consent",
        "a portal",
    ),
    (
        "Sign Up | LinkedIn",
        (
            "Join LinkedIn\nAgree & Join LinkedIn\nBy clicking Continue, you agree to LinkedIn’s User "
            "Agreement, Privacy Policy, and Cookie Policy.\nAlready on LinkedIn? Sign in"
        ),
        ("password_field",),
        "login",
        "LinkedIn",
    ),
    (
        "Log in or sign up to view",
        "See posts, photos and more on Facebook.\nLog In\nForgot Account?\nCreate new account",
        ("password_field",),
        "login",
        "Facebook",
    ),
    (
        "Facebook",
        "You must log in to continue.\nLog Into Facebook\nForgot account?",
        ("password_field",),
        "login",
        "Facebook, older",
    ),
    (
        "Login • Instagram",
        ("Phone number, username, or email\nPassword\nLog in\nForgot password?\nDon't have an account? Sign up"),
        ("password_field",),
        "login",
        "Instagram",
    ),
    (
        "Anmelden",
        "Bitte melden Sie sich an, um fortzufahren.\nE-Mail\nPasswort vergessen?",
        ("password_field",),
        "login",
        "German",
    ),
    (
        "",
        "This community is private. Request access or log in with an account that has access.",
        (),
        "login",
        "a private forum",
    ),
    (
        "The bridge that nobody wanted",
        (
            "Subscribe to continue reading\nBecome a paid member to get access to the rest of this post "
            "and other exclusive content."
        ),
        (),
        "paywall",
        "nothing else",
    ),
    (
        "The bridge",
        "To continue reading this article, please subscribe or log in.\nAlready a subscriber? Log in",
        (),
        "paywall",
        "other words",
    ),
    (
        "The bridge",
        "You've reached your limit of free articles. Subscribe for unlimited access.\n$1 a week",
        (),
        "paywall",
        "a meter that has run out",
    ),
    (
        "Die Brücke",
        "Jetzt weiterlesen mit dem digitalen Abo\nSie haben bereits ein Abo? Hier anmelden",
        (),
        "paywall",
        "German",
    ),
    ("Le pont", "Cet article est réservé aux abonnés.\nDéjà abonné ? Se connecter", (), "paywall", "French"),
    (
        "El puente",
        "Este contenido es exclusivo para suscriptores.\nSuscríbete para seguir leyendo",
        (),
        "paywall",
        "Spanish",
    ),
    ("橋", "この記事は有料会員限定です。\n残り1,234文字", (), "paywall", "Japanese"),
    (
        "Unavailable",
        (
            "451: Unavailable due to legal reasons\nWe recognize you are attempting to access this website "
            "from a country belonging to the European Economic Area (EEA) including the EU which enforces "
            "the General Data Protection Regulation (GDPR) and therefore access cannot be granted at this "
            "time."
        ),
        (),
        "region",
        "a newspaper and the GDPR",
    ),
    (
        "",
        (
            "Our European visitors are important to us.\nThis site is currently unavailable to visitors "
            "from the European Economic Area while we work to ensure your data is protected in accordance "
            "with applicable EU laws."
        ),
        (),
        "region",
        "another one",
    ),
    ("", "This content is not available in your region.", (), "region", "a region"),
    ("", "The uploader has not made this video available in your country", (), "region", "a video"),
    (
        "Maintenance",
        (
            "We'll be back soon!\nSorry for the inconvenience. We're performing some maintenance at the "
            "moment.\n— The Team"
        ),
        (),
        "out_of_service",
        "maintenance",
    ),
    (
        "Site under maintenance",
        "a.example is currently undergoing scheduled maintenance. Please check back later.",
        (),
        "out_of_service",
        "maintenance",
    ),
    (
        "Wartungsarbeiten",
        "Wegen Wartungsarbeiten ist unsere Seite derzeit nicht erreichbar.",
        (),
        "out_of_service",
        "maintenance in German",
    ),
    (
        "503 Service Unavailable",
        (
            "Service Unavailable\nThe server is temporarily unable to service your request due to "
            "maintenance downtime or capacity problems. Please try again later."
        ),
        (),
        "out_of_service",
        "a server with status 200",
    ),
    (
        "",
        ("Application error: a client-side exception has occurred (see the browser console for more information)."),
        ("script",),
        "out_of_service",
        "a broken app",
    ),
    (
        "Error establishing a database connection",
        "Error establishing a database connection",
        (),
        "out_of_service",
        "WordPress",
    ),
    (
        "a.example is for sale",
        "a.example\nThis domain is for sale!\nBuy now for $2,888 or make an offer",
        (),
        "parked",
        "a domain for sale",
    ),
    (
        "a.example - This website is for sale! - a Resources and Information.",
        (
            "This webpage was generated by the domain owner using Sedo Domain Parking. Disclaimer: Sedo "
            "maintains no relationship with third party advertisers."
        ),
        (),
        "parked",
        "a parked domain",
    ),
    (
        "a.example",
        (
            "Related searches\nBridges\nCheap flights\nThis domain is registered at Namecheap\nThe "
            "Sponsored Listings displayed above are served automatically by a third party."
        ),
        (),
        "parked",
        "parked with links",
    ),
    (
        "Account Suspended",
        "This Account has been suspended.\nContact your hosting provider for more information.",
        (),
        "parked",
        "a host that was not paid",
    ),
    (
        "Welcome to nginx!",
        (
            "If you see this page, the nginx web server is successfully installed and working. Further "
            "configuration is required."
        ),
        (),
        "parked",
        "a server without a site",
    ),
    ("Index", "Coming soon\nOur website is under construction.", (), "parked", "not there yet"),
    (
        "App",
        (
            "JavaScript is not available.\nWe’ve detected that JavaScript is disabled in this browser. "
            "Please enable JavaScript or switch to a supported browser to continue using x.com."
        ),
        ("script",),
        "javascript_only",
        "a noscript text",
    ),
    (
        "App",
        "This site requires JavaScript to run correctly. Please turn on JavaScript or unblock scripts",
        ("script",),
        "javascript_only",
        "another",
    ),
    (
        "App",
        "Bitte aktivieren Sie JavaScript in Ihrem Browser, um diese Seite zu nutzen.",
        ("script",),
        "javascript_only",
        "German",
    ),
    ("App", "Pour utiliser ce site, veuillez activer JavaScript.", ("script",), "javascript_only", "French"),
    ("App", "このサイトを利用するにはJavaScriptを有効にしてください。", ("script",), "javascript_only", "Japanese"),
    (
        "Unsupported browser",
        "Your browser is not supported. Please upgrade your browser to continue.",
        ("script",),
        "javascript_only",
        "too old for it",
    ),
]
PAGES = [
    ("How captchas work", "A captcha asks visitors to verify that they are human. " + ARTICLE, (), "about captchas"),
    (
        "CAPTCHA",
        (
            "The term was coined in 2003.\nIt asks users to prove they are human, for example by reading "
            "distorted letters.\nThe first were used by AltaVista in 1997.\n"
        )
        + ARTICLE,
        (),
        "an encyclopedia on captchas",
    ),
    (
        "HTTP 404",
        (
            "In computer network communications, the HTTP 404, 404 not found, 404, 404 error, page not "
            "found, or file not found error message is a hypertext transfer protocol (HTTP) standard "
            "response code, to indicate that the browser was able to communicate with a given server, but "
            "the server could not find what was requested.\nThe error may also be used when a server does "
            "not wish to disclose whether it has the requested information.\nThe website hosting server "
            "will typically generate a 404 Not Found web page when a user attempts to follow a broken or "
            "dead link; hence the 404 error is one of the most recognizable errors encountered on the "
            "World Wide Web."
        ),
        (),
        "an encyclopedia on 404, short",
    ),
    (
        "List of HTTP status codes",
        (
            "403 Forbidden\nThe request contained valid data, but the server is refusing action.\n404 Not "
            "Found\nThe requested resource could not be found but may be available in the future.\n410 "
            "Gone\nIndicates that the resource was previously in use but is no longer available and will "
            "not be available again.\n429 Too Many Requests\nThe user has sent too many requests in a "
            "given amount of time.\n451 Unavailable For Legal Reasons\nA server operator has received a "
            "legal demand to deny access to a resource.\n503 Service Unavailable\nThe server cannot handle "
            "the request, because it is overloaded or down for maintenance."
        ),
        (),
        "a list of statuses",
    ),
    (
        "Bridge",
        "We use cookies to improve your experience.\nAccept all cookies\nManage preferences\n" + ARTICLE,
        (),
        "a banner above an article",
    ),
    (
        "Brücke",
        "Wir verwenden Cookies.\nAlle akzeptieren\nEinstellungen\n" + ARTICLE,
        (),
        "a German banner above an article",
    ),
    ("Bridge", FACT, (), "one sentence"),
    ("Bridge", FACT + "\nAccept all\nReject all", (), "one sentence and two buttons"),
    ("Bridge", FACT + "\nLog in\nSign up\nForgot password?", ("password_field",), "one sentence and a form"),
    ("Bridge", "Log in\nPassword\n" + ARTICLE, ("password_field",), "a form above an article"),
    (
        "Bridge",
        ARTICLE + "\nYou have 2 free articles left this month. Subscribe for unlimited access.",
        (),
        "a meter that still runs",
    ),
    (
        "Bridge",
        ARTICLE[:420] + "\nSubscribe to continue reading\nAlready a subscriber? Log in",
        (),
        "two paragraphs before the wall are evidence",
    ),
    (
        "Le pont",
        (
            "Le pont a été inauguré le 12 mai 1931 par le maire. Il pèse 9 800 tonnes et mesure 412 m de "
            "long. Sa construction a duré quatre ans et coûté la vie à onze hommes.\nCet article est "
            "réservé aux abonnés."
        ),
        (),
        "the same in French",
    ),
    (
        "塔",
        "塔は1931年5月12日に開業した。高さは412メートルで、建設には4年かかり、11人が命を落とした。通行料は1954年に廃止された。\nこの記事は有料会員限定です。",
        (),
        "the same in Japanese, where a sentence is short",
    ),
    (
        "Server maintenance",
        ("On 3 May the city's servers were down for maintenance for nine hours, the longest outage since 2011. ")
        + ARTICLE,
        (),
        "news of an outage",
    ),
    (
        "Maintenance of the bridge",
        "The bridge is closed for maintenance from 3 to 9 May 2024. Traffic is led over the old bridge.",
        (),
        "another kind of maintenance",
    ),
    (
        "The domain name business",
        "The name insure.com was for sale for $16 million in 2009. It was bought by QuinStreet. " + ARTICLE,
        (),
        "news of a sale",
    ),
    (
        "House for sale in Karlsund",
        ("This house is for sale. It was built in 1911, has seven rooms and a garden of 900 square metres."),
        (),
        "something else for sale",
    ),
    (
        "Access denied: the story of a strike",
        "In May 1931 the police denied the workers access to the bridge. " + ARTICLE,
        (),
        "a title",
    ),
    (
        "JavaScript",
        (
            "JavaScript is required by most websites today. It was written by Brendan Eich in ten days in "
            "May 1995 and first shipped in Netscape Navigator 2.0."
        ),
        (),
        "about the language, short",
    ),
    (
        "Enable JavaScript",
        (
            "To enable JavaScript in Firefox, open about:config, search for javascript.enabled and set it "
            "to true. In Chrome it is found under Settings, Privacy and security, Site settings."
        ),
        (),
        "a manual",
    ),
    (
        "Cookie (informatique)",
        (
            "Un cookie est un petit fichier déposé par un site sur l'appareil. Il a été inventé en 1994 "
            "par Lou Montulli chez Netscape."
        ),
        (),
        "about cookies",
    ),
    (
        "Loading dock",
        (
            "Loading\nA loading dock is an area of a building where goods vehicles are loaded and "
            "unloaded. The first were built in 1850."
        ),
        (),
        "a heading",
    ),
    (
        "Gone",
        (
            "Gone\nGone is a novel by Michael Grant, published in 2008. It is the first of six books about "
            "a town in which everyone over fourteen disappears."
        ),
        (),
        "a novel",
    ),
    ("Video unavailable", "Video unavailable\n" + FACT + " " + FACT, (), "a video that is missing in an article"),
    (
        "Europe",
        (
            "The service is not available in your country? It is offered in 31 states of the European "
            "Economic Area since 2018, and in Switzerland since 2021, but not in Norway, whose parliament "
            "refused it on 4 June 2019 by 88 votes to 81."
        ),
        (),
        "news of a service",
    ),
    (
        "Not Found (film)",
        (
            "Not Found is a 2016 film by Karl Berg about a page that is lost in a library. It won two "
            "prizes at the festival of Turin."
        ),
        (),
        "a film",
    ),
    (
        "Area 51",
        (
            "Trespassers are told that they do not have permission to enter. The base was built in 1955 "
            "and is 23 by 25 miles large."
        ),
        (),
        "about a place",
    ),
    (
        "Under construction: the new bridge",
        ("The new bridge is under construction. It is to be opened in 2027 and will cost 81 million euros."),
        (),
        "something else under construction",
    ),
    (
        "FAQ",
        (
            "Do I need an account?\nYou must log in to post comments, but reading is free for everyone.\n"
            "When was the site founded?\nIn 1998, by two students of Karlsund University, who sold it in "
            "2006 for 12 million euros to a publisher in Hamburg and left the company in 2009."
        ),
        (),
        "questions and answers",
    ),
    (
        "Coming soon",
        (
            "Coming soon\nThe film Dune: Part Three is to be released on 18 December 2026. It is directed "
            "by Denis Villeneuve."
        ),
        (),
        "a film",
    ),
    (
        "Robot",
        (
            "Are you a robot? asks the poster of the play R.U.R. by Karel Capek, which was first shown on "
            "25 January 1921 and gave the world the word."
        ),
        (),
        "a play",
    ),
]


@pytest.mark.parametrize(("title", "text", "clues", "expected", "why"), WALLS, ids=[row[4] for row in WALLS])
def test_a_wall_is_recognised(title: str, text: str, clues: tuple[str, ...], expected: str, why: str) -> None:
    assert blocked_reason(title, text, clues) == expected, why


@pytest.mark.parametrize(("title", "text", "clues", "why"), PAGES, ids=[row[3] for row in PAGES])
def test_an_honest_page_is_read(title: str, text: str, clues: tuple[str, ...], why: str) -> None:
    assert blocked_reason(title, text, clues) is None, why


WALL = "Subscribe to continue reading\nAlready a subscriber? Log in\nGet unlimited access for $1 a week."
TEASERS = [
    ("", "paywall", "nothing stands before the wall"),
    ("The bridge that divides a town", "paywall", "a headline is no evidence"),
    ("The bridge was opened on 12 May 1931 by the mayor.", None, "one sentence that can be checked is"),
    ("It was a grey morning. Nobody had slept.", "paywall", "a beginning that says nothing yet"),
    ("Nobody had slept, and nobody would for days. " * 6, None, "whole paragraphs are a page, whatever they say"),
]


@pytest.mark.parametrize(("teaser", "expected", "why"), TEASERS)
def test_what_a_paywall_lets_everybody_see_is_evidence(teaser: str, expected: str | None, why: str) -> None:
    """A quote from it does stand on the page; what is behind the wall is not claimed by anyone."""
    assert blocked_reason("The bridge", f"{teaser}\n{WALL}") == expected, why


TERSE_WALLS = [
    (
        "Access Restricted",
        (
            "Access to the requested page has been restricted for security reasons. If you believe this is "
            "an error, contact the site administrator."
        ),
        (),
        "challenge",
    ),
    (
        "Security check",
        (
            "Please complete the security check to access a.example\nWhy do I have to complete a CAPTCHA?\n"
            "Completing the CAPTCHA proves you are a human and gives you temporary access to the web "
            "property."
        ),
        (),
        "challenge",
    ),
    ("", "Bitte bestätigen Sie, dass Sie kein Roboter sind.", (), "challenge"),
    (
        "DDoS-Guard",
        (
            "Checking your browser before accessing a.example\nThis process is automatic. Your browser "
            "will redirect to your requested content shortly.\nPlease allow up to 5 seconds…"
        ),
        (),
        "challenge",
    ),
    ("Bot Verification", "Verifying that you are not a robot...", (), "challenge"),
    ("", "Error 404 - Whoops, that page is gone.", (), "not_found"),
    (
        "Not Found",
        (
            "Not Found\nThe requested URL /x was not found on this server.\nApache/2.4.41 (Ubuntu) Server "
            "at a.example Port 80"
        ),
        (),
        "not_found",
    ),
    (
        "",
        (
            "The page you requested could not be found. It may have been moved or deleted. Please use the "
            "search box below."
        ),
        (),
        "not_found",
    ),
    ("Página no encontrada", "No hemos podido encontrar la página que buscas", (), "not_found"),
    ("Seite nicht verfügbar", "Diese Seite ist leider nicht mehr verfügbar.", (), "not_found"),
    (
        "",
        (
            "We and our partners process your personal data, e.g. your IP-number, using technology such as "
            "cookies to store and access information on your device.\nI accept\nShow purposes"
        ),
        (),
        "consent",
    ),
    (
        "DPG Media Privacy Gate",
        "Wij gebruiken cookies om jouw ervaring te verbeteren.\nAkkoord\nInstellingen aanpassen",
        (),
        "consent",
    ),
    (
        "",
        "Log in to X\nSign in with Google\nSign in with Apple\nor\nDon't have an account? Sign up",
        ("password_field",),
        "login",
    ),
    ("", "You've reached your free article limit.\nSubscribe for $0.99 per month and read everything.", (), "paywall"),
    ("", "This post is for paid subscribers\nSubscribe\nAlready a paid subscriber? Sign in", (), "paywall"),
    (
        "",
        (
            "Member-only story\nThe author made this story available to Medium members only.\nUpgrade to "
            "instantly unlock this story"
        ),
        (),
        "paywall",
    ),
    ("", "Sorry, this content is not available in your location.", (), "region"),
    ("", "We are sorry, our site is temporarily down for scheduled maintenance.", (), "out_of_service"),
    ("", "example.org\nInquire about this domain\nThe domain example.org is available for purchase", (), "parked"),
    ("", "You need to enable JavaScript to view this page", ("script",), "javascript_only"),
    ("", "This page needs JavaScript. Please enable it in your browser.", ("script",), "javascript_only"),
    (
        "Redirecting...",
        "You are being redirected. Click here if you are not redirected automatically.",
        (),
        "javascript_only",
    ),
    (
        "Sicherheitsüberprüfung",
        "Bitte warten Sie, während wir Ihre Anfrage überprüfen...",
        ("challenge_script",),
        "challenge",
    ),
    (
        "Blocked",
        (
            "Your IP address has been blocked due to suspicious activity. Contact support if you think "
            "this is a mistake."
        ),
        (),
        "challenge",
    ),
    ("", "Verify you're human to continue to a.example.", (), "challenge"),
    ("", "Sorry! We couldn't find what you were looking for.\nBack to homepage", (), "not_found"),
    ("Page Not Found | Museum", "We looked everywhere.\nHome\nVisit\nExhibitions\nShop", (), "not_found"),
    ("", "Este artículo ya no está disponible", (), "not_found"),
    ("", "Error: this article has been removed by the publisher.", (), "not_found"),
    ("", "Um diesen Inhalt zu sehen, müssen Sie Cookies akzeptieren.", (), "consent"),
    (
        "Cookie settings",
        (
            "We use necessary cookies to make our site work. We'd also like to set optional cookies.\n"
            "Accept all\nOnly necessary\nSettings"
        ),
        (),
        "consent",
    ),
    (
        "Members area",
        "Please login to access this page.\nUsername\nPassword\nRemember me",
        ("password_field",),
        "login",
    ),
    (
        "Quora",
        (
            "Continue with Google\nContinue with Facebook\nSign up with email\nBy continuing you indicate "
            "that you agree to Quora's Terms of Service and Privacy Policy."
        ),
        ("password_field",),
        "login",
    ),
    ("The bridge", "Dieser Artikel ist nur für Abonnenten zugänglich.\nJetzt testen", (), "paywall"),
    ("", "Wir sind gleich wieder da. Die Seite wird gerade gewartet.", (), "out_of_service"),
    ("Domain expired", "This domain has expired. If you own this domain, contact your registrar.", (), "parked"),
    ("Twitch", "Please wait...", ("script",), "javascript_only"),
]
TERSE_PAGES = [
    ("Penguin", "Emperor penguins can dive deeper than any other bird. They breed during the Antarctic winter.", ()),
    (
        "Login page design",
        "Good login pages are short. The sign-in form should have two fields and one button.",
        ("password_field",),
    ),
    (
        "Mayor resigns",
        ("Mayor Karl Berg resigned on Tuesday after the council refused to subscribe to his plan. We use cookies."),
        (),
    ),
    (
        "Contact",
        "Our office is open from 9 to 17. Call 555 1234 to reach the desk of the registry.",
        ("password_field",),
    ),
    (
        "Paywall history",
        (
            "The first newspaper to introduce a paywall was The Wall Street Journal in 1997. This article "
            "is for subscribers of history."
        ),
        (),
    ),
    ("Forbidden City", "The Forbidden City was built from 1406 to 1420.", ()),
    ("Gone Girl", "Gone Girl is a thriller by Gillian Flynn.", ()),
    ("Captcha", "CAPTCHA stands for Completely Automated Public Turing test to tell Computers and Humans Apart.", ()),
    ("Berg", "Karl Berg is a Norwegian bridge engineer.\nAccept all\nReject all", ()),
    ("Maintenance", "The maintenance of bridges costs the city two million euros each year.", ()),
    ("Lake Karl", "Lake Karl is the deepest lake in the valley. It is fed by three rivers.", ("script",)),
    ("Opening hours", "We are open every day except Monday.", ()),
    (
        "Karl Berg | Faculty",
        "Karl Berg\nProfessor of civil engineering\nkarl.berg@a.example\nLog in",
        ("password_field",),
    ),
    ("Lost page of the Karl Bible found", "A page not found in any other copy of the bible was sold on Tuesday.", ()),
    ("Vote", "You must be logged in to vote.\nWhat is the capital of Norway? Oslo.", ()),
    ("Privacy", "The company respects the privacy of its users. Its seat is in Hamburg.", ()),
    ("Members", "The article is for members of the club only. Founded: 1911", ()),
    ("Tower", "Height: 412 m\nOpened: 1931\nArchitect: Karl Berg\nAccept all", ()),
    ("Song", "Just a moment is a song by Nas.\nIt was released in 2004.", ()),
    ("塔", "この塔は市の中心にあり、観光客に人気がある。", ("script",)),
]


@pytest.mark.parametrize(("title", "text", "clues", "expected"), TERSE_WALLS, ids=[row[1][:30] for row in TERSE_WALLS])
def test_a_wall_of_few_words_is_recognised(title: str, text: str, clues: tuple[str, ...], expected: str) -> None:
    assert blocked_reason(title, text, clues) == expected


@pytest.mark.parametrize(("title", "text", "clues"), TERSE_PAGES, ids=[row[0] for row in TERSE_PAGES])
def test_a_page_of_few_words_is_read(title: str, text: str, clues: tuple[str, ...]) -> None:
    """Whatever of the vocabulary of walls stands in it or beside it."""
    assert blocked_reason(title, text, clues) is None

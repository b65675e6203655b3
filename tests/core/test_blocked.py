"""Pages that are no evidence, and pages that only look like it."""

from __future__ import annotations

import pytest

from veriscore_agent.core.blocked import blocked_reason, is_empty

ARTICLE = (
    "The bridge over the Karl was opened on 12 May 1931 by the mayor. It weighs 9,800 tonnes and is 412 m long. "
    "Building it took four years, and eleven men lost their lives. The toll was abolished in 1954. "
) * 4

BLOCKED = [
    ("Just a moment...", "Please enable JavaScript and cookies to continue.", (), "challenge", "G01"),
    ("Just a moment...", "", (), "challenge", "the title alone"),
    ("a.example", "Checking your browser before accessing a.example.", (), "challenge", "older form"),
    (
        "Attention Required! | Cloudflare",
        "Sorry, you have been blocked\nYou are unable to access a.example",
        (),
        "challenge",
        "",
    ),
    (
        "Access Denied",
        'Access Denied\nYou don\'t have permission to access "/x" on this server.\nReference #18.2',
        (),
        "challenge",
        "",
    ),
    ("", "Please verify you are a human\nAccess to this page has been denied", (), "challenge", "press and hold"),
    ("a.example", "", ("challenge_script", "script"), "challenge", "nothing but a script of a bot protection"),
    ("", "# Page not found", (), "not_found", "G02"),
    ("404", "Sorry!\nMaybe try the search.", (), "not_found", "the title says it"),
    ("News", "We can't find the page you were looking for.\nHome\nSport\nWeather", (), "not_found", "with a menu"),
    ("", "Die Seite wurde nicht gefunden", (), "not_found", "German"),
    ("", "Page introuvable", (), "not_found", "French"),
    ("", "ページが見つかりません", (), "not_found", "Japanese"),
    (
        "",
        "We and our 842 partners store and access information on a device.\nAccept all\nReject all",
        (),
        "consent",
        "G02",
    ),
    (
        "Before you continue to Google Search",
        "Before you continue\nWe use cookies\nReject all",
        (),
        "consent",
        "Google",
    ),
    ("Sign in", "Sign in\nEmail\nPassword\nForgot password?", ("password_field",), "login", "a form"),
    ("Forum", "You must be logged in to view this content.", (), "login", "no form"),
    (
        "Daily",
        "Bridge opens\nSubscribe to continue reading.\nAlready a subscriber? Sign in",
        (),
        "paywall",
        "nothing but the headline",
    ),
    ("App", "You need to enable JavaScript to run this app.", ("script",), "javascript_only", "shell that says so"),
    ("App", "", ("script",), "javascript_only", "shell without any text (G02)"),
    ("App", "Loading...", ("script",), "javascript_only", "shell with a placeholder"),
]


@pytest.mark.parametrize(("title", "text", "clues", "expected", "why"), BLOCKED)
def test_blocked(title: str, text: str, clues: tuple[str, ...], expected: str, why: str) -> None:
    assert blocked_reason(title, text, clues) == expected, why


READ = [
    ("Bridge", ARTICLE, (), "an article"),
    ("Bridge", "The bridge weighs 9,800 tonnes.", ("script", "password_field"), "one fact, with a form in the header"),
    ("Bridge", "The bridge weighs 9,800 tonnes.", ("script",), "one fact, on a page with scripts"),
    ("Just a moment - the story of a song", ARTICLE, (), "a title that begins in the same way"),
    ("CAPTCHA", f"{ARTICLE}\nSuch tests ask you to verify you are human.", (), "an article about challenges"),
    (
        "HTTP 404",
        f"The 404 or Not Found error message is a standard response code.\n{ARTICLE}",
        (),
        "about missing pages",
    ),
    ("Bridge", f"We use cookies\nAccept all\nReject all\n{ARTICLE}", (), "an article below a cookie notice"),
    ("Bridge", f"{ARTICLE}\nSubscribe to continue reading.", (), "what stands before the wall is evidence"),
    ("Bridge", f"{ARTICLE}\nLog in to comment\nSign in", ("password_field",), "a form below an article"),
    (
        "Room 404",
        "The hotel has 404 rooms, a pool of 25 metres and a garden that was laid out in 1911.",
        (),
        "a number",
    ),
    ("Bridge", ARTICLE, ("challenge_script", "script"), "an article behind a bot protection that let us in"),
    ("", "", (), "nothing at all is empty, not blocked"),
    ("Access denied", ARTICLE * 20, (), "too long for a wall"),
]


@pytest.mark.parametrize(("title", "text", "clues", "why"), READ)
def test_not_blocked(title: str, text: str, clues: tuple[str, ...], why: str) -> None:
    assert blocked_reason(title, text, clues) is None, why


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", True), (" \n--- | ---", True), ("Opened: 1931", False), ("塔は1931年に開業した。", False)],
)
def test_empty(text: str, expected: bool) -> None:
    assert is_empty(text) is expected

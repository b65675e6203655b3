"""The addresses of the paid services: whether they can be right, and what may be shown of them.

Nothing that goes into an error, a log line or a report may hold a key. Providers repeat the key that was sent in
their own messages, and some addresses carry one.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from pydantic import SecretStr

from veriscore_agent.adapters.http.secrets import NO_SECRETS, SCRUBBED, Secrets
from veriscore_agent.errors import ConfigurationError

_MAX_SHOWN = 300
_AZURE_HOSTS = (".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com")
_KEY_LIKE = re.compile(r"\b(?:sk|pk|gsk|xai|nvapi|hf|AIza)[-_][A-Za-z0-9_*.-]{6,}|\bAIza[A-Za-z0-9_-]{20,}")


def check_address(setting: str, url: str) -> str:
    """``url`` without trailing slashes. Raises ConfigurationError that names the setting where it cannot be used."""
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigurationError(f"{setting}: {shown_address(url)!r} is not an address such as https://host/v1")
    return url.strip().rstrip("/")


def check_key(setting: str, key: SecretStr | None) -> str:
    """The key without blanks around it, empty where there is none.

    Raises ConfigurationError where it holds what no HTTP header may: a line end, or the ellipsis of a shortened copy.
    """
    value = key.get_secret_value().strip() if key else ""
    if not value.isascii() or not value.isprintable():
        raise ConfigurationError(f"{setting}: the key holds characters that no key has; copy it once more")
    return value


def shown_address(url: str) -> str:
    """``url`` without user name, password, query and fragment, for people to read."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return "(unreadable address)"
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname or ""
    shown = f"{host}:{port}" if port else host
    return f"{parts.scheme}://{shown}{parts.path}" if parts.scheme and shown else url.partition("?")[0][:_MAX_SHOWN]


def redact(text: str, secret: SecretStr | None) -> str:
    """``text`` on one line of at most 300 characters, without ``secret`` and without anything that looks like a key."""
    line = " ".join(_KEY_LIKE.sub(SCRUBBED, _secrets(secret).text(text)).split())
    return line if len(line) <= _MAX_SHOWN else line[: _MAX_SHOWN - 1] + "…"


def safe_cause(problem: Exception, secret: SecretStr | None) -> Exception | None:
    """``problem`` for ``raise ... from``; None where the traceback would show a key that the provider repeated."""
    text = f"{problem} {problem.__cause__ or ''}"
    return problem if _secrets(secret).text(text) == text else None


def _secrets(secret: SecretStr | None) -> Secrets:
    return Secrets([secret.get_secret_value()]) if secret else NO_SECRETS


def is_azure(base_url: str) -> bool:
    """True where a model is served by Azure, whose addresses have a form of their own."""
    try:
        return (urlsplit(base_url).hostname or "").endswith(_AZURE_HOSTS)
    except ValueError:
        return False


def address_hint(base_url: str) -> str:
    """What is probably wrong with a model's ``base_url``; empty where nothing strikes."""
    try:
        parts = urlsplit(base_url)
        host = parts.hostname or ""
    except ValueError:
        return ""
    path = parts.path.rstrip("/")
    if is_azure(base_url) and not path.endswith("/openai/v1"):
        return (
            f"an Azure base_url ends in /openai/v1 (here: https://{host}/openai/v1), without deployment or "
            "api-version; the model is the name of the deployment"
        )
    for ending in ("/chat/completions", "/completions", "/responses", "/models"):
        if path.endswith(ending):
            return f"leave {ending} out of base_url"
    if not path:
        return f"most servers want a base_url that ends in /v1 (here: {shown_address(base_url).rstrip('/')}/v1)"
    return ""

"""One exchange as a vcr.py cassette, written and read through vcr.py's own serializers.

    interactions:            one, with request and response as vcr.py writes them; none where the call failed
    metadata:                format, service, kind, subject, sample, attempts, failure and the failed request
    version: 1               vcr.py's own
    notes:                   what the adapter noted, for example the extracted text of a page
    state:                   what became of it

The file is ASCII. vcr.py reads it as any other cassette and does not look at the rest. Notes and state come last, so
that they are changed without parsing what is before them. Headers go by allow-list in
writing and in reading, so that an old cassette that was made without a filter leaks nothing either.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import yaml
from vcr.request import Request
from vcr.serialize import deserialize, serialize
from vcr.serializers import yamlserializer
from vcr.serializers.compat import convert_to_unicode

from veriscore_agent.adapters.http.attempts import Attempt
from veriscore_agent.adapters.http.exchange import Call
from veriscore_agent.adapters.http.secrets import NO_SECRETS, Secrets
from veriscore_agent.adapters.recording.keys import Identity, identify
from veriscore_agent.errors import Service

FORMAT = 1
"""Version of what stands in ``metadata``. A newer one is refused."""

REQUEST_HEADERS = frozenset({"accept", "accept-language", "content-type", "user-agent"})
"""Request headers that are recorded."""

RESPONSE_HEADERS = frozenset(
    {
        "cache-control",
        "cf-mitigated",
        "content-disposition",
        "content-language",
        "content-location",
        "content-type",
        "date",
        "etag",
        "expires",
        "last-modified",
        "link",
        "location",
        "openai-processing-ms",
        "openai-version",
        "refresh",
        "retry-after",
        "retry-after-ms",
        "server",
        "www-authenticate",
        "x-ratelimit-limit-requests",
        "x-ratelimit-limit-tokens",
        "x-ratelimit-remaining-requests",
        "x-ratelimit-remaining-tokens",
        "x-ratelimit-reset-requests",
        "x-ratelimit-reset-tokens",
        "x-request-id",
        "x-robots-tag",
    }
)
"""Response headers that are recorded, and handed on: an adapter sees live what it will see in a replay."""

_ADDRESSES = frozenset({"location", "content-location"})

Pairs = tuple[tuple[str, str], ...]
State = Literal["received", "accepted", "rejected", "failed"]
"""received: it came, and its adapter has said nothing yet; accepted: its adapter could read it; rejected: it could
not, or the response is an error; failed: the transport raised."""
_LAST_LINE = b"\nversion: 1\n"
"""How the unchanging part ends: nothing else in it has this line at its first column."""


class UnreadableCassetteError(ValueError):
    """The text is no cassette of ours."""


@dataclass(frozen=True, slots=True)
class RecordedResponse:
    """A response with its body decoded."""

    status: int
    headers: Pairs
    body: bytes
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RecordedFailure:
    """An exception that the transport raised."""

    type: str
    """Name of its class."""
    message: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """One exchange as it is kept."""

    service: Service
    call: Call
    method: str
    url: str
    request_headers: Pairs
    request_body: bytes
    outcome: RecordedResponse | RecordedFailure
    attempts: tuple[Attempt, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)
    state: State = "received"

    @property
    def identity(self) -> Identity:
        """What the exchange is found by."""
        return identify(
            self.service, self.method, self.url, self.request_body, sample=self.call.sample, secrets=NO_SECRETS
        )


def scrubbed(recorded: Recorded, secrets: Secrets) -> Recorded:
    """The exchange as it may be written: headers by allow-list, keys and known secrets taken out."""
    outcome: RecordedResponse | RecordedFailure
    if isinstance(recorded.outcome, RecordedResponse):
        outcome = RecordedResponse(
            recorded.outcome.status,
            _allowed(recorded.outcome.headers, RESPONSE_HEADERS, secrets),
            secrets.data(recorded.outcome.body),
            secrets.text(recorded.outcome.reason),
        )
    else:
        outcome = RecordedFailure(recorded.outcome.type, secrets.text(recorded.outcome.message))
    return Recorded(
        service=recorded.service,
        call=Call(recorded.call.kind, secrets.text(recorded.call.subject), recorded.call.sample),
        method=recorded.method,
        url=secrets.url(recorded.url),
        request_headers=_allowed(recorded.request_headers, REQUEST_HEADERS, secrets),
        request_body=secrets.body(recorded.request_body),
        outcome=outcome,
        attempts=tuple(replace(attempt, error=secrets.text(attempt.error)) for attempt in recorded.attempts),
        notes=secrets.json(plain(recorded.notes)),
        state=recorded.state,
    )


def _allowed(headers: Pairs, allowed: frozenset[str], secrets: Secrets) -> Pairs:
    """Names in lower case. An address in a header loses its keys as any other."""
    kept = [(name.lower(), value) for name, value in headers if name.lower() in allowed]
    return tuple((name, secrets.url(value) if name in _ADDRESSES else secrets.text(value)) for name, value in kept)


def dump(recorded: Recorded) -> bytes:
    """The text of the cassette. What must not be written has to be taken out before (``scrubbed``)."""
    request = Request(recorded.method, recorded.url, recorded.request_body, dict(recorded.request_headers))
    metadata: dict[str, Any] = {
        "format": FORMAT,
        "service": recorded.service,
        "kind": recorded.call.kind,
        "subject": recorded.call.subject,
        "sample": recorded.call.sample,
        "attempts": [_attempt_out(attempt) for attempt in recorded.attempts],
    }
    requests, responses = [request], []
    if isinstance(recorded.outcome, RecordedResponse):
        responses = [_response_out(recorded.outcome)]
    else:
        metadata["failure"] = {"type": recorded.outcome.type, "message": recorded.outcome.message}
        metadata["request"] = convert_to_unicode(request._to_dict())
    cassette = {"requests": requests, "responses": responses, "metadata": _to_yaml(metadata)}
    text: str = serialize(cassette, yamlserializer)
    return with_end(text.encode("ascii"), recorded.notes, recorded.state)


def with_end(cassette: bytes, notes: Mapping[str, Any], state: State) -> bytes:
    """The same cassette with these notes and this state; the rest is copied and not parsed."""
    end: dict[str, Any] = {"state": state}
    if notes:
        end["notes"] = _to_yaml(plain(notes))
    text: str = yamlserializer.serialize(end)
    return cassette[: cassette.index(_LAST_LINE) + len(_LAST_LINE)] + text.encode("ascii")


def load(cassette: bytes) -> Recorded:
    """The exchange of a cassette. Raises UnreadableCassetteError."""
    try:
        data = yamlserializer.deserialize(cassette.decode("ascii"))
        metadata = _from_yaml(data["metadata"])
        if metadata["format"] > FORMAT:
            raise UnreadableCassetteError(
                f"its format {metadata['format']} is newer than {FORMAT}, which is known here"
            )
        if data["state"] not in get_args(State):
            raise UnreadableCassetteError(f"its state {data['state']!r} is not known")
        requests, responses, *_ = deserialize("", _Parsed(data))
        request = requests[0] if requests else Request._from_dict(metadata["request"])
        return Recorded(
            service=metadata["service"],
            call=Call(metadata["kind"], metadata["subject"], metadata["sample"]),
            method=request.method,
            url=request.uri,
            request_headers=_pairs({name: [value] for name, value in request.headers.items()}, REQUEST_HEADERS),
            request_body=request.body or b"",
            outcome=_response_in(responses[0]) if responses else RecordedFailure(**metadata["failure"]),
            attempts=tuple(Attempt(began_s=0.0, **attempt) for attempt in metadata["attempts"]),
            notes=_from_yaml(data.get("notes") or {}),
            state=data["state"],
        )
    except UnreadableCassetteError:
        raise
    except (yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError, IndexError) as problem:
        said = " ".join(str(problem).split())
        raise UnreadableCassetteError(f"no cassette of an exchange ({type(problem).__name__}: {said})") from problem


class _Parsed:
    """Stands for a serializer of vcr.py, so that a file is parsed once and not once more for its notes."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def deserialize(self, _text: str) -> dict[str, Any]:
        return self._data


def _attempt_out(attempt: Attempt) -> dict[str, Any]:
    return {
        "status": attempt.status,
        "error": attempt.error,
        "seconds": round(attempt.seconds, 3),
        "waited_s": round(attempt.waited_s, 3),
        "final": attempt.final,
    }


def _response_out(response: RecordedResponse) -> dict[str, Any]:
    headers: dict[str, list[str]] = {}
    for name, value in response.headers:
        headers.setdefault(name, []).append(value)
    # The body is decoded, so no other length may be announced.
    headers["content-length"] = [str(len(response.body))]
    status = {"code": response.status, "message": response.reason}
    return {"status": status, "headers": headers, "body": {"string": response.body}}


def _response_in(response: dict[str, Any]) -> RecordedResponse:
    headers = _pairs(response["headers"], RESPONSE_HEADERS)
    return RecordedResponse(
        response["status"]["code"], headers, response["body"]["string"] or b"", response["status"]["message"] or ""
    )


def _pairs(headers: Mapping[str, Sequence[str]], allowed: frozenset[str]) -> Pairs:
    return tuple(
        (name.lower(), value) for name, values in headers.items() for value in values if name.lower() in allowed
    )


def plain(value: Any) -> Any:
    """The value as JSON gives it back. Raises TypeError or ValueError where it is not JSON-able."""
    return json.loads(json.dumps(value))


def _to_yaml(value: Any) -> Any:
    """YAML cannot carry a lone surrogate. A text with one goes as bytes, which nothing else here is."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return value.encode("utf-8", "surrogatepass")
        return value
    if isinstance(value, dict):
        return {_to_yaml(name): _to_yaml(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_to_yaml(each) for each in value]
    return value


def _from_yaml(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogatepass")
    if isinstance(value, dict):
        return {_from_yaml(name): _from_yaml(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_from_yaml(each) for each in value]
    return value

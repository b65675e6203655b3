"""The folder of exchanges: one vcr.py cassette each, whole or not there, without secrets."""

from __future__ import annotations

import gzip
import json
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
import vcr
from hypothesis import given, settings
from hypothesis import strategies as st

from veriscore_agent.adapters.http.attempts import Attempt
from veriscore_agent.adapters.http.exchange import Call
from veriscore_agent.adapters.http.secrets import Secrets
from veriscore_agent.adapters.recording.cassette import (
    FORMAT,
    Recorded,
    RecordedFailure,
    RecordedResponse,
    UnreadableCassetteError,
    dump,
    load,
    with_end,
)
from veriscore_agent.adapters.recording.handle import StoredExchange
from veriscore_agent.adapters.recording.manifest import read_manifest, recording_folder, write_manifest
from veriscore_agent.adapters.recording.store import ExchangeStore
from veriscore_agent.errors import ConfigurationError, InputError, StopRunError


def exchange(**changes: Any) -> Recorded:
    """A model call that went well."""
    usual = Recorded(
        service="model",
        call=Call("judge", "claim 7 at snippets", 0),
        method="POST",
        url="http://127.0.0.1:9/v1/chat/completions",
        request_headers=(("content-type", "application/json"),),
        request_body=b'{"model": "m"}',
        outcome=RecordedResponse(200, (("content-type", "application/json"),), b'{"choices": []}', "OK"),
        attempts=(Attempt(began_s=0.0, seconds=0.5, status=200),),
    )
    return replace(usual, **changes)


def with_body(body: bytes) -> Recorded:
    return exchange(outcome=RecordedResponse(200, (("content-type", "text/plain"),), body, "OK"))


BODIES = {
    "every byte (I07)": bytes(range(256)),
    "gzip": gzip.compress(b"packed"),
    "latin-1": "déjà vu".encode("latin-1"),
    "half an emoji, escaped": rb'{"response": "The bridge \ud83d opened"}',
    "half an emoji, raw": "The bridge \ud83d".encode("utf-8", "surrogatepass"),
    "emoji": "bridge 🌉".encode(),
    "line ends": b"a\r\nb\nc\rd\xc2\x85e\xe2\x80\xa8f",
    "spaces at the ends": b"  \n x \n  ",
    "empty": b"",
    "looks like yaml": b"- a: &x 1\n- *x\n--- \n...\nnotes:\n",
    "byte order mark": b"\xef\xbb\xbfx",
    "null": b"\x00",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_a_body_comes_back_as_it_was(body: bytes, tmp_path: Path) -> None:
    store = ExchangeStore(tmp_path)
    recorded = replace(with_body(body), request_body=body)
    store.write(recorded, "k")
    found = store.find("model", "k")
    assert found is not None
    assert found.recorded.outcome == recorded.outcome
    assert found.recorded.request_body == body
    assert found.recorded.call == recorded.call


@settings(max_examples=150, deadline=None)
@given(body=st.binary() | st.text().map(str.encode), subject=st.text(st.characters()), notes=st.text(st.characters()))
def test_any_exchange_comes_back_as_it_was(body: bytes, subject: str, notes: str) -> None:
    recorded = replace(with_body(body), request_body=body, call=Call("judge", subject, 3), notes={"text": notes})
    back = load(dump(recorded))
    assert back.outcome == recorded.outcome
    assert back.request_body == body
    assert back.call == recorded.call
    assert back.notes == recorded.notes


_json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters()), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(notes=st.dictionaries(st.text(st.characters()), _json_values, max_size=3))
def test_any_json_value_can_be_noted(notes: dict[str, Any]) -> None:
    cassette = dump(with_body(b"\nversion: 1\nnotes:\nstate: x\n"))
    noted = with_end(cassette, notes, "accepted")
    assert (load(noted).notes, load(noted).state) == (notes, "accepted")
    assert with_end(noted, {}, "received") == cassette, "notes are replaced, not added up"


@pytest.mark.anyio
@pytest.mark.parametrize("body", [b'{"a": "\xe2\x82\xac"}', bytes(range(256))], ids=["text", "binary"])
async def test_vcr_itself_replays_a_cassette_of_ours(body: bytes, tmp_path: Path) -> None:
    store = ExchangeStore(tmp_path)
    outcome = RecordedResponse(418, (("content-type", "text/x"), ("link", "<a>"), ("link", "<b>")), body, "Short")
    recorded = exchange(outcome=outcome, request_body=b"\xff{}", url="http://127.0.0.1:9/v1?b=2")
    stored = store.write(recorded, "k")
    handle = StoredExchange(stored, store, replayed=False)
    handle.note("page", {"text": "extracted"})
    handle.accept()
    with vcr.VCR(record_mode="none").use_cassette(str(tmp_path / "model" / "k.yaml")):
        async with httpx.AsyncClient() as client:
            response = await client.post("http://127.0.0.1:9/v1?b=2", content=b"\xff{}")
    assert (response.status_code, response.content, response.reason_phrase) == (418, body, "Short")
    assert response.headers.get_list("link") == ["<a>", "<b>"]
    assert response.headers["content-length"] == str(len(body))


def test_an_exchange_that_failed_is_kept_with_its_request(tmp_path: Path) -> None:
    store = ExchangeStore(tmp_path)
    failed = exchange(outcome=RecordedFailure("ReadTimeout", "no answer"), state="failed")
    store.write(failed, "k")
    found = store.find("model", "k")
    assert found is not None
    assert (found.recorded.state, found.recorded.outcome) == ("failed", failed.outcome)
    assert found.recorded.identity == failed.identity


def kept(store: ExchangeStore) -> tuple[str, object]:
    """State and notes on disk."""
    found = store.find("model", "k")
    assert found is not None
    return found.recorded.state, dict(found.recorded.notes)


def test_what_became_of_an_exchange_is_kept_with_it(tmp_path: Path) -> None:
    store = ExchangeStore(tmp_path)
    handle = StoredExchange(store.write(exchange(), "k"), store, replayed=False)
    assert kept(store) == ("received", {})
    handle.reject()
    assert kept(store) == ("rejected", {})
    handle.note("why", "prose where JSON was asked for")
    assert kept(store) == ("rejected", {})
    handle.reject()
    assert kept(store) == ("rejected", {"why": "prose where JSON was asked for"})
    handle.accept()
    assert kept(store) == ("accepted", {"why": "prose where JSON was asked for"})
    found = store.find("model", "k")
    assert found is not None
    assert found.recorded.outcome == exchange().outcome
    assert [path.name for path in (tmp_path / "model").iterdir()] == ["k.yaml"]


def test_saying_the_same_again_writes_nothing(tmp_path: Path) -> None:
    store = ExchangeStore(tmp_path)
    handle = StoredExchange(store.write(exchange(), "k"), store, replayed=False)
    handle.note("page", {"text": "t"})
    handle.accept()
    (tmp_path / "model" / "k.yaml").unlink()
    handle.note("page", {"text": "t"})
    handle.accept()
    assert store.find("model", "k") is None


def test_a_note_that_is_not_json_is_refused_when_it_is_written(tmp_path: Path) -> None:
    store = ExchangeStore(tmp_path)
    handle = StoredExchange(store.write(exchange(), "k"), store, replayed=False)
    handle.note("page", object())
    with pytest.raises(TypeError):
        handle.accept()
    assert kept(store) == ("received", {})


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "empty"),
        (dump(exchange())[:200], "half"),
        (b"\xff\xfe", "not ASCII"),
        (b"interactions: []\nversion: 1\n", "a cassette, but none of ours"),
        (dump(exchange()).replace(b"format: 1", b"format: 99"), "newer"),
        (dump(exchange()).replace(b"state: received", b"state: eaten"), "a state that is not known"),
        (b"interactions: !!python/object/apply:os.system ['true']", "code"),
        (b"[1, 2]", "a list"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_that_is_no_exchange_is_named(text: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "k.yaml").write_bytes(text)
    with pytest.raises(InputError, match=r"model.k\.yaml"):
        ExchangeStore(tmp_path).find("model", "k")
    with pytest.raises(UnreadableCassetteError):
        load(text)


def test_a_folder_that_cannot_be_written_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StopRunError, match="cannot be written"):
        ExchangeStore(tmp_path / "file").write(exchange(), "k")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        write_manifest(tmp_path / "file" / "x")


# ---------------------------------------------------------------- secrets

KEY = "sk-test-0123456789abcdef"
PASSWORD = "correct-horse/battery+staple"


def test_no_secret_reaches_the_disk(tmp_path: Path) -> None:
    """I02: every place where a key was seen in a cassette."""
    store = ExchangeStore(tmp_path, Secrets([KEY, PASSWORD, "EMPTY", None]))
    secret_headers = ("Authorization", "X-API-KEY", "api-key", "Cookie", "OpenAI-Organization", "Proxy-Authorization")
    recorded = exchange(
        url=f"https://user:{KEY}@api.example/v1?key={KEY}&q=EMPTY&api_key=unknown-one&X-Amz-Signature=unknown-two#access_token=unknown-three",
        request_headers=(*((name, f"Bearer {KEY}") for name in secret_headers), ("User-Agent", f"me {KEY}")),
        request_body=json.dumps({"api_key": "unknown-four", "q": f"my key is {KEY} EMPTY", "max_tokens": 5}).encode(),
        outcome=RecordedResponse(
            302,
            (
                ("Set-Cookie", "session=unknown-five"),
                ("OpenAI-Organization", "unknown-six"),
                ("Location", "https://api.example/next?token=unknown-seven&page=2"),
            ),
            f"Incorrect API key provided: {KEY}; and {json.dumps(PASSWORD)}".encode(),
            f"No {KEY}",
        ),
        call=Call("judge", f"claim with {KEY}", 0),
        attempts=(Attempt(0.0, 1.0, error=f"ConnectError: https://x.example/?token=unknown-eight and {KEY}"),),
        notes={"page": {"text": f"text with {KEY}"}},
    )
    handle = StoredExchange(store.write(recorded, "k"), store, replayed=False)
    handle.note("late", f"{KEY}")
    handle.accept()
    store.write(
        exchange(outcome=RecordedFailure("ConnectError", f"to https://a:{KEY}@b.example/?sig=unknown-nine")), "f"
    )
    write_manifest(tmp_path, about=f"with {KEY}", settings={"headers": {"a": [KEY]}}, secrets=Secrets([KEY]))
    everything = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()).decode()
    for secret in (KEY, PASSWORD, "unknown-", "Bearer", "session"):
        assert secret not in everything
    assert "EMPTY" in everything, "what a server without keys is given is no secret"
    assert "page=2" in everything
    assert "max_tokens" in everything


def test_what_is_scrubbed_keeps_its_identity() -> None:
    """A redirect is recorded scrubbed; followed in a replay, its address has to find the page."""
    secrets = Secrets([KEY])
    live = f"https://user:pw@a.example/x?token=first&id=7&key={KEY}"
    for service in ("page", "search", "model"):
        for url in (live, live.replace("first", "second")):
            fresh = exchange(service=service, url=url, request_body=b"", method="GET")
            as_written = replace(fresh, url=secrets.url(url))
            assert as_written.url == secrets.url(as_written.url)
            assert fresh.identity == as_written.identity
    first, second = (exchange(service="page", url=f"https://a.example/?token={n}").identity for n in "12")
    assert first != second, "a stranger's token may name another page"


def test_an_old_unfiltered_cassette_is_filtered_when_it_is_copied(tmp_path: Path) -> None:
    """I10: a recording made without filters is read, and rewritten into another run."""
    old, new = ExchangeStore(tmp_path / "old"), ExchangeStore(tmp_path / "new", Secrets([KEY]))
    (tmp_path / "old" / "model").mkdir(parents=True)
    unfiltered = f"authorization:\n      - Bearer {KEY}\n      set-cookie:\n      - a=b\n      content-type:\n"
    text = dump(exchange()).replace(b"content-type:\n", unfiltered.encode())
    (tmp_path / "old" / "model" / "k.yaml").write_bytes(text)
    assert text.count(KEY.encode()) == 2, "in the request and in the response"
    found = old.find("model", "k")
    assert found is not None
    new.write(found.recorded, "k")
    written = (tmp_path / "new" / "model" / "k.yaml").read_text()
    assert "authorization" not in written
    assert "set-cookie" not in written
    assert KEY not in written


# ---------------------------------------------------------------- description


def test_a_recording_describes_itself_once(tmp_path: Path) -> None:
    written = write_manifest(tmp_path / "r", about="made for a test", settings={"gl": "us", "stages": ("a", "b")})
    again = write_manifest(tmp_path / "r", about="another")
    assert written == again == read_manifest(tmp_path / "r")
    assert written.settings == {"gl": "us", "stages": ["a", "b"]}
    assert written.package.startswith("veriscore-agent ")
    assert written.format == FORMAT


def test_the_folder_of_a_run_means_its_exchanges(tmp_path: Path) -> None:
    write_manifest(tmp_path / "run" / "exchanges")
    assert recording_folder(tmp_path / "run") == tmp_path / "run" / "exchanges"
    assert recording_folder(tmp_path / "run" / "exchanges") == tmp_path / "run" / "exchanges"


@pytest.mark.parametrize("name", ["nosuch.yaml", "nosuch", "empty"])
def test_a_recording_that_is_not_there_is_said_to_be_missing(name: str, tmp_path: Path) -> None:
    """I12: and not that something cannot be overwritten."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=rf"{name}: no (such )?recording"):
        recording_folder(tmp_path / name)
    with pytest.raises(InputError, match="file not found"):
        read_manifest(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("{", "half"),
        ('{"format": 1}', "fields"),
        ('{"about":"","settings":{},"format":99,"package":"x"}', "format 99"),
    ],
)
def test_a_description_that_cannot_be_read_is_named(text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "recording.json").write_text(text)
    with pytest.raises(InputError, match=r"recording\.json"):
        read_manifest(tmp_path)


# ---------------------------------------------------------------- processes, threads, kills

WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
from veriscore_agent.adapters.http.exchange import Call
from veriscore_agent.adapters.recording.cassette import Recorded, RecordedResponse
from veriscore_agent.adapters.recording.handle import StoredExchange
from veriscore_agent.adapters.recording.store import ExchangeStore

folder, name, keys = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store = ExchangeStore(folder)
print("ready", flush=True)
for number in range(1_000_000):
    key = f"k{number % keys}"
    body = f"{name} {number} ".encode() * 5_000 + b"end"
    answer = RecordedResponse(200, (), body)
    recorded = Recorded("page", Call("page", key), "GET", "http://a.example/", (), b"", answer)
    handle = StoredExchange(store.write(recorded, key), store, replayed=False)
    print(key, flush=True)
    handle.note("page", {"text": body.decode()})
    handle.accept()
"""


def start_writer(folder: Path, name: str, keys: int) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", WRITER, str(folder), name, str(keys)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


def check_whole(store: ExchangeStore, key: str) -> None:
    found = store.find("page", key)
    assert found is not None, f"{key} was received and is lost"
    assert isinstance(found.recorded.outcome, RecordedResponse)
    assert found.recorded.outcome.body.endswith(b"end")
    if found.recorded.state == "accepted":
        assert found.recorded.notes["page"]["text"].endswith("end")


@pytest.mark.parametrize("seed", range(4))
def test_a_kill_loses_nothing_that_was_received(seed: int, tmp_path: Path) -> None:
    """K03, K09: killed at a random moment, every exchange that was received is there, and every file is whole."""
    with start_writer(tmp_path, "only", 1_000_000) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        time.sleep(random.Random(seed).uniform(0.05, 0.3))
        writer.send_signal(signal.SIGKILL)
        received = writer.stdout.read().split()
    store = ExchangeStore(tmp_path)
    assert len(received) > 3
    for key in received:
        check_whole(store, key)
    for path in store.all("page"):
        load(path.read_bytes())


def test_two_processes_and_a_reader_share_a_folder(tmp_path: Path) -> None:
    """Both write the same few keys; whoever looks finds a whole exchange of one of them."""
    writers = [start_writer(tmp_path, name, 3) for name in ("one", "two")]
    store = ExchangeStore(tmp_path)
    try:
        for writer in writers:
            assert writer.stdout is not None
            for line in ("ready", "k0", "k1", "k2"):
                assert writer.stdout.readline() == f"{line}\n"
        ends, looks = time.monotonic() + 1.0, 0
        while time.monotonic() < ends:
            check_whole(store, f"k{looks % 3}")
            looks += 1
    finally:
        for writer in writers:
            writer.kill()
            writer.communicate()
    assert looks > 20


def test_many_threads_write_one_key(tmp_path: Path) -> None:
    store = ExchangeStore(tmp_path)
    bodies = [f"{n} ".encode() * 3_000 + b"end" for n in range(8)]

    def work(body: bytes) -> None:
        for _ in range(10):
            handle = StoredExchange(store.write(replace(with_body(body), service="page"), "k"), store, replayed=False)
            handle.note("page", {"text": body.decode()})
            handle.accept()
            check_whole(store, "k")

    threads = [threading.Thread(target=work, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check_whole(store, "k")
    assert not [path for path in (tmp_path / "page").iterdir() if path.name.startswith(".")]

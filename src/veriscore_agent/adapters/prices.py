"""The price table: the package's own, and a file of the user's before it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib.resources import files
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from veriscore_agent.errors import ConfigurationError

_DATE = re.compile(r"-\d{4}-\d{2}-\d{2}$")
_STRICT = ConfigDict(extra="forbid")
_Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Entry = TypeVar("Entry")


@checked_dataclass(frozen=True, config=_STRICT)
class ModelPrice:
    """US dollars per million tokens of one model."""

    input: _Dollars
    output: _Dollars
    cached_input: _Dollars | None = None
    """None: cached input costs what input costs."""

    def cost(self, *, input_tokens: int, cached_tokens: int = 0, output_tokens: int) -> float:
        """US dollars of one call; ``cached_tokens`` are among ``input_tokens``."""
        cached_price = self.input if self.cached_input is None else self.cached_input
        fresh = input_tokens - cached_tokens
        return (fresh * self.input + cached_tokens * cached_price + output_tokens * self.output) / 1_000_000


@checked_dataclass(frozen=True, config=_STRICT)
class SearchPrice:
    """US dollars per thousand credits of one search service; a search of ten results is one credit."""

    per_thousand: _Dollars

    def cost(self, credits: int = 1) -> float:
        """US dollars of one search."""
        return self.per_thousand * credits / 1000


@checked_dataclass(frozen=True, config=_STRICT)
class PriceTable:
    """One file of prices: models by name, search services by host. A name may be a pattern with ``*``."""

    models: Mapping[str, ModelPrice] = field(default_factory=dict)
    search: Mapping[str, SearchPrice] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Prices:
    """Price tables, the first that knows a name decides."""

    tables: tuple[PriceTable, ...]

    def of_model(self, name: str) -> ModelPrice | None:
        """The price of a model; None where no table knows it."""
        return next((found for table in self.tables if (found := _entry(table.models, name))), None)

    def of_search(self, host: str) -> SearchPrice | None:
        """The price of a search service by its host; None where no table knows it."""
        return next((found for table in self.tables if (found := _entry(table.search, host))), None)


def load_prices(path: Path | None = None) -> Prices:
    """The package's prices, those of the TOML file ``path`` before them. Raises ConfigurationError for a bad file."""
    packaged = files(__package__).joinpath("prices.toml").read_text(encoding="utf-8")
    tables = [_read_table(packaged, "prices.toml")]
    if path is not None:
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as problem:
            raise ConfigurationError(f"price file {path}: {problem}") from problem
        tables.insert(0, _read_table(text, str(path)))
    return Prices(tuple(tables))


def _read_table(text: str, name: str) -> PriceTable:
    try:
        return TypeAdapter(PriceTable).validate_python(tomllib.loads(text))
    except tomllib.TOMLDecodeError as problem:
        raise ConfigurationError(f"price file {name} is not TOML: {problem}") from problem
    except ValidationError as problem:
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(f"price file {name}: {where}: {first['msg']}") from None


def _entry(entries: Mapping[str, Entry], name: str) -> Entry | None:
    """The entry of that name, of the name without its date, or of the longest pattern that covers it."""
    for key in (name, _DATE.sub("", name)):
        if key in entries:
            return entries[key]
    patterns = sorted((key for key in entries if "*" in key and fnmatchcase(name, key)), key=len)
    return entries[patterns[-1]] if patterns else None

"""Imports point one way, and only the edge touches sockets, disks and the environment."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "src" / "veriscore_agent"

# What each layer may import of this package. A layer may always import itself.
ALLOWED = {
    "domain": set(),
    "errors": {"domain"},
    "concurrency": set(),
    "prompts": {"domain", "errors"},
    "settings": {"domain", "errors"},
    "core": {"domain", "errors", "prompts"},
    "ports": {"domain", "errors", "core"},
    "adapters": {"domain", "errors", "core", "ports", "prompts", "settings", "concurrency", "report"},
    "report": {"domain", "errors", "core"},
    "asking": {"domain", "errors", "ports"},
    "graph": {"domain", "errors", "core", "ports", "asking", "concurrency"},
    "extractor": {"domain", "errors", "core", "ports", "prompts", "settings", "asking", "concurrency"},
    "runner": {
        *("domain", "errors", "core", "ports", "prompts", "settings", "graph", "extractor", "concurrency"),
    },
    "wiring": {"domain", "errors", "core", "ports", "prompts", "settings", "adapters", "concurrency"},
}
PURE_FORBIDDEN = {
    "os",
    "time",
    "datetime",
    "socket",
    "asyncio",
    "anyio",
    "httpx",
    "httpx2",
    "openai",
    "pathlib",
    "subprocess",
}
EDGE_ONLY = {"httpx", "httpx2", "httpcore", "openai", "socket", "trafilatura", "vcr", "protego", "tiktoken"}


def modules() -> Iterator[tuple[str, Path]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        yield parts[0], path


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def own_layers(path: Path) -> set[str]:
    names = (name.split(".") for name in imports_of(path))
    known = {each.stem for each in PACKAGE.iterdir()}
    return {name[1] for name in names if name[0] == "veriscore_agent" and len(name) > 1 and name[1] in known}


@pytest.mark.parametrize(("layer", "path"), [pair for pair in modules() if pair[0] in ALLOWED])
def test_a_layer_imports_only_what_lies_below_it(layer: str, path: Path) -> None:
    assert own_layers(path) <= ALLOWED[layer] | {layer}


@pytest.mark.parametrize("path", [path for layer, path in modules() if layer not in {"wiring", "adapters"}])
def test_wiring_alone_imports_adapters(path: Path) -> None:
    assert "adapters" not in own_layers(path)


@pytest.mark.parametrize("path", [path for layer, path in modules() if layer in {"core", "domain", "ports"}])
def test_the_core_is_pure(path: Path) -> None:
    roots = {name.split(".")[0] for name in imports_of(path)}
    assert not roots & PURE_FORBIDDEN
    assert not [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Await)]


@pytest.mark.parametrize("path", [path for layer, path in modules() if layer not in {"adapters", "wiring"}])
def test_only_adapters_know_sockets(path: Path) -> None:
    assert not {name.split(".")[0] for name in imports_of(path)} & EDGE_ONLY


@pytest.mark.parametrize("path", [path for layer, path in modules() if layer != "settings"])
def test_only_settings_read_the_environment(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    reads = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}]
    assert not reads

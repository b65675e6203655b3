"""How soon is the page that a claim needs opened? By the engine's order, and by that of ``choose_links``.

    python benchmarks/links.py [FOLDER OF THE LABELLED DATA]

Three measures, on labelled claims whose right page is known:

- ``small web``: WiCE claims searched in a small web of all their pages (``tools/small_web.py``). Its engine ranks by
  the whole text of a page, which a snippet shows one sentence of: here its order can hardly be bettered, only spoilt.
- ``ranks as on the web``: the same results, the right one put at a rank drawn as the VeriScore paper measured the
  usefulness of Google's ranks (35.6% for the first, 13.3% for the last), the others around it in a drawn order. The
  others are of other subjects oftener than Google's would be, so the gain is an upper bound.
- ``fact-check passages``: the stored web passages of a Factcheck-Bench claim, by page, the first 160 characters of the
  nearest passage as snippet; right is a page with a passage that speaks for or against the claim. How those pages
  were ordered when they were collected is not known.

Shares of claims whose right page is among the first 1, 2, 3 opened. The last line is one JSON object of the figures.
Exit 1 where a share is below its floor, 2 where the data is absent.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from veriscore_agent.core.links import choose_links
from veriscore_agent.core.passages.terms import terms
from veriscore_agent.domain import Snippet

OPENED = (1, 2, 3)
DRAWS = 5
FLOORS = {
    "small web": (0.885, 0.935, 0.96),
    "ranks as on the web": (0.75, 0.835, 0.885),
    "fact-check passages": (0.67, 0.915, 0.98),
}
"""Of our order: about one claim in a hundred below what was measured on the data of these digests."""
DATA_SHA256 = {
    "wice_dev.jsonl": "a25defa735c3df37c1ae9e2911b28621cadc74fe341ff15e3627e1019cf704ce",
    "factcheck_bench.jsonl": "1e1c05c8e8b93bbec65e32f8c75c889205c77172f7c26debfd35c56b332cf650",
}

Order = Callable[[str, Sequence[Snippet]], Sequence[str]]


@dataclass(frozen=True)
class Case:
    """One claim with its results in the engine's order, and the links of those that are right."""

    claim: str
    results: tuple[Snippet, ...]
    right: frozenset[str]


def engine(claim: str, results: Sequence[Snippet]) -> Sequence[str]:
    """As the engine has them."""
    return [each.link for each in results]


def ours(claim: str, results: Sequence[Snippet]) -> Sequence[str]:
    """As the claim graph opens them where nothing of the claim is settled."""
    return choose_links(results, (), claim=claim, limit=len(results))


def main(folder: Path) -> int:
    """Print the figures; 0 where every floor is held."""
    wice, bench = (folder / "data" / name for name in ("wice_dev.jsonl", "factcheck_bench.jsonl"))
    web = folder / "tools" / "small_web.py"
    if not (wice.is_file() and bench.is_file() and web.is_file()):
        print(f"no labelled data in {folder}; set LABELLED_DATA to its folder", file=sys.stderr)
        return 2
    for path in (wice, bench):
        if hashlib.sha256(path.read_bytes()).hexdigest() != DATA_SHA256[path.name]:
            print(f"{path.name} is not the one that the floors were measured on", file=sys.stderr)
    small = list(small_web_cases(wice, web))
    measured = {
        "small web": small,
        "ranks as on the web": [case for each in small for case in redrawn(each)],
        "fact-check passages": list(factcheck_cases(bench)),
    }
    figures: dict[str, Any] = {}
    for name, cases in measured.items():
        shares = {order.__name__: _shares(cases, order) for order in (engine, ours)}
        figures[name] = {"claims": len(cases), **shares}
        print(f"{name:22}{len(cases):6} ", *(f"{of}: {_shown(each)} " for of, each in shares.items()))
    held = all(
        share >= floor
        for name, floors in FLOORS.items()
        for share, floor in zip(figures[name]["ours"], floors, strict=True)
    )
    print(json.dumps(figures | {"floors_held": held}))
    return int(not held)


def small_web_cases(wice: Path, web: Path) -> Iterator[Case]:
    """Every WiCE claim, with its article's title in front and without; also those whose page is not found."""
    spec = importlib.util.spec_from_file_location("small_web", web)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    rows = _rows(wice)
    index = module.Index(rows)
    for row in rows:
        for claim in (f"{row['claim_title']}: {row['claim']}", row["claim"]):
            results = tuple(
                Snippet(f"S{at}", index.title(key)[:90], f"https://{key}.example/", index.snippet(key, claim))
                for at, key in enumerate(index.search(claim, 10), 1)
            )
            yield Case(claim, results, frozenset({f"https://{row['id']}.example/"}))


def redrawn(case: Case) -> Iterator[Case]:
    """The case with its right page at a rank drawn by usefulness, some times over; none where it was not found."""
    right = [each for each in case.results if each.link in case.right]
    others = [each for each in case.results if each.link not in case.right]
    if not right:
        return
    for draw in range(DRAWS):
        chance = random.Random(f"{draw} {case.claim}")
        shuffled = chance.sample(others, len(others))
        weights = [0.356 * (0.133 / 0.356) ** (rank / 9) for rank in range(len(case.results))]
        (rank,) = chance.choices(range(len(case.results)), weights)
        results = [*shuffled[:rank], right[0], *shuffled[rank:]]
        yield replace(case, results=tuple(results))


def factcheck_cases(bench: Path) -> Iterator[Case]:
    """Claims with two pages or more, of which some are right and some are not."""
    for row in _rows(bench):
        pages: dict[str, list[dict[str, Any]]] = {}
        for passage in row["evidence"]:
            pages.setdefault(passage["url"].partition("#")[0], []).append(passage)
        right = {url for url, of_page in pages.items() if any(_takes_a_stand(each) for each in of_page)}
        if 0 < len(right) < len(pages):
            results = tuple(Snippet("S", "", url, _nearest(row["claim"], of_page)) for url, of_page in pages.items())
            yield Case(row["claim"], results, frozenset(right))


def _takes_a_stand(passage: dict[str, Any]) -> bool:
    return passage["stance"] not in (None, "irrelevant")


def _nearest(claim: str, passages: Sequence[dict[str, Any]]) -> str:
    asked = set(terms(claim))
    beginnings: list[str] = [each["text"][:160] for each in passages]
    return max(beginnings, key=lambda text: len(asked & set(terms(text))))


def _shares(cases: Sequence[Case], order: Order) -> list[float]:
    firsts = [list(order(case.claim, case.results)) for case in cases]
    return [
        round(
            sum(bool(case.right & {*links[:count]}) for case, links in zip(cases, firsts, strict=True)) / len(cases), 3
        )
        for count in OPENED
    ]


def _shown(shares: Sequence[float]) -> str:
    return " ".join(f"@{count} {share:.3f}" for count, share in zip(OPENED, shares, strict=True))


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


if __name__ == "__main__":
    default = Path(os.environ.get("LABELLED_DATA", Path(__file__).resolve().parent.parent.parent / "shared"))
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else default))

"""Do the chosen passages bring the evidence? Measured on claims whose evidence annotators marked, and on table rows.

    python benchmarks/passages.py [FOLDER OF THE LABELLED DATA]

WiCE (319 claims with support): a claim counts where one whole set of supporting sentences lies inside the passages of
its page. Tokens are characters / 4, and everything that the prompt holds of the passages is charged: ids, headings,
indentation. "text" charges only what is quoted from the page, as sentence selectors are measured elsewhere. The query
is the claim with the title of the article that it stands in, or the claim alone.

Tables (the pages with a gold table): for each, five claims ``{subject} {header}: {value}`` are drawn with a seed, where
subject is the row's first cell that is not a number and stands in no other row, and value is another cell that is not
empty; fewer where there are not so many. A claim counts where one passage, or its title, holds the row: subject, value
and the value's header (letters and digits only, NFKC, lower case). The whole page is extracted and 600 tokens chosen.

Copies: each WiCE page beside a mirror of it at another address that lacks every tenth sentence, 600 tokens of both.
Figures: share of the sent sentences that are sent twice, and share of the passages that tell of both pages.

Time is processor time for cutting and choosing, in milliseconds a page, without extraction. The last line is one JSON
object of the figures. Exit 1 where a figure is below its floor, 2 where the data is absent.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
import re
import statistics
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from veriscore_agent.adapters.pages.extract import extract_page
from veriscore_agent.core.passages import choose_passages, split_pieces
from veriscore_agent.domain import Page, Passage

BUDGETS = (300, 600, 1000)
TABLE_BUDGET = 600
TABLE_CLAIMS = 5
FLOORS: dict[str, tuple[float, ...]] = {
    "claim and title": (0.86, 0.948, 0.982),
    "claim and title, text": (0.87, 0.954, 0.982),
    "claim": (0.845, 0.939, 0.97),
    "tables": (0.983,),
    "copies told": (0.795,),
}
"""What was measured, less .005."""
TARGETS: dict[str, tuple[float, ...]] = {"claim and title": (0.90, 0.96, 0.985), "tables": (0.95,)}
DATA_SHA256 = {
    "wice_dev.jsonl": "a25defa735c3df37c1ae9e2911b28621cadc74fe341ff15e3627e1019cf704ce",
    "html_gold/index.jsonl": "530fce0000db962bacd1cea4f0066ec81adc11978f8b2066fce06219a931e26b",
}


@dataclass(frozen=True)
class Row:
    """One claim with its page and the sentences that support it."""

    claim: str
    title: str
    page: Page
    sets: list[list[int]]
    spans: list[tuple[int, int]]


def main(folder: Path) -> int:
    """Print the figures; 0 where every floor is held."""
    data = folder / "data"
    absent = [name for name in DATA_SHA256 if not (data / name).is_file()]
    if absent:
        print(f"no {', '.join(absent)} in {data}; set LABELLED_DATA to the folder that holds data/", file=sys.stderr)
        return 2
    for name, digest in DATA_SHA256.items():
        if hashlib.sha256((data / name).read_bytes()).hexdigest() != digest:
            print(f"{name} is not what the floors were measured on", file=sys.stderr)
    rows = list(wice_rows(data / "wice_dev.jsonl"))
    shares: dict[str, list[float]] = {
        "claim and title": _shares(rows),
        "claim and title, text": _shares(rows, text_only=True),
        "claim": _shares(rows, with_title=False),
    }
    share, claims, milliseconds = _tables(data / "html_gold")
    shares["tables"] = [share]
    twice, told = _copies(rows)
    shares["copies told"] = [told]
    for name, found in shares.items():
        print(f"{name:24}", *(f"{each:.3f}" for each in found), _beside_targets(found, TARGETS.get(name, ())))
    held = all(
        found >= floor for name, floors in FLOORS.items() for found, floor in zip(shares[name], floors, strict=True)
    )
    counts = {
        "rows": len(rows),
        "sent_twice": twice,
        "table_claims": claims,
        "table_page_ms": milliseconds,
        "wice_page_ms": _times(rows),
    }
    print(json.dumps(shares | counts | {"floors_held": held}))
    return int(not held)


def default_folder() -> Path:
    """``LABELLED_DATA``, or a folder ``shared`` beside the checkout."""
    return Path(os.environ.get("LABELLED_DATA", Path(__file__).resolve().parent.parent.parent / "shared"))


def wice_rows(path: Path) -> Iterator[Row]:
    """The claims that have support."""
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        sets = [each for each in row["support_sets"] if each]
        if sets:
            spans, at = [], 0
            for sentence in row["page_sentences"]:
                spans.append((at, at + len(sentence)))
                at += len(sentence) + 1
            page = Page("", "", "\n".join(row["page_sentences"]), None, row["id"])
            yield Row(row["claim"], row["claim_title"] or "", page, sets, spans)


def brings_a_set(row: Row, budget: int, *, with_title: bool = True, text_only: bool = False) -> bool:
    """Whether the passages within ``budget`` tokens hold a whole support set."""
    passages = choose_passages(
        f"{row.claim} {row.title}" if with_title else row.claim,
        (),
        [row.page],
        budget_tokens=budget * 4,
        count_tokens=_text_characters if text_only else len,
    )
    return any(all(_inside(row.spans[number], passages) for number in each) for each in row.sets)


def _shares(rows: Sequence[Row], *, with_title: bool = True, text_only: bool = False) -> list[float]:
    return [
        round(sum(brings_a_set(row, each, with_title=with_title, text_only=text_only) for row in rows) / len(rows), 3)
        for each in BUDGETS
    ]


def _text_characters(rendered: str) -> int:
    """Characters of a rendered passage without the line that names it and without indentation."""
    return len(rendered.partition("\n  ")[2].replace("\n  ", "\n"))


def _inside(span: tuple[int, int], passages: Sequence[Passage]) -> bool:
    return any(passage.start <= span[0] and span[1] <= passage.end for passage in passages)


def _copies(rows: Sequence[Row]) -> tuple[float, float]:
    """Share of the sent sentences that are sent twice, and share of the passages that tell of both pages."""
    sent = twice = told = passages = 0
    for row in rows:
        lines = row.page.text.split("\n")
        text = "\n".join(line for at, line in enumerate(lines) if at % 10 != 9)
        pages = [replace(row.page, url="https://a.example/"), replace(row.page, url="https://b.example/", text=text)]
        chosen = choose_passages(row.claim, (), pages, budget_tokens=TABLE_BUDGET * 4, count_tokens=len)
        counted = Counter(line for passage in chosen for line in passage.text.split("\n") if lines.count(line) == 1)
        sent += len(counted)
        twice += sum(number > 1 for number in counted.values())
        passages += len(chosen)
        told += sum(bool(passage.copies) for passage in chosen)
    return round(twice / sent, 3), round(told / passages, 3)


def _times(rows: Sequence[Row]) -> float:
    """Median processor time of cutting a page and choosing 600 tokens of it, in milliseconds."""
    times = []
    for row in rows:
        split_pieces.cache_clear()
        started = time.process_time()
        choose_passages(row.claim, (), [row.page], budget_tokens=TABLE_BUDGET * 4, count_tokens=len)
        times.append((time.process_time() - started) * 1000)
    return round(statistics.median(times), 1)


def _tables(folder: Path) -> tuple[float, int, float]:
    """Share of the table claims whose row and header are chosen, their number, and the median time a page."""
    hits, times = [], []
    for line in (folder / "index.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if not entry.get("gold_rows"):
            continue
        extracted = extract_page(gzip.decompress((folder / entry["html"]).read_bytes()), entry["url"], "text/html")
        page = Page(entry["url"], extracted.title, extracted.text, extracted.date, "", extracted.main_chars)
        for subject, header, value in _table_claims(entry):
            split_pieces.cache_clear()
            started = time.process_time()
            passages = choose_passages(
                f"{subject} {header}: {value}", (), [page], budget_tokens=TABLE_BUDGET * 4, count_tokens=len
            )
            times.append((time.process_time() - started) * 1000)
            wanted = [_letters(each) for each in (subject, header, value)]
            hits.append(any(all(each in _letters(f"{p.title} {p.text}") for each in wanted) for p in passages))
            if not hits[-1] and os.environ.get("SHOW_MISSED"):
                print(entry["url"], subject, "|", header, "|", value, [p.text[:300] for p in passages][:2])
    return round(statistics.mean(hits), 3), len(hits), round(statistics.median(times), 1)


def _table_claims(entry: dict[str, object]) -> Iterable[tuple[str, str, str]]:
    header, rows = entry["gold_header"], entry["gold_rows"]
    assert isinstance(header, list)
    assert isinstance(rows, list)
    holding = Counter(cell for row in rows for cell in set(row))
    claims = []
    for row in rows:
        subject = next((cell for cell in row if _letters(cell) and not _numeric(cell) and holding[cell] == 1), None)
        claims += [
            (subject, name, cell)
            for name, cell in zip(header, row, strict=False)
            if subject and cell != subject and _letters(cell) and _letters(name)
        ]
    return random.Random(str(entry["id"])).sample(claims, min(TABLE_CLAIMS, len(claims)))


def _numeric(cell: str) -> bool:
    return not re.search(r"[^\W\d_]", cell)


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).lower())


def _beside_targets(found: Sequence[float], targets: Sequence[float]) -> str:
    return " ".join(
        f"[{target} {'met' if each >= target else 'missed'}]" for each, target in zip(found, targets, strict=False)
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else default_folder()))

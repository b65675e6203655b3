"""Fit the weights with which pieces of pages are ranked, and tell how they do on claims that they were not fitted to.

    python benchmarks/passage_weights.py [FOLDER OF THE LABELLED DATA]

A logistic regression (ridge, Newton's method) over the features of ``core/passages/ranking.py``; a piece of WiCE's
pages counts as evidence to the share of the minimal support sets that hold it. Prints the weights on all
rows, as they stand in that module, and for five seeded splits into five folds the share of rows with a whole set inside
each budget, every row being measured with weights that were fitted to the other folds.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from passages import BUDGETS, Row, brings_a_set, default_folder, wice_rows

from veriscore_agent.core.passages import ranking

RIDGE = 20.0
FOLDS = 5
SPLITS = 5
Array = np.ndarray[Any, np.dtype[np.float64]]


def main(folder: Path) -> int:
    """Print weights and cross-validated figures."""
    rows = list(wice_rows(folder / "data" / "wice_dev.jsonl"))
    examples = [_examples(row) for row in rows]
    figures = np.mean([_cross_validated(rows, examples, seed) for seed in range(SPLITS)], axis=0).round(3)
    print("cross-validated", *(f"{budget}: {share:.3f}" for budget, share in zip(BUDGETS, figures, strict=True)))
    weights, bias = _fit(examples)
    print("WEIGHTS =", tuple(round(float(each), 3) for each in weights), "BIAS =", round(bias, 3))
    print(json.dumps({"cross_validated": figures.tolist()}))
    return 0


def _examples(row: Row) -> tuple[Array, Array]:
    """Features of the pieces of one page, and the share of the minimal sets that each is in."""
    whole = [set(each) for each in row.sets]
    minimal = [each for each in whole if not any(other < each for other in whole)]
    looked = ranking.Ranking([row.page])
    features, shares = [], []
    for number, found in looked.look_for(f"{row.claim} {row.title}").features():
        piece = looked.places[number].piece
        inside = {at for at, (start, end) in enumerate(row.spans) if start < piece.end and piece.start < end}
        features.append(found)
        shares.append(sum(bool(inside & each) for each in minimal) / len(minimal))
    return np.array(features).reshape(-1, len(ranking.FEATURES)), np.array(shares)


def _fit(examples: Sequence[tuple[Array, Array]]) -> tuple[Array, float]:
    x = np.concatenate([features for features, _ in examples])
    y = np.concatenate([shares for _, shares in examples])
    mean, deviation = x.mean(0), x.std(0) + 1e-9
    z = np.c_[(x - mean) / deviation, np.ones(len(x))]
    ridge = np.eye(z.shape[1]) * RIDGE
    ridge[-1, -1] = 0
    weights = np.zeros(z.shape[1])
    for _ in range(20):
        p = 1 / (1 + np.exp(-z @ weights))
        weights += np.linalg.solve((z * (p * (1 - p))[:, None]).T @ z + ridge, z.T @ (y - p) - ridge @ weights)
    scaled = weights[:-1] / deviation
    return scaled, float(weights[-1] - (mean * scaled).sum())


def _cross_validated(rows: Sequence[Row], examples: Sequence[tuple[Array, Array]], seed: int) -> list[float]:
    fold = np.random.default_rng(seed).permutation(len(rows)) % FOLDS
    hits = [0.0] * len(BUDGETS)
    shipped = ranking.WEIGHTS, ranking.BIAS
    for number in range(FOLDS):
        weights, bias = _fit([each for at, each in enumerate(examples) if fold[at] != number])
        ranking.WEIGHTS, ranking.BIAS = tuple(map(float, weights)), bias
        for at, row in enumerate(rows):
            if fold[at] == number:
                for index, budget in enumerate(BUDGETS):
                    hits[index] += brings_a_set(row, budget)
    ranking.WEIGHTS, ranking.BIAS = shipped
    return [each / len(rows) for each in hits]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else default_folder()))

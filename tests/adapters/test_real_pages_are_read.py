"""Real articles, shops, forums and encyclopedias are none of the walls that the rules look for."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from veriscore_agent.adapters.pages.extract import extract_page
from veriscore_agent.core.blocked import blocked_reason, is_empty


def test_no_real_page_is_taken_for_a_wall(shared_data: Path) -> None:
    """A quarter of the labelled pages, each of which was kept because there is something to read on it."""
    folder = shared_data / "data" / "html_gold"
    rows = [json.loads(line) for line in (folder / "index.jsonl").read_text(encoding="utf-8").splitlines()]
    blocked = {}
    for row in rows[::4]:
        page = extract_page(gzip.decompress((folder / row["html"]).read_bytes()), "http://a.example/", "text/html")
        main = page.text[: page.main_chars]
        judged = page.text if is_empty(main) else main
        blocked[row["html"]] = blocked_reason(page.title, judged, page.clues) or (is_empty(judged) and "empty") or ""
    assert len(blocked) >= 80
    assert {name: reason for name, reason in blocked.items() if reason} == {}

"""Write graphs/claim.mmd, the drawing of the claim graph, as the code has it: ``python graphs/draw.py``."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from veriscore_agent.graph.build import build_claim_graph
from veriscore_agent.ports import Limits, Ports


class _Unbound:
    """Ports that are never called: a drawing needs the limits alone."""

    limits = Limits()


def main() -> None:
    """Draw the graph in Mermaid's language."""
    drawing = build_claim_graph(cast("Ports", _Unbound())).get_graph().draw_mermaid()
    Path(__file__).with_name("claim.mmd").write_text(drawing, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()

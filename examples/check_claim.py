"""Verify one claim and see how its label was reached, from blocking code (a script or a notebook cell).

Run as it is, it replays the bundled recording: no key, no network.
"""

from __future__ import annotations

from pathlib import Path

from veriscore_agent import check_claim, run_blocking

DEMO = Path(__file__).resolve().parent.parent / "fixtures" / "demo"
CLAIM = "The centre arch of the Eads Bridge spans 560 feet."


def main() -> None:
    """Print the verdict of every stage, with the quotes that it rests on."""
    steps: list[str] = []
    outcome = run_blocking(
        check_claim(
            CLAIM,
            replay=DEMO / "exchanges",
            on_step=lambda node, state: steps.append(node),
        )
    )
    print(" -> ".join(steps))
    for verdict in outcome.verdicts:
        print(f"{verdict.stage}: {verdict.label} ({verdict.reason})")
        for finding in verdict.findings:
            print(f"  {finding.evidence} {finding.stance} {verdict.parts[finding.part]!r}: {finding.quote!r}")


if __name__ == "__main__":
    main()

"""Pin and hash the requirements of pyproject.toml: run.txt, test.txt and dev.txt in this folder.

Needs `uv` (in the dev extra). The files name no package index: pip asks the one that it is set up with.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXTRAS = {"run": [], "test": ["--extra", "test"], "dev": ["--extra", "dev"]}
OPTIONS = ["--universal", "--generate-hashes", "--python-version", "3.11", "--no-header", "--no-annotate", "--quiet"]
NO_ADDRESSES = ["--no-emit-index-url", "--no-emit-find-links"]


def main() -> None:
    """Write the three files anew."""
    for name, extra in EXTRAS.items():
        inputs = [str(HERE.parent / "pyproject.toml"), str(HERE / "build.in")]
        command = [sys.executable, "-m", "uv", "pip", "compile", *OPTIONS, *NO_ADDRESSES, *extra, *inputs]
        subprocess.run([*command, "-o", str(HERE / f"{name}.txt")], check=True)  # noqa: S603


if __name__ == "__main__":
    main()

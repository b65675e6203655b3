"""``python -m veriscore_agent``."""

import sys

from veriscore_agent.cli import main

if __name__ == "__main__":
    sys.exit(main())

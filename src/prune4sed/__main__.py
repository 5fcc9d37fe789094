"""``python -m prune4sed`` is the same as ``prune4sed``."""

import sys

from prune4sed.cli import main

if __name__ == "__main__":
    sys.exit(main())

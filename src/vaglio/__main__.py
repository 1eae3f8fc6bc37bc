"""The program: ``vaglio`` and ``python -m vaglio``."""

from __future__ import annotations

import sys


def run() -> None:
    """Run the command line. Ctrl-C prints one line instead of a traceback, also while modules are imported."""
    try:
        from vaglio.cli.main import main

        main()
    except KeyboardInterrupt:
        print("vaglio: interrupted; nothing was left half-written.", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    run()

"""The program: ``vaglio`` and ``python -m vaglio``."""

from __future__ import annotations

import io
import sys


def run() -> None:
    """Run the command line. Ctrl-C prints one line instead of a traceback, also while modules are imported."""
    try:
        _write_utf8()
        from vaglio.cli.main import main

        main()
    except KeyboardInterrupt:
        print("vaglio: interrupted; nothing was left half-written.", file=sys.stderr)
        sys.exit(130)


def _write_utf8() -> None:
    """Write UTF-8 on Windows, too: its default for files and pipes is a code page that has no sign such as ≤ or →."""
    if sys.platform == "win32":
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8")


if __name__ == "__main__":
    run()

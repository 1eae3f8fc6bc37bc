"""The program: ``vaglio`` and ``python -m vaglio``."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys

# New objects after which Python looks for garbage. It would do so after every 700 of them, and of what modules make
# when they are imported hardly anything is garbage.
_OBJECTS_PER_SEARCH = 100_000


def run() -> None:
    """Run the command line. Ctrl-C prints one line instead of a traceback, also while modules are imported."""
    gc.set_threshold(_OBJECTS_PER_SEARCH)
    try:
        _open_closed_streams()
        _write_any_text()
        from vaglio.cli.main import main

        main()
    except KeyboardInterrupt:
        with contextlib.suppress(OSError):
            print("vaglio: interrupted; nothing was left half-written.", file=sys.stderr)
        sys.exit(130)
    finally:
        gc.freeze()  # what is left ends with the process: Python would search all of it for garbage several times more


def _open_closed_streams() -> None:
    """Open streams that the caller closed (``>&-``), so that no file of ours gets their number.

    Standard output is opened so that writing to it fails, as it must: what is written there is wanted. Remarks on
    standard error are not, and a table from a closed standard input is empty.
    """
    for number, way in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, way)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115 - as long as the program
    sys.stdout = sys.stdout or open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", closefd=False)  # noqa: SIM115


def _write_any_text() -> None:
    """Write any text to any stream: what its encoding lacks is written as an escape.

    On Windows the default for files and pipes is a code page that has no sign such as ≤ or →: there, write UTF-8.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8" if sys.platform == "win32" else None, errors="backslashreplace")


if __name__ == "__main__":
    run()

"""``python -m vaglio.sklearn script.py [arguments]`` runs a program with vaglio's classes instead of scikit-learn's."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from vaglio.sklearn import patch


def main() -> None:
    """Run the program that the command line names."""
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        print("usage: python -m vaglio.sklearn (script.py | -m module) [arguments]")
        sys.exit(0 if len(sys.argv) > 1 else 2)
    patch()
    if sys.argv[1] == "-m" and len(sys.argv) > 2:
        sys.argv = sys.argv[2:]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
        return
    sys.argv = sys.argv[1:]
    # As `python script.py` does: the folder of the program comes first where modules are looked for.
    sys.path.insert(0, str(Path(sys.argv[0]).resolve().parent))
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()

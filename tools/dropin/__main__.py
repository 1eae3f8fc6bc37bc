"""``python -m tools.dropin [FILE…]``: run scikit-learn's tests with vaglio's classes; say which pass.

With ``--plain`` they run with empty subclasses of scikit-learn's own classes: a test that fails then cannot pass with
any other class. With ``--table-first`` they run with the classes of ``vaglio`` itself, which differ from scikit-learn's
on purpose: the failures are sorted by the documented difference that explains each. ``--list`` runs nothing and adds to
the list of tests that apply all that reached a class in the last run and have no reason in ``not_applicable.toml``.
A FILE is a part of the path of a test file, as ``tree/tests`` or ``test_forest``; all are run without one.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import sklearn

from tools.dropin import outcomes
from tools.dropin.targets import test_files

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Run the files, several at a time; the exit code is 1 where fewer than 97 % of the tests pass."""
    parser = argparse.ArgumentParser(prog="python -m tools.dropin", description=__doc__)
    parser.add_argument("files", nargs="*", metavar="FILE", help="part of the path of a test file")
    parser.add_argument("--plain", action="store_true", help="with empty subclasses of scikit-learn's classes")
    parser.add_argument("--table-first", action="store_true", help="with the classes of vaglio itself")
    parser.add_argument("--list", action="store_true", help="write the list of tests that apply")
    parser.add_argument("--go-on", action="store_true", help="leave out tests that a former run has done")
    parser.add_argument("--show", action="store_true", help="run nothing, tell the last results")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="files that run at the same time")
    options = parser.parse_args()
    classes = "plain" if options.plain else "table-first" if options.table_first else "vaglio"
    results = ROOT / "build" / "dropin" / classes
    chosen = [name for name in test_files() if not options.files or any(part in name for part in options.files)]
    if not options.show and not options.list:
        with ThreadPoolExecutor(options.jobs) as pool:
            for name, line in zip(chosen, pool.map(lambda name: _run(name, results, options.go_on), chosen)):
                print(f"{name}: {line}", flush=True)
    found = outcomes.read(results)
    if options.list:
        outcomes.write_applicable(found)
        return 0
    tell = outcomes.told_table_first if options.table_first else outcomes.told
    summary, enough = tell(found, tuple(f"sklearn/{name}::" for name in chosen))
    print(summary)
    return 0 if enough else 1


def _run(name: str, results: Path, go_on: bool) -> str:
    """Run the tests of one file in a process of its own; return what pytest says last."""
    results.mkdir(parents=True, exist_ok=True)
    package = Path(sklearn.__file__).parent
    written = results / f"{name.replace('/', '.')}.jsonl"
    if not go_on:
        written.unlink(missing_ok=True)
    folder = results / "work" / name.replace("/", ".")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tools.dropin.plugin"]
    command += [
        "-c",
        os.devnull,
        "--rootdir",
        str(package.parent),
        "-p",
        "no:cacheprovider",
        "--tb=short",
        "-W",
        "ignore",
    ]
    command.append(str(package / name))
    environment = {
        **os.environ,
        "DROPIN_CLASSES": results.name,
        "DROPIN_RESULTS": str(written),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")]),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MPLBACKEND": "agg",
    }
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    (folder / "output.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
    lines = done.stdout.strip().splitlines()
    return lines[-1] if lines else done.stderr.strip()[-200:]


if __name__ == "__main__":
    sys.exit(main())

"""``python -m tools.dropin.clients [PROJECT…]``: run the tests of projects that build on scikit-learn, patched.

Each suite runs twice, as it is and with :func:`vaglio.sklearn.patch`. A test that passes as it is and fails with
vaglio's classes is a difference: ``clients.toml`` lists those that are allowed, each with its reason. Files are taken
that name one of the replaced classes. The projects are installed in an environment of their own, which sees what is
installed here; their tests come from the source archive on PyPI or, where that has none, from the repository.
"""

from __future__ import annotations

import argparse
import html
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import urllib.request
import venv
from collections import Counter
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urljoin
from xml.etree import ElementTree

from tools.dropin.outcomes import HERE, why_not
from tools.dropin.targets import NAMES

ROOT = Path(__file__).parents[2]
WORK = ROOT / "build" / "dropin" / "clients"
PYTHON = WORK / "venv" / "bin" / "python"
# What the projects must not change: the suites are to run with the versions that vaglio is tested with.
_PINNED = ("scikit-learn", "numpy", "scipy", "pandas", "polars", "pyarrow", "dask", "pytest")
# Tests of estimators by their tags reach the classes without naming them.
_REACHES = re.compile(rf"{NAMES.pattern}|check_estimator|parametrize_with_checks|all_estimators")


@dataclass(frozen=True)
class Client:
    """A project: where its tests are, and which differences are allowed."""

    name: str
    version: str
    tests: tuple[str, ...]
    needs: tuple[str, ...]
    archive: str | None
    allowed: list[tuple[re.Pattern[str], str]]


def clients() -> dict[str, Client]:
    """Return the projects of ``clients.toml``."""
    listed = tomllib.loads((HERE / "clients.toml").read_text(encoding="utf-8"))
    return {
        name: Client(
            name,
            entry["version"],
            tuple(entry["tests"]),
            tuple(entry.get("needs", ())),
            entry.get("archive"),
            [(re.compile(test), known["why"]) for known in entry.get("allowed", ()) for test in known["tests"]],
        )
        for name, entry in listed.items()
    }


def main() -> int:
    """Run the suites; the exit code is 1 where a test fails that is not allowed to."""
    known = clients()
    parser = argparse.ArgumentParser(prog="python -m tools.dropin.clients", description=__doc__)
    parser.add_argument("projects", nargs="*", metavar="PROJECT", help=f"one of {', '.join(known)}; all without")
    parser.add_argument("--show", action="store_true", help="run nothing, tell the last results")
    parser.add_argument("--seconds", type=int, default=3600, help="the longest time for one run of a suite")
    options = parser.parse_args()
    chosen = [known[name] for name in options.projects or known]
    good = True
    for client in chosen:
        if not options.show:
            _install(client)
            for classes in ("scikit-learn", "vaglio"):
                _run(client, classes, options.seconds)
        text, passes = told(client, _outcomes(client, "scikit-learn"), _outcomes(client, "vaglio"))
        print(text, flush=True)
        good &= passes
    return 0 if good else 1


def _install(client: Client) -> None:
    """Install a project, and what its tests need, in an environment that sees the packages of this one.

    One after the other: some need versions of other libraries that others do not take.
    """
    if not PYTHON.exists():
        venv.create(WORK / "venv", with_pip=True)
        packages = next((WORK / "venv").glob("lib/*/site-packages"))
        # Its own .pth files are read too: one of them leads to vaglio.
        shared = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
        (packages / "shared.pth").write_text(shared, encoding="utf-8")
    pinned = WORK / "pinned.txt"
    pinned.write_text("".join(f"{name}=={version(name)}\n" for name in _PINNED), encoding="utf-8")
    wanted = [f"{client.name}=={client.version}", *client.needs]
    subprocess.run([PYTHON, "-m", "pip", "install", "-q", "-c", pinned, *wanted], check=True)


def _source(client: Client) -> Path:
    """Return the folder of the unpacked archive, fetched once."""
    folder = WORK / client.name
    if not folder.exists():
        folder.mkdir(parents=True)
        packed = folder.with_suffix(".tar.gz")
        with urllib.request.urlopen(client.archive or _on_pypi(client), timeout=60) as answer:
            packed.write_bytes(answer.read())
        with tarfile.open(packed) as archive:
            archive.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


def _on_pypi(client: Client) -> str:
    page = f"https://pypi.org/simple/{client.name}/"
    with urllib.request.urlopen(page, timeout=60) as answer:
        links = re.findall(r'href="([^"#]+)', answer.read().decode())
    ending = f"-{client.version}.tar.gz"
    return urljoin(page, html.unescape(next(link for link in links if link.endswith(ending))))


def _run(client: Client, classes: str, seconds: int) -> None:
    source, written = _source(client), WORK / f"{client.name}.{classes}.xml"
    written.unlink(missing_ok=True)
    found = (path for part in client.tests for path in sorted((source / part).rglob("test_*.py")))
    files = [str(path.relative_to(source)) for path in found if _REACHES.search(path.read_text(encoding="utf-8"))]
    through = ["-m", "vaglio.sklearn"] if classes == "vaglio" else []
    # Addopts of the project may name plugins that are not there.
    command = [str(PYTHON), *through, "-m", "pytest", "-q", "-o", "addopts=", "-p", "no:cacheprovider"]
    # A file that needs a library that is not there runs in neither.
    command += ["--continue-on-collection-errors", "--tb=short", "-W", "ignore", f"--junitxml={written}", *files]
    environment = {**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"}
    output = written.with_suffix(".txt")
    with output.open("w", encoding="utf-8") as file:
        subprocess.run(command, cwd=source, env=environment, stdout=file, stderr=file, timeout=seconds, check=False)


def _outcomes(client: Client, classes: str) -> dict[str, str]:
    """Return the message of the failure of each test; "" where it passed."""
    written = WORK / f"{client.name}.{classes}.xml"
    if not written.exists():
        raise SystemExit(f"{client.name} did not run to its end: see {written.with_suffix('.txt')}")
    found = {}
    for case in ElementTree.parse(written).getroot().iter("testcase"):
        failures = [part for part in case if part.tag in ("failure", "error")]
        if not any(part.tag == "skipped" for part in case):
            # Arrays in a name are drawn anew in every run, and objects lie elsewhere.
            name = re.sub(r"array\(.*\)|0x[0-9a-f]+", "…", str(case.get("name")))
            found[f"{case.get('classname')}::{name}"] = (
                "".join(part.get("message") or "failed" for part in failures) if failures else ""
            )
    return found


def told(client: Client, plain: dict[str, str], patched: dict[str, str]) -> tuple[str, bool]:
    """Return a summary of both runs of a suite, and whether every difference is allowed."""
    sound = [test for test, failure in plain.items() if not failure]
    changed = {test: patched.get(test, "did not run") for test in sound if patched.get(test, "did not run")}
    why = {test: why_not(test, client.allowed) for test in changed}
    lines = [f"{test}\n    {changed[test][:200]}" for test in changed if why[test] is None]
    lines += [f"  {count:4d} {reason}" for reason, count in Counter(filter(None, why.values())).most_common()]
    unexplained = sum(reason is None for reason in why.values())
    same = len(sound) - len(changed)
    allowed = len(changed) - unexplained
    summary = f"{client.name} {client.version}: {same} of {len(sound)} pass, {allowed} differ as listed"
    return "\n".join([*lines, f"{summary}, {unexplained} otherwise"]), not unexplained and bool(sound)


if __name__ == "__main__":
    sys.exit(main())

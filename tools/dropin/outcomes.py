"""What became of the tests: read, sorted, and compared with the committed list of tests that apply."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
APPLICABLE = HERE / "applicable.txt"
NOT_APPLICABLE = HERE / "not_applicable.toml"
DIFFERENCES = HERE / "differences.toml"


@dataclass(frozen=True)
class Outcome:
    """What became of one test."""

    test: str
    outcome: str
    reached: bool
    message: str
    seconds: float

    @property
    def function(self) -> str:
        """File and name of the test, without the case."""
        return self.test.partition("[")[0]


def read(results: Path) -> list[Outcome]:
    """Return the last outcome of every test that was written down in a folder."""
    found: dict[str, Outcome] = {}
    for path in sorted(results.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = Outcome(**json.loads(line))
            # A failure of the set-up or of the end of a test is a failure of the test.
            if entry.test not in found or found[entry.test].outcome != "failed":
                found[entry.test] = entry
    return list(found.values())


def reasons() -> list[tuple[re.Pattern[str], str]]:
    """Return patterns of tests that do not apply, with the reason of each."""
    entries = tomllib.loads(NOT_APPLICABLE.read_text(encoding="utf-8"))["reason"]
    return [(re.compile(pattern), entry["why"]) for entry in entries for pattern in entry["tests"]]


def why_not(test: str, known: list[tuple[re.Pattern[str], str]]) -> str | None:
    """Return why a test does not apply; None where it does."""
    return next((why for pattern, why in known if pattern.search(test)), None)


def write_applicable(found: list[Outcome]) -> None:
    """Add to the list of tests that apply all that reached a class and have no reason not to apply; none is taken off.

    Each line is a test function and the number of its cases.
    """
    known = reasons()
    counts = Counter(
        entry.function
        for entry in found
        if entry.reached and entry.outcome != "skipped" and why_not(entry.test, known) is None
    )
    listed = read_applicable()
    names = sorted({*listed, *counts})
    lines = [f"{name} {max(listed.get(name, 0), counts[name])}\n" for name in names]
    APPLICABLE.write_text("".join(lines), encoding="utf-8")


@cache
def read_applicable() -> dict[str, int]:
    """Return the number of cases that apply, by test function."""
    lines = APPLICABLE.read_text(encoding="utf-8").splitlines()
    return {name: int(count) for name, count in (line.rsplit(" ", 1) for line in lines)}


def told(ours: list[Outcome], files: tuple[str, ...]) -> tuple[str, bool]:
    """Return a summary of a run of some files with vaglio's classes, and whether enough of the tests passed."""
    ours = [entry for entry in ours if entry.test.startswith(files)]
    applicable, known = read_applicable(), reasons()
    reached = [entry for entry in ours if entry.reached and entry.outcome != "skipped"]
    excluded = Counter(why for entry in reached if (why := why_not(entry.test, known)))
    taken = [entry for entry in reached if why_not(entry.test, known) is None]
    failed = [entry for entry in taken if entry.outcome == "failed"]
    share = 1 - len(failed) / max(len(taken), 1)
    lines = [f"{entry.test}\n    {entry.message.splitlines()[0] if entry.message else ''}" for entry in failed]
    lines += ["", "not applicable:"] + [f"  {count:5d} {why}" for why, count in excluded.most_common()]
    ran = {entry.function for entry in ours}
    silent = sorted(name for name in applicable if name.startswith(files) and name not in ran)
    if silent:
        lines += ["", f"{len(silent)} tests of the list did not run:"] + [f"  {name}" for name in silent]
    more = sorted({entry.function for entry in taken} - applicable.keys())
    if more:
        lines += ["", f"{len(more)} tests that apply are not on the list (--list adds them):"]
        lines += [f"  {name}" for name in more]
    lines += ["", f"pass {len(taken) - len(failed)}, ours to mend {len(failed)}: {share:.2%} of {len(taken)} pass"]
    return "\n".join(lines), share >= 0.97 and not silent and not more


def told_table_first(ours: list[Outcome], files: tuple[str, ...]) -> tuple[str, bool]:
    """Return the failures of a run with vaglio's own classes, by the documented difference that explains each."""
    entries = tomllib.loads(DIFFERENCES.read_text(encoding="utf-8"))["difference"]
    patterns = [(re.compile(pattern), entry["what"]) for entry in entries for pattern in entry["signs"]]
    reached = [entry for entry in ours if entry.reached and entry.test.startswith(files)]
    failed = [entry for entry in reached if entry.outcome == "failed"]
    why = {entry: why_not(f"{entry.test}\n{entry.message}", patterns) for entry in failed}
    lines = [f"{entry.test}\n    {entry.message[:200]}" for entry in failed if why[entry] is None]
    lines += ["", "failures by documented difference:"]
    lines += [f"  {count:5d} {what}" for what, count in Counter(filter(None, why.values())).most_common()]
    unexplained = sum(what is None for what in why.values())
    passed = sum(entry.outcome == "passed" for entry in reached)
    lines += [
        "",
        f"pass {passed}, fail by a documented difference {len(failed) - unexplained}, unexplained {unexplained}",
    ]
    return "\n".join(lines), unexplained == 0

"""What became of the tests: read, sorted, and compared with the committed list of tests that apply."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
APPLICABLE = HERE / "applicable.txt"
NOT_APPLICABLE = HERE / "not_applicable.toml"


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
    """Write the list of tests that apply: all that reach a class and have no reason not to apply.

    Each line is a test function and the number of its cases.
    """
    known = reasons()
    counts = Counter(
        entry.function
        for entry in found
        if entry.reached and entry.outcome != "skipped" and why_not(entry.test, known) is None
    )
    APPLICABLE.write_text("".join(f"{name} {counts[name]}\n" for name in sorted(counts)), encoding="utf-8")


def read_applicable() -> dict[str, int]:
    """Return the number of cases that apply, by test function."""
    lines = APPLICABLE.read_text(encoding="utf-8").splitlines()
    return {name: int(count) for name, count in (line.rsplit(" ", 1) for line in lines)}


def told(ours: list[Outcome]) -> tuple[str, bool]:
    """Return a summary of a run with vaglio's classes, and whether enough of the tests passed."""
    applicable, known = read_applicable(), reasons()
    reached = [entry for entry in ours if entry.reached and entry.outcome != "skipped"]
    excluded = Counter(why for entry in reached if (why := why_not(entry.test, known)))
    taken = [entry for entry in reached if entry.function in applicable and why_not(entry.test, known) is None]
    failed = [entry for entry in taken if entry.outcome == "failed"]
    share = 1 - len(failed) / max(len(taken), 1)
    lines = [f"{entry.test}\n    {entry.message.splitlines()[0] if entry.message else ''}" for entry in failed]
    lines += ["", "not applicable:"] + [f"  {count:5d} {why}" for why, count in excluded.most_common()]
    lines += ["", f"pass {len(taken) - len(failed)}, ours to mend {len(failed)}: {share:.2%} of {len(taken)} pass"]
    return "\n".join(lines), share >= 0.97

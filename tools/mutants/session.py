"""A run of pytest that collects the tests once and then, in forks of itself, runs those that may notice a mutant."""

from __future__ import annotations

import importlib
import json
import random
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tools.mutants.forks import in_forks
from tools.mutants.mutations import Mutant, mutants_of, mutated
from tools.mutants.reach import Reach, passes, temporary_folder
from tools.mutants.swapping import CannotSwap, Functions, forget, functions_of, swap

# A test may take four times as long as without a fault, and so many seconds more.
GRACE = 5.0
# Outcomes of a mutant that some test notices.
NOTICED = ("killed", "timed out")
# A fresh import of the package and of the tests takes so many seconds more.
IMPORTING = 60.0
# For a module that is imported again, tests of so few files are collected again.
FILES = 8


@dataclass
class Session:
    """A plugin of pytest that replaces the loop over the tests.

    Attributes
    ----------
    root : Path
        Of the repository.
    folders : list of str
        Folders whose files are mutated, relative to the root.
    probed : list of str
        Further folders of which it is found out what the tests reach, so that it is known when they are mutated.
    folder : Path
        Where results are kept, so that a later run goes on.
    share : float
        Part of the mutants of every folder that is drawn.
    seed : int
    budget : float
        Seconds of tests per mutant at most.
    workers : int
    alike : int
        Of tests that differ only in their parameters, so many are run, evenly chosen.
    """

    root: Path
    folders: list[str]
    folder: Path
    share: float
    seed: int
    budget: float
    workers: int
    alike: int = 200
    probed: list[str] = field(default_factory=list)
    source: str = "src"
    results: list[dict[str, Any]] = field(default_factory=list)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Find out what the tests reach, then try the mutants."""
        if session.testsfailed:
            raise pytest.UsageError("the tests cannot be collected")
        items = _some_of_each(session.items, self.alike)
        self.items = {item.nodeid: item for item in items}
        paths = sorted(
            {path for folder in (*self.folders, *self.probed) for path in (self.root / folder).rglob("*.py")}
        )
        for path in paths:
            importlib.import_module(".".join(path.relative_to(self.root / self.source).with_suffix("").parts))
        self.functions: Functions = functions_of(paths)
        next(iter(self.items.values())).config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        self.reach = Reach(self.folder / "reach.json", self.root)
        self.reach.learn(items, self.functions, self.workers)
        self._try_all(self._sample())
        return True

    def _sample(self) -> list[Mutant]:
        drawn = []
        for folder in self.folders:
            found = [m for path in sorted((self.root / folder).rglob("*.py")) for m in mutants_of(path, self.root)]
            drawn += random.Random(self.seed).sample(found, round(len(found) * self.share))
        return drawn

    def _try_all(self, mutants: list[Mutant]) -> None:
        place = self.folder / "results.json"
        kept: dict[str, dict[str, Any]] = json.loads(place.read_text()) if place.exists() else {}
        self.chosen = {mutant: self._chosen(mutant) for mutant in mutants}
        left = [mutant for mutant in mutants if not self._is_known(mutant, kept.get(self._key(mutant)))]
        print(f"{len(mutants)} mutants, {len(left)} of them new", flush=True)
        random.Random(0).shuffle(left)
        limits = {m: GRACE + 4 * sum(s for _, s in self.chosen[m]) + IMPORTING * (not m.deferred) for m in left}
        for count, (mutant, answer) in enumerate(in_forks(left, self._try, limits.__getitem__, self.workers), start=1):
            result = {**asdict(mutant), "tests": self._tests(mutant), **_outcome(answer)}
            kept[self._key(mutant)] = result
            if count % 5 == 0 or count == len(left):
                place.write_text(json.dumps(kept, indent=1))
                print(f"{count} of {len(left)} mutants", flush=True)
        self.results = [kept[self._key(mutant)] for mutant in mutants]

    def _key(self, mutant: Mutant) -> str:
        return f"{mutant.path}:{mutant.index}:{self.reach.digest(mutant.path)}"

    def _is_known(self, mutant: Mutant, result: dict[str, Any] | None) -> bool:
        """Say whether a mutant need not be tried: it was noticed, or survived the tests that would be run."""
        return result is not None and (result["outcome"] in NOTICED or result["tests"] == self._tests(mutant))

    def _tests(self, mutant: Mutant) -> str:
        """Return a text that changes with the tests that are run."""
        return str(hash(tuple((name, self.reach.digest(name.split("::")[0])) for name, _ in self.chosen[mutant])))

    def _chosen(self, mutant: Mutant) -> list[tuple[str, float]]:
        files: set[str] = set()
        chosen, total = [], 0.0
        for test, seconds in self.reach.tests(mutant.path, mutant.statement if mutant.deferred else None):
            file = test.split("::")[0]
            if test not in self.items or not (mutant.deferred or file in files or len(files) < FILES):
                continue
            total += seconds
            if total > self.budget:
                break
            files.add(file)
            chosen.append((test, seconds))
        return chosen

    # -- in the fork --------------------------------------------------------------------------------------------------
    def _try(self, mutant: Mutant) -> dict[str, Any]:
        tests = [self.items[test] for test, _ in self.chosen[mutant]]
        if not tests:
            return {"outcome": "not reached"}
        tree, path = mutated(mutant, self.root), self.root / mutant.path
        temporary_folder(tests[0])
        try:
            if not mutant.deferred:
                raise CannotSwap
            swap(tree, path, self.functions)
        except CannotSwap:
            return self._try_fresh(tree, path, [test.nodeid for test in tests])
        for test, following in zip(tests, [*tests[1:], None]):
            if not passes(test, following):
                return {"outcome": "killed", "by": test.nodeid}
        return {"outcome": "survived"}

    def _try_fresh(self, tree: Any, path: Path, tests: list[str]) -> dict[str, Any]:
        forget(path.relative_to(self.root / self.source).parts[0], tree, path)
        code = pytest.main([*PYTEST, "-x", *tests])
        return {"outcome": "survived" if code == pytest.ExitCode.OK else "killed", "by": f"exit code {code}"}


# The terminal is left to the figures of the mutants.
PYTEST = ["-o", "addopts=--strict-markers --import-mode=importlib", "-p", "no:cacheprovider", "-p", "no:terminal", "-s"]


def _some_of_each(items: list[pytest.Item], alike: int) -> list[pytest.Item]:
    functions: dict[str, list[pytest.Item]] = {}
    for item in items:
        functions.setdefault(item.nodeid.split("[")[0], []).append(item)
    chosen = []
    for tests in functions.values():
        count = min(alike, len(tests))
        chosen += [tests[place * len(tests) // count] for place in range(count)]
    return chosen


def _outcome(answer: Any) -> dict[str, Any]:
    if isinstance(answer, dict):
        return answer
    # A fork that was ended by a signal has noticed something, and so has one whose tests broke pytest itself.
    return {"outcome": "timed out" if answer == "time" else "killed", "by": str(answer)[-300:]}

"""Runs of learners as pages show them, and the models they left behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.fitted import Fitted, load
from vaglio.studio.jobs.run_files import Request
from vaglio.studio.jobs.runner import Jobs, Run
from vaglio.studio.jobs.training import judged_rows, read_evaluation
from vaglio.studio.project.workbench import OpenTable

__all__ = ["Learned", "choose_model", "choose_run", "is_of", "job_view", "learned_models", "rank", "run_view"]


@dataclass(frozen=True)
class Learned:
    """One model of a run.

    Attributes
    ----------
    run : Run
    facts : dict
        What the run says about it.
    """

    run: Run
    facts: dict[str, Any]

    @property
    def id(self) -> str:
        """The learner."""
        return str(self.facts["id"])

    @property
    def name(self) -> str:
        """Run and learner, as an address names them."""
        return f"{self.run.name}/{self.id}"

    @property
    def key(self) -> tuple[str, str]:
        """What tells this model from every other one: where it is, and its fingerprint."""
        return self.name, str(self.facts["digest"])

    @property
    def request(self) -> Request:
        """What the run was asked for."""
        return Request(self.run.folder, self.run.request)

    @property
    def params(self) -> dict[str, str]:
        """Its parameters as typed, and as found by a search."""
        return {**self.request.typed[self.id], **self.facts.get("found", {})}

    def judged(self) -> np.ndarray | None:
        """Return the rows of its evaluation where a search has divided them: positions among the rows with a class."""
        return judged_rows(self.run.folder / f"{self.id}.npz")

    def fitted(self) -> Fitted:
        """Return the model."""
        return load(self.run.folder / f"{self.id}.vaglio")

    def evaluation(self) -> Any:
        """Return its evaluation, of classes or of numbers, with the costs of the run."""
        asked = self.request
        return read_evaluation(self.run.folder / f"{self.id}.npz", self.facts["labels"], asked.cost, asked.task)


def run_view(run: Run, opened: OpenTable) -> dict[str, Any]:
    """Return a run as a page shows it."""
    results = {each["id"]: each for each in run.result.get("learners", [])}
    working = [each for each in results.values() if not each["error"]]
    working.sort(key=rank)
    tasks = run.progress.get("tasks", [])
    names = [each["id"] for each in run.request.get("learners", [])]
    left = run.progress.get("left")
    return {
        "name": run.name,
        "state": run.state,
        "task": run.request.get("task", "classification"),
        "error": run.progress.get("error", ""),
        "tasks": tasks or [{"name": name, "done": 0, "total": 1, "state": "waiting", "what": ""} for name in names],
        "left": left,
        "results": working,
        "failures": [each for each in results.values() if each["error"]],
        "plan": {key: run.request.get(key) for key in ("folds", "holdout", "seed")},
        "costs": bool(run.request.get("cost")),
        "way": (run.request.get("way") or {}).get("kind", "fixed"),
        "same_table": is_of(run, opened),
        "of": run.request.get("table", {}).get("name", ""),
    }


def is_of(run: Run, opened: OpenTable) -> bool:
    """Return whether a run learned from the table as it is now."""
    state = opened.state.to_dict() | {"missing": list(opened.state.missing)}
    return bool(run.request.get("table") == state)


def learned_models(jobs: Jobs, opened: OpenTable) -> list[Learned]:
    """Return the models that were learned from the table as it is now, those of the newest run first."""
    found = []
    for run in jobs.all("learn"):
        if is_of(run, opened):
            found += [Learned(run, each) for each in run.result.get("learners", []) if not each["error"]]
    return found


def choose_run(jobs: Jobs, opened: OpenTable, wanted: str = "") -> list[Learned]:
    """Return the models of a run, by default of the newest one with a model."""
    models = learned_models(jobs, opened)
    if not models:
        raise InputError("no-model-yet", "There is no model of this table yet. Train learners on the page Learn.")
    names = [each.run.name for each in models]
    run = wanted if wanted in names else names[0]
    return [each for each in models if each.run.name == run]


def choose_model(jobs: Jobs, opened: OpenTable, wanted: str = "") -> tuple[Learned, list[Learned]]:
    """Return the model with this name and all there are; by default the best one of the newest run."""
    models = learned_models(jobs, opened)
    for each in models:
        if each.name == wanted:
            return each, models
    return min(choose_run(jobs, opened), key=lambda each: rank(each.facts)), models


def rank(facts: dict[str, Any]) -> float:
    """Return a number that is smaller for a better model: what it costs per row, or else its errors."""
    if facts.get("mean_cost") is not None:
        return float(facts["mean_cost"])
    return float(facts["rmse"][0] if "rmse" in facts else 1 - facts["accuracy"][0])


def job_view(run: Run) -> dict[str, Any]:
    """Return how far a run of one task is, and what came out.

    Parameters
    ----------
    run : Run
    """
    return {
        "name": run.name,
        "state": run.state,
        "task": (run.progress.get("tasks") or [{"done": 0, "total": 1, "what": ""}])[0],
        "error": run.progress.get("error", ""),
        "result": run.result,
    }

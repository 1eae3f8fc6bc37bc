"""Learn: choose learners and their parameters, how they are evaluated and what errors cost; watch them at work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation.training import learning_rows
from vaglio.learners.parameter_text import learner_from_words, parameter_fields
from vaglio.learners.registry import learners_of
from vaglio.messages.locale import Locale
from vaglio.messages.message import text
from vaglio.messages.sentences import clip
from vaglio.model.costs import CostMatrix, UnitCost
from vaglio.report.limits import DEFAULT_LEARNERS
from vaglio.studio.forms import ChoiceError, Form
from vaglio.studio.jobs.training import plan_of, trainings
from vaglio.studio.pages.page import Action, Page
from vaglio.studio.pages.runs import run_view
from vaglio.studio.project.workbench import OpenTable

__all__ = ["LearnPage"]

# How the rows are divided: the choice of the form -> the plan.
PLANS: dict[str, dict[str, Any]] = {
    "folds_10": {"folds": 10},
    "folds_5": {"folds": 5},
    "folds_3": {"folds": 3},
    "holdout_30": {"holdout": 0.3},
    "holdout_20": {"holdout": 0.2},
}
_PLAN_LABELS = {
    "folds_10": text("10-fold cross-validation: the most reliable estimate."),
    "folds_5": text("5-fold cross-validation: half the time, slightly less precise."),
    "folds_3": text("3-fold cross-validation: for a first look."),
    "holdout_30": text("Hold-out set of 30%: train on the rest and evaluate on these rows."),
    "holdout_20": text("Hold-out set of 20%: for large tables."),
}
# How the parameters are found, and how candidates are compared in a search.
WAYS = {
    "fixed": text("Use the parameters above, without a search."),
    "tune": text("Tune each learner. Rows used for the evaluation play no part in the search."),
    "choose": text(
        "Select one learner with its parameters. With cross-validation, the selection is repeated in every fold "
        "(nested) and evaluated on its rows."
    ),
}
STRATEGIES = {
    "cross-validation": text("5-fold cross-validation"),
    "validation": text("a validation set"),
}
_STATES = {
    "running": text("running"),
    "done": text("done"),
    "failed": text("failed"),
    "cancelled": text("cancelled"),
    "interrupted": text("interrupted"),
    "waiting": text("waiting"),
}
_MOST_CANDIDATES, _CANDIDATES = 200, 10
# Classes up to which a matrix of costs fits a page.
_MOST_COSTS = 8
# Rows beyond which ten folds take longer than people wait.
_MANY_ROWS = 20_000
# The headings of the page; families of ensembles are shown together.
_FAMILIES = {
    "trees": text("Trees"),
    "rules": text("Rules"),
    "bayes": text("Bayes"),
    "linear": text("Linear models and neural networks"),
    "svm": text("Support vector machines"),
    "neighbors": text("Nearest neighbors"),
    "ensembles": text("Ensembles"),
}
_ENSEMBLES = ("forest", "boosting", "additive")


def _are_values(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(each, (str, int)) for each in value.values())


# The form as the project keeps it.
_FORM: dict[str, Callable[[Any], bool]] = {
    "learners": lambda value: isinstance(value, list),
    "params": lambda value: isinstance(value, dict) and all(map(_are_values, value.values())),
    "plan": lambda value: isinstance(value, str),
    "seed": lambda value: isinstance(value, int),
    "costs": _are_values,
    "way": _are_values,
}


class LearnPage(Page):
    """The page Learn."""

    title = text("Learn")
    lead = text("Choose learners, train them and evaluate them on rows they have not seen.")

    def actions(self) -> list[tuple[str, Action]]:
        """Start, cancel, measure."""
        return [("start", self._start), ("cancel", self._cancel), ("measure", self._measure)]

    # -- what the page shows -------------------------------------------------------------------------------------------
    def view(self, query: dict[str, str], locale: Locale) -> dict[str, Any]:
        """Return the learners, the form and the runs."""
        opened = self.bench.need_table()
        opened.need_target()
        _, y = learning_rows(opened.table, task=opened.task)
        labels = sorted(set(y.tolist()), key=str) if opened.task == "classification" else []
        chosen = self._last_form(opened)
        timing = self._timing(opened)
        runs = [run_view(run, opened) for run in self.jobs.all("learn")[:12]]
        return {
            "target": opened.target,
            "task": opened.task,
            "families": self._families(opened, chosen, timing),
            "timing": timing,
            "plans": _PLAN_LABELS,
            "states": _STATES,
            "plan": chosen.get("plan", "folds_5" if len(y) > _MANY_ROWS else "folds_10"),
            "seed": chosen.get("seed", 0),
            "ways": WAYS,
            "way": chosen.get("way", {}).get("kind", "fixed"),
            "candidates": chosen.get("way", {}).get("n_iter", _CANDIDATES),
            "most_candidates": _MOST_CANDIDATES,
            "strategies": STRATEGIES,
            "strategy": chosen.get("way", {}).get("strategy", "cross-validation"),
            "labels": [str(label) for label in labels] if len(labels) <= _MOST_COSTS else [],
            "costs": chosen.get("costs", {}),
            # Of two classes the rarer one is usually the one to find.
            "rarer": int(np.argmin([np.count_nonzero(y == label) for label in labels])) if labels else 0,
            "runs": runs,
            "running": next((run for run in runs if run["state"] == "running"), None),
        }

    def _last_form(self, opened: OpenTable) -> dict[str, Any]:
        """Return the form as it was last filled in; it starts anew for the other task.

        It also does where the project file says what no form can.
        """
        kept = self.project.recall("learn", {})
        if not isinstance(kept, dict) or kept.get("task", "classification") != opened.task:
            return {}
        return {name: kept[name] for name, test in _FORM.items() if name in kept and test(kept[name])}

    def _families(self, opened: OpenTable, chosen: dict[str, Any], timing: dict[str, Any]) -> list[dict[str, Any]]:
        picked = chosen.get("learners", list(DEFAULT_LEARNERS[opened.task]))
        params = chosen.get("params", {})
        families: dict[str, list[dict[str, Any]]] = {family: [] for family in _FAMILIES}
        for name, entry in learners_of(opened.task).items():
            known = timing.get("learners", {}).get(name, {})
            families.setdefault("ensembles" if entry.family in _ENSEMBLES else entry.family, []).append(
                {
                    "id": name,
                    "help": entry.help,
                    "when": entry.when,
                    "readable": entry.is_readable,
                    "picked": name in picked,
                    "fields": parameter_fields(name, opened.task),
                    "params": params.get(name, {}),
                    "space": entry.search_space,
                    "seconds": known.get("seconds"),
                    "refused": known.get("error", ""),
                }
            )
        return [
            {"title": _FAMILIES.get(family, family), "learners": members}
            for family, members in families.items()
            if members
        ]

    def _timing(self, opened: OpenTable) -> dict[str, Any]:
        """What was measured for this table, and whether it is being measured."""
        run = self.jobs.latest("timing")
        if run is None or run.request.get("table") != opened.state.to_dict() | {"missing": list(opened.state.missing)}:
            return {"state": "none", "learners": {}}
        return {"state": run.state, "learners": run.result.get("learners", {})}

    # -- what its forms do ---------------------------------------------------------------------------------------------
    def _start(self, form: Form) -> str:
        opened = self.bench.need_table()
        opened.need_target()
        known = learners_of(opened.task)
        learners = [name for name in known if name in form.all("learner")]
        params = {name: form.below(name) for name in known}
        plan = form.need("plan", PLANS)
        given = form.get("seed", "0").strip()
        if not given.isdecimal() or int(given) >= 1 << 32:
            raise ChoiceError("seed", "seed-out-of-range", "The seed must be an integer between 0 and 4294967295.")
        seed = int(given)
        costs = form.below("cost")
        way = _way(form, PLANS[plan])
        self.project.remember(
            learn={
                "task": opened.task,
                "learners": learners,
                "params": {name: given for name, given in params.items() if given},
                "plan": plan,
                "seed": seed,
                "costs": costs,
                "way": way,
            }
        )
        if not learners:
            raise ChoiceError("learners", "no-learner-chosen", "Choose at least one learner.")
        self._check(opened, learners, params, PLANS[plan], seed)
        request = {
            "kind": "learn",
            "table": opened.state.to_dict(),
            "task": opened.task,
            "learners": [{"id": name, "params": params[name]} for name in learners],
            **PLANS[plan],
            "seed": seed,
            "cost": _costs(opened, costs),
            "way": way,
        }
        self.jobs.start(request | {"guesses": self._guesses(opened, learners, request)})
        return f"{self.path}#runs"

    def _check(
        self, opened: OpenTable, learners: list[str], params: dict[str, dict[str, str]], plan: dict[str, Any], seed: int
    ) -> None:
        """Refuse what cannot be learned before a process is started, beside the field that is wrong."""
        for name in learners:
            try:
                learner_from_words(name, params[name], seed, -1, task=opened.task)
            except InputError as error:
                raise ChoiceError(f"learner-{name}", error.message) from None
        try:
            learning_rows(opened.table, plan_of(plan, seed).folds, opened.task)
        except InputError as error:
            raise ChoiceError("plan", error.message) from None

    def _guesses(self, opened: OpenTable, learners: list[str], request: dict[str, Any]) -> dict[str, float]:
        kind = request["way"]["kind"]
        times = request.get("folds", 0) + 1 if kind == "fixed" else trainings(request)
        known = self._timing(opened)["learners"]
        found = {name: known[name]["seconds"] * times for name in learners if known.get(name, {}).get("seconds")}
        if kind == "choose":
            return {"select": sum(found.values())} if len(found) == len(learners) else {}
        return found

    def _cancel(self, form: Form) -> str:
        self.jobs.cancel(form.get("run"))
        return f"{self.path}#runs"

    def _measure(self, form: Form) -> None:
        opened = self.bench.need_table()
        if self._timing(opened)["state"] not in ("running", "done"):
            opened.need_target()
            self.jobs.start({"kind": "timing", "table": opened.state.to_dict(), "task": opened.task})


def _way(form: Form, plan: dict[str, Any]) -> dict[str, Any]:
    """How the parameters are found."""
    kind, typed = form.get("way", "fixed"), form.get("candidates", str(_CANDIDATES)).strip()
    strategy = form.get("strategy", "cross-validation")
    if kind not in WAYS or strategy not in STRATEGIES:
        raise ChoiceError("way", "form-field-missing", "The form is missing {field!r}. Reload the page.", field="way")
    if not typed.isdecimal() or not 1 <= int(typed[:9]) <= _MOST_CANDIDATES:
        raise ChoiceError(
            "way",
            "candidates-out-of-range",
            "The number of candidates must be an integer between 1 and {most}.",
            most=_MOST_CANDIDATES,
        )
    if kind != "fixed" and strategy == "validation" and "folds" in plan:
        raise ChoiceError(
            "way",
            "validation-needs-holdout",
            "A validation set cannot be combined with cross-validation. Choose a hold-out set under Evaluation.",
        )
    return {"kind": kind, "n_iter": int(typed), "strategy": strategy}


def _costs(opened: OpenTable, typed: dict[str, str]) -> list[dict[str, Any]] | dict[str, float]:
    """The costs that were filled in, as plain data; without any, nothing is weighed."""
    if opened.task == "regression":
        return _unit_costs(typed)
    labels = sorted(set(opened.table.xy()[1].tolist()), key=str)
    cells = _sentence_cells(typed, len(labels))
    found = []
    for key, word in cells.items():
        true, _, predicted = key.partition("-")
        if not (true.isdecimal() and predicted.isdecimal() and max(int(true), int(predicted)) < len(labels)):
            raise ChoiceError("costs", "costs-of-other-table", "These costs belong to another table. Reload the page.")
        found.append({"true": labels[int(true)], "predicted": labels[int(predicted)], "cost": _price(word)})
    if found:
        try:
            CostMatrix.from_any({(each["true"], each["predicted"]): each["cost"] for each in found}, labels=labels)
        except InputError as error:
            raise ChoiceError("costs", error.message) from None
        errors = {f"{i}-{j}" for i in range(len(labels)) for j in range(len(labels)) if i != j}
        if len(labels) <= _MOST_COSTS and not errors <= set(cells):
            raise ChoiceError(
                "costs",
                "costs-incomplete",
                "Enter the cost of every error, 0 where one costs nothing, or leave all of them empty.",
            )
    return found


def _unit_costs(typed: dict[str, str]) -> dict[str, float]:
    """The costs of a unit of error, too high and too low; one that is left empty is 1, as in the command."""
    found: dict[str, float] = {name: _price(typed[name]) for name in ("over", "under") if name in typed}
    if found:
        try:
            UnitCost(**found)
        except InputError as error:
            raise ChoiceError("costs", error.message) from None
    return found


def _sentence_cells(typed: dict[str, str], n_classes: int) -> dict[str, str]:
    """The costs as cells of a matrix, "true-predicted": those of a sentence about one of two classes become cells."""
    told = {name: typed[name] for name in ("missed", "alarm", "right") if name in typed}
    cells = {key: word for key, word in typed.items() if key not in ("positive", *told)}
    if not told:
        return cells
    positive = typed.get("positive", "")
    if n_classes != 2 or positive not in ("0", "1"):
        raise ChoiceError("costs", "costs-of-other-table", "These costs belong to another table. Reload the page.")
    p, n = positive, "1" if positive == "0" else "0"
    places = {"missed": f"{p}-{n}", "alarm": f"{n}-{p}", "right": f"{p}-{p}"}
    return cells | {places[name]: word for name, word in told.items()}


def _price(word: str) -> float:
    try:
        return float(word.replace(",", "."))
    except ValueError:
        raise ChoiceError(
            "costs", "cost-field-not-number", "A cost must be a number, not {value!r}.", value=clip(word, 40)
        ) from None

"""A model as a page shows it: a tree whose nodes lead to rows, rules that can be switched off, weights, tables."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from vaglio.errors import VaglioError
from vaglio.evaluation.metrics.scoring import DEFAULT_SCORE
from vaglio.evaluation.selection.selection_result import Selection
from vaglio.evaluation.selection.splits import SplitRules, make_holdout
from vaglio.evaluation.selection.strategies import find_strategy
from vaglio.evaluation.selection.trials import Trial
from vaglio.explanation.chapter import chapters
from vaglio.fitted import Fitted
from vaglio.learners.rules.model.ruleset import RuleSet
from vaglio.learners.trees.chapter import tree_drawing
from vaglio.learners.trees.model.tree import Tree
from vaglio.messages.message import text
from vaglio.messages.sentences import clip
from vaglio.model.condition import condition_text
from vaglio.report.limits import Limits
from vaglio.report.model_chapter import StudyBackground
from vaglio.studio.pages.explore import rows_view
from vaglio.studio.pages.runs import Learned
from vaglio.studio.project.workbench import OpenTable
from vaglio.study import Study
from vaglio.typing import TableLike

__all__ = ["evaluated_positions", "model_parts", "node_view", "rules_view"]

# Rules that can be switched, rows of a node that are listed.
_MOST_RULES, _MOST_ROWS = 40, 12


def model_parts(model: Learned, fitted: Fitted, opened: OpenTable) -> dict[str, Any]:
    """Return what the model has learned, as the report shows it; nodes of a tree are links.

    Parameters
    ----------
    model : Learned
    fitted : Fitted
    opened : OpenTable
    """
    if isinstance(fitted.model, Tree):
        part, _ = tree_drawing(
            fitted.model, fitted, Limits(), lambda node: f"/understand?model={model.name}&node={node}#node"
        )
        how_to_read = text(
            "A row starts at the top and follows the branch whose condition it meets. Click a node to see its rows."
        )
        return {"lead": [how_to_read], "parts": [{"folded": False, "none": "", **part}]}
    if isinstance(fitted.model, RuleSet):
        return {"lead": [], "parts": []}
    write = chapters.find(fitted.model.kind)
    if write is None:
        return {"lead": [], "parts": []}
    try:
        lead, parts = write(fitted, StudyBackground(_study(model, fitted, opened)), Limits())
    except VaglioError as error:
        return {"lead": [error.message], "parts": []}
    return {"lead": lead, "parts": [{"folded": False, "none": "", **part} for part in parts]}


def _study(model: Learned, fitted: Fitted, opened: OpenTable) -> Study:
    """The run as a study, which the chapters of the report read."""
    evaluation = model.evaluation()
    scoring = DEFAULT_SCORE[evaluation.task]
    score = evaluation.estimate(scoring)
    trial = Trial(model.id, {}, np.empty(0), np.empty(0), 0.0, 0.0)
    selection = Selection(
        strategy=find_strategy("quick"),
        trials=(trial,),
        best=trial,
        best_estimator=SimpleNamespace(fitted_=fitted),
        evaluation=evaluation,
        score=float("nan") if score is None else float(score.value),
        scoring=scoring,
        train_score=float("nan"),
        n_train=int(model.facts["trained_on"]),
        judged=evaluated_positions(model, opened),
        seed=model.request.seed,
    )
    return Study.of_results(opened.table, opened.need_target(), opened.findings.result(), selection)


def evaluated_positions(model: Learned, opened: OpenTable) -> np.ndarray:
    """Return the rows of the evaluation, as positions among the rows whose class is known."""
    known = model.judged()
    if known is not None:
        return known
    task = model.request.task
    y, groups = opened.table.xy(task=task)[1], opened.table.labelled().groups
    holdout = model.request.data.get("holdout")
    if holdout is None:
        return np.arange(len(y))
    return make_holdout(y, holdout, SplitRules(seed=model.request.seed, groups=groups), task=task)[1]


# -- a node and its rows -----------------------------------------------------------------------------------------------
def node_view(fitted: Fitted, opened: OpenTable, wanted: str) -> dict[str, Any] | None:
    """Return the rows of the table that pass a node of a tree; None if no node is chosen.

    Parameters
    ----------
    fitted : Fitted
    opened : OpenTable
    wanted : str
        The number of the node.
    """
    tree = fitted.model
    if not isinstance(tree, Tree) or not wanted.isdecimal() or len(wanted) > 9 or int(wanted) >= tree.n_nodes:
        return None
    node = int(wanted)
    passing = tree.decision_path(fitted.codebook.encode(opened.sample)).tocsc()
    found = np.unique(passing.indices[passing.indptr[node] : passing.indptr[node + 1]])
    codes = opened.codes[found]
    counts = np.bincount(codes[codes >= 0], minlength=len(opened.label_names)).tolist()
    return {
        "number": node,
        "counts": list(zip(opened.label_names, counts)),
        "rows": rows_view(opened.table, opened.pictured[found[:_MOST_ROWS]], len(found)),
    }


# -- rules that can be switched off --------------------------------------------------------------------------------
def rules_view(model: Learned, fitted: Fitted, opened: OpenTable, off: set[int]) -> dict[str, Any] | None:
    """Return the rules of a model, and the figures with and without those that are switched off.

    Parameters
    ----------
    model : Learned
    fitted : Fitted
    opened : OpenTable
    off : set of int
        Places of the rules that are switched off.
    """
    if not isinstance(fitted.model, RuleSet):
        return None
    rules = fitted.rules()
    X, y = opened.table.xy()
    at = evaluated_positions(model, opened)
    rest = replace(rules, entries=tuple(rule for i, rule in enumerate(rules) if i not in off))
    shown = list(enumerate(rules))[:_MOST_RULES]
    before, after = (_accuracy(each, X[at], y[at]) for each in (rules, rest))
    return {
        "rules": [
            {
                "number": number,
                "conditions": [clip(condition_text(condition), 90) for condition in rule.conditions] or ["–"],
                "label": clip(rule.label, 40),
                "covered": float(rule.positives + rule.negatives),
                "accuracy": rule.accuracy,
                "on": number not in off,
            }
            for number, rule in shown
        ],
        "more": len(rules) - len(shown),
        "default": clip(rules.default_label, 40),
        "held_out": model.request.data.get("holdout") is not None,
        "n_rows": len(at),
        "before": before,
        "after": after,
        "n_off": len(rules) - len(rest),
    }


def _accuracy(rules: RuleSet, X: TableLike, y: np.ndarray) -> float:
    predicted = Fitted.from_rules(rules).predict(X)
    return float(np.mean(predicted.astype(str) == y.astype(str)))

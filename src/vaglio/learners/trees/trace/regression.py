"""How a tree for numbers grows: at every node what each test leaves of the variance, and the choice with its reason."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.document.document import Page
from vaglio.document.spread import Group, impurity_after
from vaglio.document.training import Training
from vaglio.learners.inner_split import inner_split
from vaglio.learners.trees.estimators.growing import grow
from vaglio.learners.trees.model.tree import LINEAR, Tree
from vaglio.learners.trees.trace.best_tests import REMARKS
from vaglio.learners.trees.trace.growth import GrowthSteps, reached_leaves, write_shape, write_size
from vaglio.learners.trees.trace.number_tests import NumberSplit, NumberSplits
from vaglio.learners.trees.trace.pruning import trace_pruning
from vaglio.messages.message import text
from vaglio.model.condition import condition_text

_CRITERIA = {
    "squared_error": text(
        "Each node takes the test that leaves the smallest variance, that is, the test that decreases it most. A leaf "
        "predicts the mean of its rows."
    ),
    "absolute_error": text(
        "Each node takes the test that leaves the smallest mean distance from the median. A leaf predicts the median "
        "of its rows."
    ),
    "poisson": text(
        "Each node takes the test that leaves the smallest deviance of Poisson's distribution. A leaf predicts the "
        "mean of its rows."
    ),
}
_FORMULAS = {
    "squared_error": "Var = (1/n)·Σ (yᵢ − ȳ)²",
    "absolute_error": "MAD = (1/n)·Σ |yᵢ − ỹ|",
    "poisson": "D = (1/n)·Σ (yᵢ·ln(yᵢ/ȳ) − (yᵢ − ȳ))",
}
_NAMES = {"squared_error": "Var", "absolute_error": "MAD", "poisson": "D"}
_REMARKS = {**REMARKS, "guarded": text("corrected for chance (many values)")}
# Numbers of a sum that are written out, and thresholds of one attribute that are listed.
_MOST_TERMS = 16
_MOST_THRESHOLDS = 60


def trace_regression_tree(page: Page, training: Training) -> None:
    """Write the growth, then the pruning, then the rules of a tree for numbers."""
    estimator, say = training.estimator, page.say
    part, validation = training, None
    if estimator.pruning == "reduced_error":
        growing, held = inner_split(estimator, training.y, 0)
        if held.size:
            part, validation = training.take(growing), training.take(held)
    weight = None if (part.weight == 1).all() else part.weight
    tree = grow(estimator, part.matrix, part.y, weight, 0)
    growth = NumberGrowth(page, part, tree)
    measure = growth.splits.measure
    write_size(page, training)
    page.text(say.text(_CRITERIA[measure]))
    page.formula(_FORMULAS[measure])
    if estimator._oblique:
        page.text(
            say(
                "A node may also test a linear combination of numeric columns, if it leaves less impurity than "
                "the best single column. The learner finds the combination (the slopes of least squares, Fisher's "
                "discriminant of the rows above the mean or median, then random changes); its impurity is computed "
                "here."
            )
        )
    if validation is not None:
        page.text(
            say(
                "The rows are split at random: {growing} grow the tree and {validation} are held out to prune it.",
                growing=len(part.y),
                validation=len(validation.y),
            )
        )
    growth.write()
    trace_pruning(page, part, tree, growth.names, validation, measure)
    write_shape(page, estimator.tree_)
    _rules(page, training)
    write_row(page, training)
    page.facts["leaves"] = reached_leaves(estimator.tree_)


def write_row(page: Page, training: Training) -> None:
    """Write which conditions the row meets and what the tree predicts for it, if there is a row."""
    if training.row is None:
        return
    say, predicted = page.say, float(training.estimator.tree_.predict(training.row)[0])
    page.section(say("The row"))
    path = [say.text(condition_text(c)) for c in _conditions_met(training)]
    if path:
        page.text(say("The row meets {conditions}.", conditions=say.series(path)))
    page.text(say("Prediction: {number}.", number=say.short(predicted)))
    page.facts["prediction"] = predicted


def _conditions_met(training: Training) -> list[Any]:
    """The conditions of the rule that the row meets; none where it meets several in part."""
    assert training.row is not None
    rules = [rule for rule in training.estimator.rules() if np.asarray(rule.match(training.row))[0] == 1]
    return list(rules[0].conditions) if len(rules) == 1 else []


def _rules(page: Page, training: Training) -> None:
    """Write the rules of the leaves with the rows they hold, their mean and their standard deviation."""
    say, lines, facts = page.say, list[list[str]](), list[dict[str, Any]]()
    for rule in training.estimator.rules():
        group = Group.of(training.y, training.weight * rule.match(training.matrix))
        if not len(group.y):
            continue
        conditions = [say.text(condition_text(condition)) for condition in rule.conditions]
        shown = say("IF {conditions}", conditions=f" {say('AND')} ".join(conditions)) if conditions else say("all rows")
        lines.append([shown, say.short(round(float(rule.label), 6)), say.count(group.size), say.fixed(group.deviation)])
        facts.append({"predicts": float(rule.label), "rows": group.size, "deviation": group.deviation})
    page.table([say("rule"), say("predicts"), say("rows"), say("standard deviation")], lines)
    page.facts["rules"] = facts


class NumberGrowth(GrowthSteps):
    """The growth of a tree for numbers."""

    def __init__(self, page: Page, training: Training, tree: Tree) -> None:
        super().__init__(page, training, tree)
        self.splits = NumberSplits(self.say, training)

    @property
    def measure(self) -> str:
        name: str = self.splits.measure
        return name

    def group(self, node: int) -> Group:
        """The numbers of the rows in a node."""
        return Group.of(self.training.y, self.weight[node])

    def _node(self, node: int) -> dict[str, Any]:
        page, say, group = self.page, self.say, self.group(node)
        page.section(self.names[node], level=2)
        self._rows(group)
        splits = self.splits.all(self.weight[node])
        best, chosen = self.splits.choose(splits), int(self.tree.feature[node])
        self._attributes(splits, chosen)
        if self.tree.node_kind[node] == LINEAR:
            return {"node": self.path[node], "mean": group.mean, **self._combination(node, group, best)}
        split = next(split for split in splits if split.feature == chosen)
        if split.thresholds:
            self._thresholds(split)
        name = self.training.features[chosen].name
        page.text(
            say(
                "Chosen: {name}, which leaves the smallest {measure} ({after}).",
                name=name,
                measure=_NAMES[self.measure],
                after=say.fixed(split.after),
            )
            if split in best
            else say("The tree tests {tree}.", tree=name)
        )
        if len(best) > 1 and split in best:
            names = ", ".join(self.training.features[s.feature].name for s in best)
            page.text(
                say("Tie between {names}. The tree takes the first of them in the table, up to rounding.", names=names)
            )
        children = self._branches(node)
        self._work_out(group, children)
        return {
            "node": self.path[node],
            "mean": group.mean,
            "impurity": group.impurity(self.measure),
            "chosen": None if not best else self.training.features[(split if split in best else best[0]).feature].name,
            "tree": name,
            "attributes": {
                self.training.features[s.feature].name: {
                    "test": s.test,
                    "after": s.after,
                    "reduction": s.reduction,
                    "remark": s.remark,
                    "thresholds": [{"test": row.test, "after": row.after} for row in s.thresholds],
                }
                for s in splits
            },
        }

    def _combination(self, node: int, group: Group, best: list[NumberSplit]) -> dict[str, Any]:
        """Write the combination that a node tests; return what it leaves, and what the best single columns leave."""
        terms, measure = self.write_terms(node), self.measure
        children = self._branches(node)
        self._work_out(group, children)
        left = impurity_after(measure, children)
        single = {self.training.features[split.feature].name: split.after for split in best}
        self.compare_with_single(single, left)
        return {"combination": left, "single": single, "terms": terms, "impurity": group.impurity(measure)}

    def _rows(self, group: Group) -> None:
        """Write the numbers of a node, their mean and their impurity."""
        page, say, n = self.page, self.say, self.say.count(group.size)
        middle = group.centre(self.measure)
        if self.measure == "absolute_error":
            page.text(say("{rows} rows, median {median}.", rows=n, median=say.short(round(middle, 6))))
        else:
            page.text(
                say(
                    "{rows} rows, mean {mean}, standard deviation {deviation}.",
                    rows=n,
                    mean=say.short(round(middle, 6)),
                    deviation=say.fixed(group.deviation),
                )
            )
        written, m = "", say.short(round(middle, 4))
        if len(group.y) <= _MOST_TERMS and (group.weight == 1).all() and self.measure != "poisson":
            marks = ("(", ")²") if self.measure == "squared_error" else ("|", "|")
            terms = " + ".join(f"{marks[0]}{say.short(y)} − {m}{marks[1]}" for y in group.y.tolist())
            written = f"1/{n}·({terms}) = "
        page.formula(
            f"{_NAMES[self.measure]} = {written}{say.fixed(group.impurity(self.measure))}".replace("− −", "+ ")
        )

    def _attributes(self, splits: list[NumberSplit], chosen: int) -> None:
        say, name, rows = self.say, _NAMES[self.measure], list[list[str]]()
        for split in splits:
            remark = say("chosen") if split.feature == chosen else ""
            if split.remark and split.feature != chosen:
                remark = say.text(_REMARKS[split.remark])
            tested = split.test or (say("each value") if len(split.branches) > 1 else "–")
            rows.append(
                [
                    self.training.features[split.feature].name,
                    tested,
                    say.fixed(split.after),
                    say.fixed(split.reduction),
                    remark,
                ]
            )
        marked = [i for i, split in enumerate(splits) if split.feature == chosen]
        head = [
            say("attribute"),
            say("test"),
            say("{measure} after", measure=name),
            say("decrease in {measure}", measure=name),
            say("remark"),
        ]
        self.page.table(head, rows, say("All attributes"), marked)

    def _thresholds(self, split: NumberSplit) -> None:
        say, measure = self.say, self.measure
        whole = Group.of(
            np.concatenate([split.thresholds[0].below.y, split.thresholds[0].above.y]),
            np.concatenate([split.thresholds[0].below.weight, split.thresholds[0].above.weight]),
        ).impurity(measure)
        rows = [
            [
                row.test,
                say.count(row.below.size),
                say.short(round(row.below.centre(measure), 4)),
                say.count(row.above.size),
                say.short(round(row.above.centre(measure), 4)),
                say.fixed(row.after),
                say.fixed(whole - row.after),
            ]
            for row in split.thresholds
        ]
        middle = say("median") if measure == "absolute_error" else say("mean")
        name = _NAMES[measure]
        head = [
            say("threshold"),
            say("rows below"),
            middle,
            say("rows above"),
            middle,
            say("{measure} after", measure=name),
            say("decrease in {measure}", measure=name),
        ]
        best = [t for t, row in enumerate(rows) if row[0] == split.test]
        column = self.training.features[split.feature].name
        self.page.table(head, rows, say("Every threshold of {name}", name=column), best, most=_MOST_THRESHOLDS)

    def _branches(self, node: int) -> list[Group]:
        """Write where each branch of the chosen test leads; return their rows."""
        say, measure, lines, groups = self.say, self.measure, list[list[str]](), list[Group]()
        for branch, child in enumerate(self.tree.children(node)):
            group = self.group(child)
            groups.append(group)
            lines.append(
                [
                    self.branch_name(node, branch),
                    say.count(group.size),
                    say.short(round(group.centre(measure), 6)) if len(group.y) else "–",
                    say.fixed(group.impurity(measure)),
                    self.fate(child),
                ]
            )
        middle = say("median") if measure == "absolute_error" else say("mean")
        head = [say("branch"), say("rows"), middle, _NAMES[measure], say("then")]
        self.page.table(head, lines, say("The branches of {name}", name=self.test_name(node)))
        return groups

    def _work_out(self, whole: Group, branches: list[Group]) -> None:
        page, say, measure, name = self.page, self.say, self.measure, _NAMES[self.measure]
        total = sum(group.size for group in branches)
        terms = [f"{say.fraction(g.size, total)}·{say.fixed(g.impurity(measure))}" for g in branches if len(g.y)]
        after = sum(g.size * g.impurity(measure) for g in branches) / total
        before = whole.impurity(measure)
        page.formula(f"{say('{measure} after', measure=name)} = {' + '.join(terms)} = {say.fixed(after)}")
        page.formula(
            f"{say('decrease in {measure}', measure=name)} = {say.fixed(before)} − {say.fixed(after)} "
            f"= {say.fixed(before - after)}"
        )

    # -- the end of a branch -----------------------------------------------------------------------------------------
    def fate(self, child: int) -> str:
        """Where a branch leads: to the next node, or to a leaf and why."""
        if child in self.number:
            return self.say("node {n}", n=self.number[child])
        number = self.say.short(float(f"{self.tree.value[child, 0]:.6g}"))
        return self.say("leaf {label} ({why})", label=number, why=self._why_leaf(child))

    def _why_leaf(self, node: int) -> str:
        group, estimator, splits = self.group(node), self.training.estimator, self.splits
        if len(group.y) == 0 or np.ptp(group.y) == 0:
            return self.say("one value only")
        if estimator.max_depth is not None and self.tree.depth_of[node] >= estimator.max_depth:
            return self.say("maximum depth")
        if group.size < splits.min_split - 1e-9 or group.size < 2 * splits.min_rows - 1e-9:
            return self.say("too few rows")
        return self.say("no useful test")

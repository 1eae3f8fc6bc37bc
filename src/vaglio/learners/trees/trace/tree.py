"""How a decision tree grows: at every node the table of all attributes, and the choice with its reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from vaglio.document.animation import MAX_FRAMES, AnimationContext, Frame
from vaglio.document.document import Page
from vaglio.document.impurity import MEASURES, Cuts, after, entropy, entropy_formula, gini, gini_formula
from vaglio.document.training import Training
from vaglio.learners.inner_split import inner_split
from vaglio.learners.rules.model.rule import Rule
from vaglio.learners.trees.estimators.growing import grow
from vaglio.learners.trees.model.rules import branch_condition, outline
from vaglio.learners.trees.model.tree import LINEAR, Tree
from vaglio.learners.trees.trace.best_tests import REMARKS, NodeSplits, Split
from vaglio.learners.trees.trace.growth import GrowthSteps, preorder, reached_leaves, write_shape
from vaglio.learners.trees.trace.pruning import trace_pruning
from vaglio.messages.message import text
from vaglio.model.condition import Condition, condition_text, value_text
from vaglio.plot.tree_drawing import Box

_CRITERIA = {
    "entropy": text(
        "Each node tests the attribute with the largest information gain: the entropy of the node minus the weighted "
        "mean entropy of the branches."
    ),
    "gain_ratio": text(
        "Each node tests the attribute with the largest gain ratio: information gain divided by split information. "
        "Only attributes with at least average gain are considered."
    ),
    "gini": text(
        "Each node takes the test that leaves the smallest Gini index, that is, the test that decreases it most."
    ),
    "error": text(
        "Each node takes the test that leaves the smallest error rate, that is, the test that decreases it most."
    ),
}
# Thresholds of one attribute that are listed: more fill several pages.
_MOST_THRESHOLDS = 60
_NOMINAL_SPLITS = {
    "multiway": text("A nominal attribute has one branch per value."),
    "subset": text("A test has two branches; the values of a nominal attribute are divided into two sets."),
}


def trace_tree(page: Page, training: Training) -> None:
    """Write the growth, then the pruning, then the rules of the tree."""
    estimator, say = training.estimator, page.say
    part, validation = growing_and_validation(training)
    weight = None if (part.weight == 1).all() else part.weight
    tree = grow(estimator, part.matrix, part.y, weight, len(training.classes))
    page.section(say("The data"))
    page.text(
        say(
            "{rows:,} {rows:row|rows}, {columns:,} {columns:attribute|attributes}, {k:,} {k:class|classes}.",
            rows=len(training.y),
            columns=len(training.features),
            k=len(training.classes),
        )
    )
    page.text(say.text(_CRITERIA[_criterion(estimator)]))
    page.text(say.text(_NOMINAL_SPLITS[estimator.nominal_split]))
    if estimator._oblique:
        page.text(
            say(
                "A node may also test a linear combination of numeric columns, if it leaves less impurity than "
                "the best single column. The learner finds the combination (Fisher's discriminant, then random "
                "changes to it); its impurity is computed here."
            )
        )
    if validation is not None:
        page.text(
            say(
                "The rows are split at random within each class: {growing} grow the tree and {validation} are "
                "held out to prune it.",
                growing=len(part.y),
                validation=len(validation.y),
            )
        )
    growth = Growth(page, part, tree)
    growth.write()
    trace_pruning(page, part, tree, growth.names, validation)
    write_shape(page, estimator.tree_)
    rules = [rule for rule in estimator.rules() if rule.positives + rule.negatives > 0]
    page.table([say("rule")], [[text] for text in rule_texts(rules, growth)])
    page.facts["leaves"] = reached_leaves(estimator.tree_)


def growing_and_validation(training: Training) -> tuple[Training, Training | None]:
    """The rows that grow the tree, and those that reduced-error pruning keeps apart."""
    if training.estimator.pruning != "reduced_error":
        return training, None
    growing, validation = inner_split(training.estimator, training.y, len(training.classes))
    if not validation.size:
        return training, None
    return training.take(growing), training.take(validation)


def _criterion(estimator: Any) -> str:
    name: str = estimator.criterion
    return {"log_loss": "entropy"}.get(name, name)


class Growth(GrowthSteps):
    """The growth of a tree for classes."""

    def __init__(self, page: Page, training: Training, tree: Tree) -> None:
        super().__init__(page, training, tree)
        self.splits = NodeSplits(self.say, training)
        # What is shown: the measure of the learner, or all of them.
        self.shown = {"entropy", "ratio", "gini", "binary", "error"} if training.all_measures else {self.splits.measure}
        if self.splits.by_ratio:
            self.shown.add("ratio")

    # -- one node ----------------------------------------------------------------------------------------------------
    def _node(self, node: int) -> dict[str, Any]:
        page, say, classes = self.page, self.say, self.training.classes
        counts = self.training.class_weights(weight=self.weight[node])
        page.section(self.names[node], level=2)
        page.about_rows(self.training.row_numbers[self.weight[node] > 0])
        each = say.series(f"{label} {say.count(n)}" for label, n in zip(classes, counts) if n > 0)
        page.text(say("{rows} rows: {each}.", rows=say.count(counts.sum()), each=each))
        if "entropy" in self.shown:
            page.formula(f"{say('entropy')} = {entropy_formula(say, counts)}")
        if "gini" in self.shown:
            page.formula(f"{say('Gini')} = {gini_formula(say, counts)}")
        above, used = node, set[int]()
        while (above := int(self.tree.parent[above])) >= 0:
            used.add(int(self.tree.feature[above]))
        splits = self.splits.all(self.weight[node], frozenset(used))
        best, remarks = self.splits.choose(splits)
        chosen = int(self.tree.feature[node])
        self._attributes(splits, remarks, chosen)
        self._guard(splits)
        for split in splits:
            if split.cuts is not None and (split.feature == chosen or self.training.all_measures):
                self._thresholds(split)
        if self.tree.node_kind[node] == LINEAR:
            return {"node": self.path[node], **write_combination(self, node, splits, best)}
        split = next(split for split in splits if split.feature == chosen)
        self._reason(split, splits, remarks)
        if len(best) > 1 and split in best:
            page.text(
                say(
                    "Tie between {names}. The tree takes the first of them in the table, up to rounding.",
                    names=", ".join(self.training.features[s.feature].name for s in best),
                )
            )
        self._branches(node, split)
        name, found = self.training.features[chosen].name, None
        if best:
            # Among equals that of the tree, which rounding may decide.
            found = name if split in best else self.training.features[best[0].feature].name
        if self.exact and found != name:
            page.text(say("By these numbers another attribute is just as good. The tree tests {tree}.", tree=name))
        return {
            "node": self.path[node],
            "entropy": float(entropy(counts)),
            "gini": float(gini(counts)),
            "chosen": name if not self.exact else found,
            "tree": name,
            "attributes": {
                self.training.features[s.feature].name: {
                    "test": s.test,
                    "entropy": s.impurity_after("entropy"),
                    "gain": s.gain,
                    "split_information": s.split_information,
                    "gain_ratio": s.ratio,
                    "counted_gain": s.counted_gain,
                    "counted_ratio": s.counted_ratio,
                    "gini": s.impurity_after("gini"),
                    "gini_binary": s.binary[0],
                    "binary_test": s.binary[1],
                    "remark": s.remark,
                    "thresholds": []
                    if s.cuts is None
                    else [
                        {"threshold": t, "gain": gain, "gini": gini}
                        for t, gain, gini in zip(*map(np.ndarray.tolist, _columns(s.cuts)))
                    ],
                }
                for s in splits
            },
        }

    def _attributes(self, splits: list[Split], remarks: dict[int, str], chosen: int) -> None:
        """Write one line per attribute, with the measures that the learner compares."""
        say, shown = self.say, self.shown
        by_measure: list[tuple[str, str, Callable[[Split], str]]] = [
            ("entropy", say("entropy after"), lambda s: say.fixed(s.impurity_after("entropy"))),
            ("entropy", say("gain"), lambda s: say.fixed(s.gain)),
            ("ratio", say("split info"), lambda s: say.fixed(s.split_information)),
            ("ratio", say("gain ratio"), lambda s: say.fixed(s.ratio)),
            ("gini", say("Gini after"), lambda s: say.fixed(s.impurity_after("gini"))),
            ("binary", say("binary Gini"), lambda s: say.fixed(s.binary[0])),
            ("binary", say("binary test"), lambda s: s.binary[1]),
            ("error", say("error after"), lambda s: say.fixed(s.impurity_after("error"))),
        ]
        columns = [(name, write) for measure, name, write in by_measure if measure in shown]
        rows, marked = [], []
        for i, split in enumerate(splits):
            if split.feature == chosen:
                marked.append(i)
            remark = say("chosen") if split.feature == chosen else ""
            if split.feature in remarks:
                remark = say.text(REMARKS[remarks[split.feature]])
            first = [self.training.features[split.feature].name, split.test or say("each value")]
            rows.append([*first, *(write(split) for _, write in columns), remark])
        head = [say("attribute"), say("test"), *(name for name, _ in columns), say("remark")]
        self.page.table(head, rows, say("All attributes"), marked)

    def _guard(self, splits: list[Split]) -> None:
        """Write what the guard of columns of many values leaves of a gain, apart from the gain as it is defined."""
        say = self.say
        for split in splits:
            if split.reliable >= 1 or split.remark in ("used", "one_value"):
                continue
            measure = self.splits.measure
            words = {
                "name": self.training.features[split.feature].name,
                "part": say.percent(split.reliable),
                "counted": say.fixed(split.counted_ratio if self.splits.by_ratio else self.splits.counted(split)),
                "defined": say.fixed(split.ratio if self.splits.by_ratio else split.decrease(measure)),
            }
            self.page.text(
                say(
                    "Guard: {name} has many values, and {part} of its gain can be expected on other rows. It enters "
                    "the choice with {counted} instead of {defined}.",
                    **words,
                )
            )

    def _thresholds(self, split: Split) -> None:
        """Write every threshold of a numeric attribute with what it gains; the best is marked."""
        say, cuts = self.say, split.cuts
        assert cuts is not None
        measures = [name for name in ("entropy", "gini", "error") if name in self.shown]
        after, gain = ([getattr(cuts, what)(name) for name in measures] for what in ("after", "gain"))
        titles = {
            "entropy": (say("entropy after"), say("gain")),
            "gini": (say("Gini after"), say("decrease in Gini")),
            "error": (say("error after"), say("decrease in error")),
        }
        head = [say("threshold"), say("rows below"), say("rows above")]
        head += [title for name in measures for title in titles[name]]
        rows = [
            [
                self.splits.threshold_text(split.feature, float(threshold)),
                say.count(cuts.below[t].sum()),
                say.count(cuts.above[t].sum()),
                *(say.fixed(float(column[t])) for both in zip(after, gain) for column in both),
            ]
            for t, threshold in enumerate(cuts.threshold)
        ]
        name = self.training.features[split.feature].name
        best = [t for t, row in enumerate(rows) if row[0] == split.test]
        self.page.table(head, rows, say("Every threshold of {name}", name=name), best, most=_MOST_THRESHOLDS)

    def _reason(self, split: Split, splits: list[Split], remarks: dict[int, str]) -> None:
        page, say = self.page, self.say
        name = self.training.features[split.feature].name
        criterion = _criterion(self.training.estimator)
        if criterion == "gain_ratio" and "below_average" in remarks.values():
            compared = [s for s in splits if remarks.get(s.feature, "below_average") == "below_average"]
            page.text(
                say(
                    "The average gain is {average}. Attributes with a smaller gain are excluded.",
                    average=say.fixed(self.splits.average_of(compared)),
                )
            )
        if split.penalty:
            page.text(
                say(
                    "The gain of a numeric test is reduced because its threshold was chosen among several: "
                    "log2(thresholds)/n = {penalty} is subtracted.",
                    penalty=say.fixed(split.penalty),
                )
            )
        shown = {"name": name, "worth": say.fixed(self.splits.worth(split))}
        if criterion == "entropy":
            page.text(say("Chosen: {name}, with the largest information gain ({worth}).", **shown))
        elif criterion == "gain_ratio":
            page.text(say("Chosen: {name}, with the largest gain ratio ({worth}).", **shown))
        elif criterion == "gini":
            after = say.fixed(split.impurity_after("gini"))
            page.text(
                say(
                    "Chosen: {name}, which leaves the smallest Gini index, {after} (a decrease of {worth}).",
                    after=after,
                    **shown,
                )
            )
        else:
            after = say.fixed(split.impurity_after("error"))
            page.text(
                say(
                    "Chosen: {name}, which leaves the smallest error rate, {after} (a decrease of {worth}).",
                    after=after,
                    **shown,
                )
            )

    def _branches(self, node: int, split: Split) -> None:
        """Write the branches of the chosen test, and the calculation of its measure."""
        tables = self.branch_table(node, self.training.features[split.feature].name)
        if split.known > 1 - 1e-9 and len(tables) > 1:
            self._work_out(np.array(tables), split)
        elif split.known <= 1 - 1e-9:
            self._work_out_known(split)

    def branch_table(self, node: int, name: str, prefix: str = "") -> list[np.ndarray]:
        """Write the branches of a test; return the class weights of those that rows take."""
        say, rows, tables = self.say, list[list[str]](), list[np.ndarray]()
        for branch, child in enumerate(self.tree.children(node)):
            counts = self.training.class_weights(weight=self.weight[child])
            if counts.sum() <= 0:
                continue
            tables.append(counts)
            rows.append([prefix + self.branch_name(node, branch), say.count(counts.sum()), *map(say.count, counts)])
            rows[-1] += [*self.measured(counts), self.fate(child)]
        head = [say("branch"), say("rows"), *self.training.classes, *self.measured(), say("then")]
        self.page.table(head, rows, say("The branches of {name}", name=name))
        return tables

    def measured(self, counts: np.ndarray | None = None) -> list[str]:
        """Return the measures of one branch that are shown, or without counts their names."""
        names = {"entropy": self.say("entropy"), "gini": self.say("Gini")}
        shown = [measure for measure in names if measure in self.shown]
        if counts is None:
            return [names[measure] for measure in shown]
        return [self.say.fixed(float(MEASURES[measure](counts))) for measure in shown]

    def _work_out(self, branches: np.ndarray, split: Split) -> None:
        page, say, sizes = self.page, self.say, branches.sum(axis=1)
        total, whole = float(sizes.sum()), branches.sum(axis=0)
        if self.splits.measure == "entropy":
            terms = [f"{say.fraction(n, total)}·{say.fixed(float(entropy(b)))}" for n, b in zip(sizes, branches)]
            gain = float(entropy(whole)) - after("entropy", branches)
            less = f" − {say.fixed(split.penalty)}" if split.penalty else ""
            start = say.fixed(float(entropy(whole)))
            page.formula(f"{say('gain')} = {start} − ({' + '.join(terms)}){less} = {say.fixed(gain - split.penalty)}")
            if "ratio" in self.shown:
                page.formula(f"{say('split information')} = {entropy_formula(say, sizes)}")
                shown = f"{say.fixed(split.gain)} / {say.fixed(split.split_information)} = {say.fixed(split.ratio)}"
                page.formula(f"{say('gain ratio')} = {shown}")
        elif self.splits.measure == "gini":
            terms = [f"{say.fraction(n, total)}·{say.fixed(float(gini(b)))}" for n, b in zip(sizes, branches)]
            left = after("gini", branches)
            page.formula(f"{say('Gini after')} = {' + '.join(terms)} = {say.fixed(left)}")
            drop = float(gini(whole)) - left
            page.formula(
                f"{say('decrease in Gini')} = {say.fixed(float(gini(whole)))} − {say.fixed(left)} = {say.fixed(drop)}"
            )

    def _work_out_known(self, split: Split) -> None:
        """With missing values spread over the branches, the gain is that of the known rows times their share."""
        page, say, measure = self.page, self.say, self.splits.measure
        page.text(
            say(
                "The value is known in {share} of the rows. The gain is computed on these rows and multiplied by "
                "their share. The other rows go down every branch with part of their weight, and count as one "
                "more branch in the split information.",
                share=say.percent(split.known),
            )
        )
        before, left = MEASURES[measure](split.branches.sum(axis=0)), split.impurity_after(measure)
        less = f" − {say.fixed(split.penalty)}" if split.penalty else ""
        worked = f"{say.fixed(split.known)}·({say.fixed(float(before))} − {say.fixed(left)}){less}"
        page.formula(f"{say('gain')} = {worked} = {say.fixed(split.decrease(measure))}")
        if self.splits.by_ratio:
            shown = f"{say.fixed(split.gain)} / {say.fixed(split.split_information)} = {say.fixed(split.ratio)}"
            page.formula(f"{say('gain ratio')} = {shown}")

    # -- the end of a branch -----------------------------------------------------------------------------------------
    def fate(self, child: int) -> str:
        """Where a branch leads: to the next node, or to a leaf and why."""
        if child in self.number:
            return self.say("node {n}", n=self.number[child])
        label = self.training.classes[int(np.argmax(self.tree.value[child]))]
        return self.say("leaf {label} ({why})", label=label, why=self._why_leaf(child))

    def _why_leaf(self, node: int) -> str:
        counts = self.training.class_weights(weight=self.weight[node])
        estimator, splits = self.training.estimator, self.splits
        if (counts > 0).sum() == 1:
            return self.say("one class")
        if estimator.max_depth is not None and self.tree.depth_of[node] >= estimator.max_depth:
            return self.say("maximum depth")
        if splits.rows(counts) < splits.min_split - 1e-9 or not splits.enough(counts / 2):
            return self.say("too few rows")
        return self.say("no useful test")


def _columns(cuts: Cuts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Thresholds, information gain and Gini index after each."""
    return cuts.threshold, cuts.gain("entropy"), cuts.after("gini")


def write_combination(growth: Growth, node: int, splits: list[Split], best: list[Split]) -> dict[str, Any]:
    """Write the test of a node, its branches and their impurity; return it, with that of the single columns."""
    page, say, measure = growth.page, growth.say, growth.splits.measure
    n_terms, name = growth.write_terms(node), growth.test_name(node)
    branches = np.array(growth.branch_table(node, name, f"{name} "))
    left, sizes = float(after(measure, branches)), branches.sum(axis=1)
    impurity = [float(MEASURES[measure](branch)) for branch in branches]
    parts = [f"{say.fraction(n, sizes.sum())}·{say.fixed(value)}" for n, value in zip(sizes, impurity)]
    page.formula(f"{say('impurity after')} = {' + '.join(parts)} = {say.fixed(left)}")
    names = growth.training.features
    single = {names[s.feature].name: s.impurity_after(measure) for s in splits if s in best}
    growth.compare_with_single(single, left)
    return {"combination": left, "single": single, "terms": n_terms}


def rule_texts(rules: Iterable[Rule], growth: Growth) -> list[str]:
    """Rules in which every combination is written by its name."""
    say, tree, named = growth.say, growth.tree, dict[Condition, str]()
    for node in (node for node in growth.number if tree.node_kind[node] == LINEAR):
        for branch in range(int(tree.n_children[node])):
            condition = branch_condition(tree, node, branch, growth.training.features)
            named[replace(condition, missing=0.0)] = f"{growth.test_name(node)} {growth.branch_name(node, branch)}"
    texts = []
    for rule in rules:
        shown = ""
        for condition in rule.conditions:
            one = named.get(replace(condition, missing=0.0)) or say.text(condition_text(condition))
            shown = say("{first} AND {more}", first=shown, more=one) if shown else one
        label = value_text(rule.label)
        texts.append(say("IF {conditions} THEN {label}", conditions=shown, label=label) if shown else label)
    return texts


def animate_tree(context: AnimationContext) -> list[Frame]:
    """Make one picture per test, and one of the finished tree."""
    part, _ = growing_and_validation(context.training)
    weight = None if (part.weight == 1).all() else part.weight
    grown = grow(context.estimator, part.matrix, part.y, weight, len(context.training.classes))
    classes = None if context.training.is_numeric else context.estimator.classes_
    shown = outline(context.estimator.tree_, part.features, classes)
    # The first test is chosen in the first step of the trace: its picture has that test already.
    return [*frames_of_growth(context, grown), Frame(context.say("The finished tree"), tree=shown)]


def frames_of_growth(context: AnimationContext, grown: Tree) -> list[Frame]:
    """Make one picture of all rows, and one per test."""
    classes = None if context.training.is_numeric else context.estimator.classes_
    inner = [node for node in preorder(grown) if not grown.is_leaf[node]]
    captions = [context.say("All rows")]
    captions += [context.say("{n:,} {n:test|tests}", n=n) for n in range(1, len(inner) + 1)]
    return [
        Frame(
            captions[known],
            tree=_folded(grown, outline(grown, context.training.features, classes), set(inner[:known])),
        )
        for known in range(min(len(inner), MAX_FRAMES - 1) + 1)
    ]


def _folded(tree: Tree, root: Box, known: set[int]) -> Box:
    """Cut the tree below nodes whose test is not known yet."""
    stack = [(0, root)]
    while stack:
        node, box = stack.pop()
        if tree.is_leaf[node]:
            continue
        if node not in known:
            box.title, box.children, box.leaf = "?", [], True
            continue
        stack.extend(zip(tree.children(node), box.children))
    return root

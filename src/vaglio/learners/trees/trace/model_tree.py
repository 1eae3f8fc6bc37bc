"""The model tree M5: growth, a linear model at every node, pruning by errors, smoothing, and the sum of a row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vaglio.document.animation import AnimationContext, Frame
from vaglio.document.document import Page
from vaglio.document.training import Training
from vaglio.learners.trees.estimators.leaf_models import (
    ENOUGH,
    PRICE,
    NodeModel,
    elimination,
    share_kept,
)
from vaglio.learners.trees.model.formulas import formula, line
from vaglio.learners.trees.model.model_tree import cut_back
from vaglio.learners.trees.model.rules import leaf_conditions, outline
from vaglio.learners.trees.model.tree import Tree
from vaglio.learners.trees.trace.growth import preorder, write_shape, write_size
from vaglio.learners.trees.trace.regression import NumberGrowth
from vaglio.learners.trees.trace.tree import frames_of_growth
from vaglio.model.condition import condition_text

# Of models that differ by rounding the one of fewer terms is taken, as the learner does.
_ROUNDING = 1e-9


def trace_model_tree(page: Page, training: Training) -> None:
    """Write the growth, the models of the nodes with their terms dropped, the pruning, the smoothing and a row."""
    say, estimator = page.say, training.estimator
    write_size(page, training)
    page.text(
        say(
            "A tree divides the rows, and each of its leaves predicts by a linear model. Each node takes the test that "
            "leaves the smallest variance. A node whose standard deviation is at most {share} of that of all rows is "
            "not divided.",
            share=say.percent(ENOUGH, 0),
        )
    )
    page.formula("Var = (1/n)·Σ (yᵢ − ȳ)²")
    tree = estimator._grown(training.matrix, training.y, None)
    growth = ModelTreeGrowth(page, replace(training, estimator=estimator._growing()), tree)
    growth.write()
    work = NodeModels(growth, training)
    work.write_models()
    leaf = work.write_pruning() if estimator.prune else tree.is_leaf
    write_shape(page, estimator.tree_)
    pruned, old = cut_back(tree, leaf)
    smoothing = Smoothing(work, pruned, old)
    smoothing.write()
    page.facts["leaves"] = pruned.n_leaves
    if training.row is None:
        page.text(say("Give a row to see its prediction."))
    else:
        smoothing.write_row()


class ModelTreeGrowth(NumberGrowth):
    """The growth of a model tree, which ends where the rows of a node differ little."""

    def _why_leaf(self, node: int) -> str:
        if 0 < self.group(node).deviation <= ENOUGH * self.group(0).deviation:
            return self.say("small standard deviation")
        return super()._why_leaf(node)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A linear model of a node, with its error and the error as M5 adjusts it."""

    model: NodeModel
    error: float
    adjusted: float


class NodeModels:
    """The linear model of each node before pruning, and the choices of its terms.

    Parameters
    ----------
    growth : NumberGrowth
    training : Training
    """

    def __init__(self, growth: NumberGrowth, training: Training) -> None:
        self.growth, self.training, self.tree = growth, training, growth.tree
        self.page, self.say = growth.page, growth.say
        self.encoder = training.model.encoder
        self.rows = np.asarray(self.encoder.transform(training.matrix))
        self.tried = {node: self._tried(node) for node in range(self.tree.n_nodes)}
        self.chosen = {node: _best(found) for node, found in self.tried.items()}

    def name(self, node: int) -> str:
        """A node of the table of the growth, or a leaf of it by its path."""
        if node in self.growth.number:
            return self.say("node {n}", n=self.growth.number[node])
        return self.say("leaf: {path}", path=self.growth.path[node])

    def _tried(self, node: int) -> list[Candidate]:
        """The models of a node from all terms on, up to the first that is worse than the best."""
        own = self.growth.weight[node] > 0
        rows, y, weight = self.rows[own], self.training.y[own], self.growth.weight[node][own]
        tested = {int(self.tree.feature[each]) for each in preorder(self.tree, node) if not self.tree.is_leaf[each]}
        owner = np.array([origin.feature for origin in self.encoder.origin], dtype=np.int64)
        found: list[Candidate] = []
        for model in elimination(rows, y, weight, np.flatnonzero(np.isin(owner, list(tested)))):
            residuals = y - rows[:, model.columns] @ model.coef - model.intercept
            error = float(weight @ np.abs(residuals) / weight.sum())
            one = Candidate(model, error, error * factor(weight.sum(), model.parameters, 1.0))
            worse = bool(found) and one.adjusted > (1 + _ROUNDING) * found[-1].adjusted
            found.append(one)
            if worse:
                break
        return found

    def write_models(self) -> None:
        """Write how each node got its linear model: the terms dropped, and the errors."""
        page, say = self.page, self.say
        page.section(say("Linear models of the nodes"))
        page.text(
            say(
                "Each node gets a linear model of the columns that are tested below it, by least squares. The term "
                "whose loss raises the squared errors least is dropped, as long as the adjusted error E does not rise. "
                "Here e is the mean absolute error of n rows, and v the number of coefficients with the intercept. "
                "A leaf of the grown tree has no test below it: its model is the mean."
            )
        )
        page.formula("e = (1/n)·Σ |yᵢ − ŷᵢ|,  E = e·(n + v)/(n − v)")
        if not self.encoder.as_is:
            page.text(say("Numbers are standardised, and every category is a column of 0 and 1."))
        facts = []
        for node in list(self.growth.number)[: self.training.most_steps]:
            facts.append(self._write_model(node))
        folded = len(self.growth.number) - len(facts)
        if folded:
            page.text(say("{n:,} more {n:node is|nodes are} not shown.", n=folded))
        page.facts["models"] = facts

    def _write_model(self, node: int) -> dict[str, Any]:
        page, say, names = self.page, self.say, self.encoder.names
        n, best = float(self.tree.weight[node]), self.chosen[node]
        lines, before = [], set(self.tried[node][0].model.columns.tolist())
        for one in self.tried[node]:
            now = set(one.model.columns.tolist())
            dropped = ", ".join(names[j] for j in sorted(before - now)) or "–"
            v, before = one.model.parameters, now
            lines.append([dropped, str(v), say.figures(one.error), self._factor(n, v, 1.0), _figure(say, one.adjusted)])
        at = self.tried[node].index(best)
        head = [say("term dropped"), "v", "e", "(n + v)/(n − v)", "E"]
        page.table(head, lines, self.growth.names[node], [at])
        terms = line(self.encoder, best.model.columns, best.model.coef, best.model.intercept)
        page.formula(say.text(terms))
        return {
            "node": self.growth.path[node],
            "terms": [names[j] for j in best.model.columns.tolist()],
            "error": best.error,
            "adjusted": best.adjusted,
            "tried": [one.adjusted for one in self.tried[node]],
        }

    def _factor(self, n: float, v: int, price: float) -> str:
        return _figure(self.say, factor(n, v, price))

    def write_pruning(self) -> np.ndarray:
        """Write from the bottom up which nodes become leaves; return the leaves."""
        page, say, tree = self.page, self.say, self.tree
        page.section(say("Pruning"))
        page.text(
            say(
                "From the bottom up, the error of the model of a node is compared with that of its subtree. The "
                "parameters of a subtree are those of its leaves and one for each test. A node whose model is no worse "
                "becomes a leaf. A parameter counts {price:,} times in the sum, which favors the smaller tree.",
                price=int(PRICE),
            )
        )
        page.formula(f"E = e·(n + {say.short(PRICE)}·v)/(n − v)")
        leaf, lines, facts = tree.is_leaf.copy(), list[list[str]](), list[dict[str, Any]]()
        error = {node: one.error for node, one in self.chosen.items()}
        v = {node: one.model.parameters for node, one in self.chosen.items()}
        for node in reversed(self.growth.number):
            children, n = list(tree.children(node)), float(tree.weight[node])
            below = float(tree.weight[children] @ [error[child] for child in children]) / n
            count = sum(v[child] for child in children) + 1
            own, other = error[node] * factor(n, v[node], PRICE), below * factor(n, count, PRICE)
            cut = bool(own <= other * (1 + _ROUNDING))
            decision = say("becomes a leaf") if cut else say("kept")
            numbers = [say.figures(error[node]), str(v[node]), _figure(say, own)]
            numbers += [say.figures(below), str(count), _figure(say, other)]
            lines.append([self.name(node), say.count(n), *numbers, decision])
            facts.append({"node": self.growth.path[node], "model": own, "subtree": other, "pruned": cut})
            if cut:
                leaf[node] = True
            else:
                error[node], v[node] = below, count
        head = [say("node"), say("rows"), say("e of the model"), "v", "E", say("e of the subtree"), "v", "E"]
        page.table([*head, say("decision")], lines, most=self.training.most_steps)
        page.facts["pruning"] = facts
        return leaf


class Smoothing:
    """The models on the path from each leaf to the root, averaged.

    Parameters
    ----------
    work : NodeModels
    tree : Tree
        The tree after pruning.
    old : int64 (n_nodes,)
        The number of each node before pruning.
    """

    def __init__(self, work: NodeModels, tree: Tree, old: np.ndarray) -> None:
        self.work, self.tree, self.old = work, tree, old
        self.page, self.say, self.training = work.page, work.say, work.training
        self.k = float(self.training.estimator.smoothing)

    def path(self, leaf: int) -> list[int]:
        """The nodes from a leaf up to the root."""
        found = [leaf]
        while found[-1]:
            found.append(int(self.tree.parent[found[-1]]))
        return found

    def shares(self, leaf: int) -> list[float]:
        """How much each model of the path counts in the end."""
        kept = [share_kept(float(self.tree.weight[node]), self.k) for node in self.path(leaf)[:-1]]
        own = [1.0, *(1 - share for share in kept)]
        return [share * float(np.prod(kept[at:])) for at, share in enumerate(own)]

    def write(self) -> None:
        """Write the formula, how much each model counts in each leaf, and the linear models that come out."""
        page, say, model = self.page, self.say, self.training.model
        page.section(say("Smoothing"))
        page.text(
            say(
                "On the way from the leaf to the root, a prediction p is averaged with q, what the node above "
                "predicts; n are the rows of the node below it, and k is the parameter smoothing. A prediction never "
                "leaves the range of the training rows."
            )
            if self.k
            else say("The parameter smoothing is 0: the models of the leaves stay as they are.")
        )
        if self.k:
            page.formula(f"p′ = (n·p + k·q)/(n + k),  k = {say.short(self.k)}")
        lines, facts = [], []
        for leaf, conditions in leaf_conditions(self.tree, self.training.features):
            texts = [say.text(condition_text(condition)) for condition in conditions]
            shown = f" {say('AND')} ".join(texts) if texts else say("all rows")
            names = [self.work.name(int(self.old[node])) for node in self.path(leaf)]
            counted = list(zip(names, self.shares(leaf)))
            parts = say.series(f"{say.percent(share)} {name}" for name, share in counted)
            lines.append([shown, say.count(float(self.tree.weight[leaf])), parts, say.text(formula(model, leaf))])
            facts.append({"rule": shown, "shares": [share for _, share in counted]})
        head = [say("leaf"), say("rows"), say("models that count"), say("linear model")]
        page.table(head, lines, say("The leaves"), most=self.training.most_steps)
        page.facts["smoothing"] = facts

    def write_row(self) -> None:
        """Write what each node on the path of the row predicts, and the smoothed prediction on the way up."""
        page, say, model, row = self.page, self.say, self.training.model, self.training.row
        assert row is not None
        page.section(say("The row"))
        encoded = np.asarray(model.encoder.transform(row))[0]
        path, lines, smooth = self.path(int(self.tree.apply(row)[0])), list[list[str]](), 0.0
        for at, node in enumerate(path):
            found = self.work.chosen[int(self.old[node])].model
            own, worked = float(encoded[found.columns] @ found.coef + found.intercept), ""
            if at == 0:
                smooth = own
            else:
                kept = share_kept(float(self.tree.weight[path[at - 1]]), self.k)
                worked = f"{say.fixed(kept)}·{say.fixed(smooth)} + {say.fixed(1 - kept)}·{say.fixed(own)}"
                smooth = kept * smooth + (1 - kept) * own
            size = say.count(float(self.tree.weight[node]))
            lines.append([self.work.name(int(self.old[node])), size, say.fixed(own), worked, say.fixed(smooth)])
        head = [say("node"), say("rows"), say("its model predicts"), say("average"), "p"]
        page.table(head, lines, chosen=[len(lines) - 1])
        low, high = model.bounds.tolist()
        predicted = min(max(smooth, low), high)
        if predicted != smooth:
            page.text(
                say(
                    "This is outside the range of the training rows, {low} to {high}, and is kept within it.",
                    low=say.short(low),
                    high=say.short(high),
                )
            )
        page.text(say("Prediction: {number}.", number=say.short(float(f"{predicted:.6g}"))))
        page.facts["prediction"] = predicted


def factor(n: float, v: int, price: float) -> float:
    """Return (n + price·v)/(n − v); no number of rows is enough for as many parameters."""
    return (n + price * v) / (n - v) if n > v else np.inf


def _figure(say: Any, value: float) -> str:
    return say.figures(value) if np.isfinite(value) else "∞"


def _best(tried: list[Candidate]) -> Candidate:
    """Return the last of the models that is no worse than the one before."""
    last = len(tried) - 1
    if last and tried[-1].adjusted > (1 + _ROUNDING) * tried[-2].adjusted:
        last -= 1
    return tried[last]


def animate_model_tree(context: AnimationContext) -> list[Frame]:
    """Make one picture per test of the grown tree, one of the pruned tree, and one of the model in the plane."""
    estimator, training = context.estimator, context.training
    grown = estimator._grown(training.matrix, training.y, None)
    frames = frames_of_growth(context, grown)
    pruned = outline(estimator.tree_, training.features, None)
    frames.append(Frame(context.say("The pruned tree"), tree=pruned))
    if context.plane is not None:
        predicted = np.asarray(estimator.predict(context.like_source(context.points)))
        lines = context.marks(predicted, lines=context.residuals(predicted))
        frames.append(Frame(context.say("The finished model"), lines))
    return frames

"""Gradient boosting in passes: rows stay where they are, as bins with their scores, and trees go to them.

A pass adds up the gradients of the rows of open nodes. Trees grow by these sums alone; all of them are whole numbers or
exact, so that the model is the one of a training in memory. The splits that gain most are asked for ahead, so that a
round takes about as many passes as its trees have levels.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from vaglio import _core
from vaglio.encode import EncodedMatrix, Feature, guarded_from
from vaglio.engines.exact_sums import ExactSum
from vaglio.engines.passes import Chunk, Keep, Kept, Pass, TableSummary
from vaglio.engines.row_samples import EncodedRows, all_rows, bytes_of_rows, rows_pass
from vaglio.errors import NotSupportedError
from vaglio.learners.boosting.estimators.columns import (
    CategoryBlocks,
    CategoryMeans,
    class_targets,
    config_with,
    kernel_features_with,
)
from vaglio.learners.boosting.estimators.rounds import (
    ROWS_FOR_TEMPERATURE,
    Chosen,
    best_round,
    hashed_rows,
    held_share,
    least_decrease,
    stops,
)
from vaglio.learners.boosting.estimators.summed import unit_in_passes
from vaglio.learners.boosting.model import Boosted, forest_of
from vaglio.learners.category_reliability import reliability_passes
from vaglio.learners.inputs import note_reliability
from vaglio.messages.message import Option, text
from vaglio.messages.sentences import listed
from vaglio.runtime.seeds import seed_of

if TYPE_CHECKING:
    from vaglio.learners.additive.estimators.additive import AdditiveEstimator
    from vaglio.learners.boosting.estimators.boosting import BoostingEstimator

Bounds = tuple[float, float]
Held = tuple[int, float] | None
Asking = Generator[Any, Any, Any]
# What is kept of the rows: bins, targets with weights, scores.
_BINS, _TARGET, _SCORES = "bins", "target", "scores"


@dataclass(frozen=True)
class TableShape:
    """What a configuration asks of a table whose rows are elsewhere."""

    features: tuple[Feature, ...]
    n_rows: int
    threads: int

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.features)


@dataclass(frozen=True)
class Setup:
    """What is done with the rows of a part; it goes to wherever they are.

    Attributes
    ----------
    layout : BoostingLayout
        The bins of all features.
    features : tuple of Feature
    means : CategoryMeans or None
        The numbers that stand for categories.
    loss : str
        In the kernel's words.
    outputs : int
        Scores per row.
    rows : int
        Of the whole table.
    held : tuple of (int, float) or None
        Seed and share of the rows that are held out.
    unit : float
        What numbers that are predicted are divided by.
    """

    layout: _core.BoostingLayout
    features: tuple[Feature, ...]
    means: CategoryMeans | None
    loss: str
    outputs: int
    rows: int
    held: Held
    unit: float = 1.0

    def bins(self, chunk: Chunk) -> dict[str, np.ndarray]:
        """Return the rows of a chunk as bins."""
        numeric = with_numbers(self.means, self.held, chunk.matrix, chunk.index)
        further = numeric.shape[1] - chunk.matrix.numeric.shape[1]
        kernel = kernel_features_with(self.features, further)
        blocks = _core.boosting_blocks(self.layout, numeric, chunk.matrix.codes, *kernel)
        return {f"b{at:03d}": block for at, block in enumerate(blocks)}

    def target(self, chunk: Chunk) -> dict[str, np.ndarray]:
        """Return what is to be predicted, weights, and which rows are held out."""
        found = {"y": np.asarray(chunk.y, dtype=np.float64) / self.unit}
        if chunk.weight is not None:
            found["weight"] = chunk.weight
        if self.held is not None:
            found["held"] = hashed_rows(chunk.index, *self.held).astype(np.uint8)
        return found

    def start(self, baseline: np.ndarray, kept: Kept) -> dict[str, np.ndarray]:
        """Return the scores before the first round."""
        return {"raw": np.repeat(baseline[None, :], kept.n_rows, axis=0).copy(order="F")}

    def part(self, kept: Kept) -> _core.BoostingPart:
        """Return the rows that were kept as the kernel takes them."""
        arrays = kept.arrays
        blocks = [arrays[name] for name in sorted(arrays) if name[0] == "b"]
        raw = arrays["raw"].T if "raw" in arrays else np.zeros((self.outputs, kept.n_rows))
        return _core.BoostingPart(
            self.layout, blocks, self.loss, arrays["y"], arrays.get("weight"), raw, kept.start, arrays.get("held")
        )

    def baseline_sums(self, least: float, kept: Kept) -> Any:
        """Return the sums that boosting starts by."""
        return self.part(kept).baseline_sums(least)

    def added(self, trees: _core.FlatTrees, kept: Kept) -> dict[str, np.ndarray]:
        """Return the scores with those of further trees."""
        return {"raw": self.part(kept).add_trees(trees).T}

    def sum_leaves(self, trees: _core.FlatTrees, draw: Any, bounds: Bounds, kept: Kept) -> Any:
        """Return the sums of gradients of leaves."""
        return self.part(kept).sum_leaves(trees, draw, (self.rows, *bounds))

    def sum_nodes(self, trees: _core.FlatTrees, draw: Any, bounds: Bounds, kept: Kept) -> Any:
        """Return the sums of gradients of open nodes."""
        return self.part(kept).sum_nodes(trees, draw, (self.rows, *bounds))


def learned_from(held: Held, index: np.ndarray) -> np.ndarray:
    """Return which rows are not held out."""
    return np.ones(len(index), dtype=bool) if held is None else ~hashed_rows(index, *held)


def with_numbers(means: CategoryMeans | None, held: Held, matrix: EncodedMatrix, index: np.ndarray) -> np.ndarray:
    """Return the numbers of some rows, those that stand for categories behind the others."""
    if means is None:
        return matrix.numeric
    return np.concatenate([matrix.numeric, means.numbers(matrix.codes, index, learned_from(held, index))], axis=1)


def _sums_of_categories(blocks: CategoryBlocks, held: Held, outputs: int, chunk: Chunk) -> tuple[np.ndarray, ...]:
    learned, targets = learned_from(held, chunk.index), class_targets(chunk.y, outputs)
    return blocks.sums(chunk.matrix.codes, targets, chunk.weight, chunk.index, learned)


def _held(seed: int, share: float, start: int, rows: int) -> np.ndarray:
    return np.flatnonzero(hashed_rows(np.arange(start, start + rows), seed, share))


@dataclass(frozen=True)
class GradientSummary:
    """What one look at targets and scores tells: sums of losses and weights, and how large derivatives are."""

    sums: np.ndarray
    beyond: tuple[int, int]
    bounds: Bounds

    @classmethod
    def at(cls, setup: Setup, kept: Kept) -> GradientSummary:
        """GradientSummary at one part."""
        part = setup.part(kept)
        sums, training, watched = part.losses()
        return cls(sums, (training, watched), part.bounds())

    def merge(self, other: GradientSummary) -> GradientSummary:
        """Combine with other rows; what is no number stays so."""
        beyond = (self.beyond[0] + other.beyond[0], self.beyond[1] + other.beyond[1])
        gradient, hessian = (float(np.max(pair)) for pair in zip(self.bounds, other.bounds))
        return GradientSummary(self.sums + other.sums, beyond, (gradient, hessian))

    def losses(self) -> tuple[float, float]:
        """Return the mean loss of the rows learned from, and of those held out."""
        found = [ExactSum(limbs).value for limbs in self.sums]
        pairs = ((found[0], found[1], self.beyond[0]), (found[2], found[3], self.beyond[1]))
        training, watched = (np.inf if beyond else loss / total if total else 0.0 for loss, total, beyond in pairs)
        return training, watched


def bins_in_passes(facts: TableSummary, means: CategoryMeans | None, held: Held, max_bins: int, seed: int) -> Asking:
    """Ask for the rows that decide where bins end; return the layout of the bins."""
    places = _core.rows_for_bins(facts.n_rows, seed).astype(np.int64)
    sample: EncodedRows = (yield rows_pass(places, "rows for bins")).joined(facts.threads)
    numeric = with_numbers(means, held, sample.matrix, sample.index)
    further = numeric.shape[1] - sample.matrix.numeric.shape[1]
    nominal, column, n_categories = kernel_features_with(facts.codebook.features, further)
    given = (np.asfortranarray(numeric), np.asfortranarray(sample.matrix.codes), nominal, column, n_categories)
    thresholds = _core.bin_table(*given, max_bins=max_bins, seed=seed).thresholds
    bins = [int(n_categories[column[j]]) if nominal[j] else len(own) + 1 for j, own in enumerate(thresholds)]
    missing = np.concatenate([facts.missing > 0, np.zeros(further, dtype=bool)])
    return _core.BoostingLayout(
        nominal=np.asarray(nominal, dtype=np.uint8),
        bins=np.array(bins, dtype=np.uint32),
        missing=missing.astype(np.uint8),
        thresholds=thresholds,
    )


def means_in_passes(facts: TableSummary, ordered: np.ndarray, held: Held, outputs: int, seed: int) -> Asking:
    """Ask for the sums of the categories that become numbers; return these numbers, None if there are none."""
    if not len(ordered):
        return None
    features = facts.codebook.features
    blocks = CategoryBlocks.of(features, ordered, outputs, seed)
    # Sums of numbers that are predicted would depend on the order of the rows.
    if not facts.n_classes or 8 * blocks.n_sums * (2 + facts.threads) > facts.memory:
        names = listed([features[j].name for j in ordered.tolist()], quoted=True)
        _refuse_for(
            facts,
            text("Testing {columns} as numbers (ordered_categories)", columns=names),
            text("set ordered_categories=False"),
        )
    sums = yield Pass("numbers of categories", partial(_sums_of_categories, blocks, held, outputs))
    return blocks.means(sums)


@dataclass
class PassedRounds:
    """Rounds of boosting over rows that are elsewhere.

    Attributes
    ----------
    setup : Setup
    trainer : BoostingPasses
    baseline : ndarray (outputs,)
    most_sums : int
        Sums of gradients that one pass may take.
    seed : int
    refit : bool
        Whether leaves take their values from all rows.
    """

    setup: Setup
    trainer: _core.BoostingPasses
    baseline: np.ndarray
    most_sums: int
    seed: int
    refit: bool

    def run(self, most: int, patience: int, tol: float) -> Asking:
        """Add rounds, up to ``most`` or until the loss of the rows held out falls no more; return what was chosen."""
        setup = self.setup
        log_loss = setup.loss in ("binomial", "multinomial")
        yield Keep(_SCORES, partial(setup.start, self.baseline), of=(_TARGET,))
        look: GradientSummary = yield self._look(0)
        curve = [look.losses()]
        tol = least_decrease(tol, setup.loss, np.array(curve)[:, 1]) if setup.held else tol
        done = 0
        while done < most and not (setup.held and stops(np.array(curve)[:, 1], patience, tol)):
            yield from self._round(done, look.bounds)
            done += 1
            # Derivatives of the log loss have one bound; else, and for the curve, every round is looked at.
            if setup.held or not log_loss:
                look = yield self._look(done)
                curve.append(look.losses())
        if not setup.held:
            return Chosen(done, np.empty(0), np.empty(0))
        training, watched = np.array(curve).T
        return Chosen(best_round(watched, tol), training, watched)

    def _look(self, done: int) -> Pass:
        return Pass(f"loss after {done} rounds", partial(GradientSummary.at, self.setup), of=(_TARGET, _SCORES))

    def _round(self, done: int, bounds: Bounds) -> Asking:
        trainer, setup, of = self.trainer, self.setup, (_BINS, _TARGET, _SCORES)
        trainer.begin_round(self.baseline.tolist(), *bounds)
        step = 0
        while trainer.growing():
            step += 1
            trees = trainer.ask(self.most_sums)
            draw = (self.seed, done, trainer.share)
            given = partial(setup.sum_nodes, trees, draw, bounds)
            trainer.take(*(yield Pass(f"round {done + 1}, sums {step}", given, of=of)))
        if trainer.wants_leaves():
            draw = (self.seed, done, 1.0 if self.refit else trainer.share)
            given = partial(setup.sum_leaves, trainer.grown(), draw, bounds)
            trainer.take_leaves(*(yield Pass(f"round {done + 1}, leaves", given, of=of)))
        yield Keep(_SCORES, partial(setup.added, trainer.finish_round()), of=of)


def start_in_passes(setup: Setup, facts: TableSummary) -> Asking:
    """Keep the rows as bins, with their targets; return where boosting starts."""
    yield Keep(_BINS, setup.bins)
    yield Keep(_TARGET, setup.target)
    least = facts.y_range[0] / setup.unit
    sums, beyond = yield Pass("start", partial(setup.baseline_sums, least), of=(_TARGET,))
    return _core.boosting_baseline(setup.loss, setup.outputs, sums, bool(beyond), least)


def boost_in_passes(estimator: BoostingEstimator, facts: TableSummary) -> Asking:
    """Boost rows that do not fit in memory; return the model that all of them in memory would give."""
    loss, link, outputs = estimator._kernel_loss()
    n, features, seed = facts.n_rows, facts.codebook.features, seed_of(estimator.random_state)
    _refuse(estimator, facts, loss)
    believed = yield from believed_in_passes(estimator, facts)
    shape = TableShape(features, n, facts.threads)
    most, held = estimator.max_iter, None
    if facts.n_classes == 1:
        most = 1  # nothing to tell apart
    elif estimator.early_stopping in (True, "auto") and not estimator.warm_start:
        held = (seed % 2**32, held_share(estimator.validation_fraction, n))
    no_codes = np.empty((0, sum(feature.is_nominal for feature in features)), dtype=np.int32)
    ordered = estimator._ordered(EncodedMatrix(features, np.empty((0, len(facts.low))), no_codes))
    means: CategoryMeans | None = yield from means_in_passes(facts, ordered, held, outputs, seed)
    sources, turns = (means.sources, means.turns) if means is not None else ((), None)
    given: Any = shape  # what a configuration asks of a matrix: its features, rows and threads
    config = config_with(estimator._config(given, n, seed, loss), len(features), believed, sources, turns)
    layout = yield from bins_in_passes(facts, means, held, estimator._most_bins(n), seed)
    unit = yield from unit_in_passes(estimator, facts)
    setup = Setup(layout, features, means, loss, outputs, n, held, unit)
    baseline = yield from start_in_passes(setup, facts)
    trainer = _core.BoostingPasses(layout, loss, outputs, facts.weighted, n, config)
    # Every chunk that is worked on has sums of its own.
    most_sums = facts.memory // 16 // (2 + facts.threads)
    rounds = PassedRounds(setup, trainer, baseline, most_sums, seed, bool(estimator.refit_leaves))
    chosen: Chosen = yield from rounds.run(most, estimator.n_iter_no_change, estimator.tol)
    estimator.n_iter_, estimator.n_models_ = chosen.rounds, 1
    estimator.train_score_, estimator.validation_score_ = -chosen.training_losses, -chosen.validation_losses
    model = Boosted(forest_of(trainer, features, chosen.rounds * outputs, sources), baseline, link)
    rows = None
    if held is not None:
        share = min(held[1], ROWS_FOR_TEMPERATURE / n)
        rows = yield Pass("rows held out", all_rows, choose=partial(_held, held[0], share))
    return estimator._tempered_by(model, rows).shifted(np.log(unit))


def believed_in_passes(estimator: BoostingEstimator | AdditiveEstimator, facts: TableSummary) -> Asking:
    """Return the columns that are tested as they are."""
    features = facts.codebook.features
    nominal = [j for j, feature in enumerate(features) if feature.is_nominal]
    most = guarded_from(estimator.high_cardinality, facts.n_rows)
    if not facts.n_classes and any(len(features[j].categories) > most for j in nominal):
        _refuse_for(
            facts, text("Comparing nominal columns of many values with chance"), text("set high_cardinality=None")
        )
    belief = np.ones(len(nominal))
    if facts.n_classes:
        belief = yield from reliability_passes(estimator, facts, whole=True)
    else:
        note_reliability(estimator, features, {})
    return set(range(len(features))) - {j for j, own in zip(nominal, belief) if own == 0}


def _refuse(estimator: BoostingEstimator, facts: TableSummary, loss: str) -> None:
    """Raise an error if the parameters need all rows in memory."""
    if loss in ("absolute_error", "quantile"):
        _refuse_for(facts, text("The loss {loss!r}", loss=loss), text("use another loss"))
    if estimator.warm_start and hasattr(estimator, "fitted_"):
        _refuse_for(facts, text("Continuing an earlier model (warm_start)"), text("fit a new estimator"))
    if estimator.n_models not in ("auto", 1):
        _refuse_for(facts, text("Averaging several models"), text("set n_models=1"))
    if estimator.early_stopping == "folds":
        _refuse_for(facts, "early_stopping='folds'", text("use a hold-out set with early_stopping=True"))
    if estimator.early_stopping and not (isinstance(estimator.scoring, str) and estimator.scoring == "loss"):
        _refuse_for(facts, text("Scoring every round"), text("select rounds by scoring='loss'"))


def _refuse_for(facts: TableSummary, what: str, instead: str) -> NoReturn:
    needed, allowed = bytes_of_rows(facts) >> 20, facts.memory >> 20
    raise NotSupportedError(
        "memory-limit",
        "{what} needs all rows in memory, about {needed} MB, more than the memory limit of "
        "{allowed} MB. Raise the limit, {instead}, or take a sample ({sample}).",
        what=what,
        needed=needed,
        allowed=allowed,
        instead=instead,
        sample=Option("data.sample(N)", flag="--sample N"),
    )

"""The inner loops of vaglio. Keep in step with bindings/: a test compares the two."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

def allowed_threads() -> int: ...
def most_threads() -> int: ...

class NeighborIndex:
    def __init__(self) -> None: ...

def nearest_neighbors(
    numeric: np.ndarray,
    codes: np.ndarray,
    query_numeric: np.ndarray,
    query_codes: np.ndarray,
    *,
    k: int,
    metric: str = "euclidean",
    power: float = 2.0,
    mismatch: float = 1.0,
    missing: float = 1.0,
    missing_nominal: float = 1.0,
    exclude_self: bool = False,
    search: str = "auto",
    n_threads: int = 1,
    absent: np.ndarray | None = None,
    share: np.ndarray | None = None,
    index: NeighborIndex | None = None,
    ranked: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray]: ...
def neighbor_shares(
    numeric: np.ndarray,
    codes: np.ndarray,
    query_numeric: np.ndarray,
    query_codes: np.ndarray,
    labels: np.ndarray,
    classes: int,
    *,
    k: int,
    metric: str = "euclidean",
    power: float = 2.0,
    search: str = "auto",
    n_threads: int = 1,
    absent: np.ndarray | None = None,
    share: np.ndarray | None = None,
    index: NeighborIndex | None = None,
) -> np.ndarray: ...
def distances_of_ranks(
    ranks: np.ndarray, *, metric: str, power: float, features: int, n_threads: int = 1
) -> np.ndarray: ...
def count_votes(labels: np.ndarray, rows: np.ndarray, classes: int, threads: int) -> np.ndarray: ...
def rank_columns(
    X: np.ndarray, n_threads: int = 1, progress: Callable[[int, int], None] | None = None
) -> tuple[np.ndarray, list[np.ndarray]]: ...
def take_ranks(
    ranks: np.ndarray, distinct: np.ndarray, rows: np.ndarray, n_threads: int = 1
) -> tuple[np.ndarray, list[np.ndarray]]: ...

class TreeTable:
    # nominal[f] says in which block feature f is, column[f] where in it.
    def __init__(
        self,
        numeric: np.ndarray,
        ranks: np.ndarray,
        firsts: Sequence[np.ndarray],
        codes: np.ndarray,
        n_categories: np.ndarray,
        nominal: np.ndarray,
        column: np.ndarray,
        reused: bool = False,
    ) -> None: ...

def find_optimal_tree(
    table: TreeTable,
    y: np.ndarray,
    n_classes: int,
    weight: np.ndarray | None,
    start: dict[str, np.ndarray],
    used: np.ndarray,
    row: np.ndarray,
    label: np.ndarray,
    gain: np.ndarray,
    most: np.ndarray,
    max_depth: int,
    max_leaves: int,
    set_values: int,
    leaf_price: int,
    work: int,
    seconds: float,
    n_threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]: ...
def grow_tree(
    table: TreeTable,
    y: np.ndarray,
    n_classes: int,
    weight: np.ndarray | None = None,
    multiplicity: np.ndarray | None = None,
    config: dict[str, Any] = ...,
    n_threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, np.ndarray]: ...
def grow_outputs_tree(
    table: TreeTable,
    y: np.ndarray,
    n_classes: list[int],
    weight: np.ndarray | None = None,
    config: dict[str, Any] = ...,
    n_threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, np.ndarray]: ...

# Order, left, right, rows, whether a missing value goes left, weight, sums (outputs by nodes), depth.
def preorder_nodes(
    feature: np.ndarray,
    threshold: np.ndarray,
    first_child: np.ndarray,
    missing_branch: np.ndarray,
    X: np.ndarray,
    complete: np.ndarray,
    weight: np.ndarray | None,
    targets: np.ndarray | None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]: ...

class BinnedLayout:
    def __init__(
        self,
        nominal: np.ndarray,
        column: np.ndarray,
        n_categories: np.ndarray,
        edges: list[tuple[np.ndarray, np.ndarray]],
    ) -> None: ...

def bin_edges(values: np.ndarray, max_bins: int) -> tuple[np.ndarray, np.ndarray]: ...
def bin_rows(
    layout: BinnedLayout, numeric: np.ndarray, codes: np.ndarray, strict: bool = False, n_threads: int = 1
) -> list[np.ndarray]: ...
def grow_binned_tree(
    layout: BinnedLayout,
    columns: list[np.ndarray],
    y: np.ndarray,
    n_classes: int,
    weight: np.ndarray | None = None,
    config: dict[str, Any] = ...,
    *,
    amounts: dict[str, Any],
    n_threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, np.ndarray]: ...
def grow_binned_trees(
    layout: BinnedLayout,
    columns: list[np.ndarray],
    y: np.ndarray,
    n_classes: int,
    weight: np.ndarray | None = None,
    config: dict[str, Any] = ...,
    *,
    amounts: dict[str, Any],
    trees: dict[str, Any],
    joined: bool,
    beside: int | None = None,
    n_threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Any: ...
def plan_forest(n_features: int, n_trees: int, draws: int, features_per_tree: int, seed: int) -> dict[str, Any]: ...
def draw_blocks(bags: np.ndarray, rows: int, draws: int, n_threads: int = 1) -> np.ndarray: ...
def sum_part(
    frontier: dict[str, Any],
    layout: BinnedLayout,
    columns: list[np.ndarray],
    y: np.ndarray,
    n_classes: int,
    weight: np.ndarray | None,
    start: int,
    growth: dict[str, Any],
    amounts: dict[str, Any],
) -> np.ndarray: ...
def gather_part(
    frontier: dict[str, Any],
    layout: BinnedLayout,
    columns: list[np.ndarray],
    y: np.ndarray,
    n_classes: int,
    weight: np.ndarray | None,
    start: int,
    growth: dict[str, Any],
    amounts: dict[str, Any],
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]: ...

class LevelGrower:
    def __init__(
        self,
        layout: BinnedLayout,
        n_classes: int,
        config: dict[str, Any],
        amounts: dict[str, Any],
        trees: dict[str, Any] | None = None,
    ) -> None: ...
    def done(self) -> bool: ...
    def squares(self) -> np.ndarray: ...
    def ask_sums(self, most_cells: int, most_rows: float) -> dict[str, Any]: ...
    def take_sums(self, sums: np.ndarray) -> None: ...
    def ask_rows(self, most_cells: int, most_rows: float) -> dict[str, Any]: ...
    def take_rows(
        self,
        starts: np.ndarray,
        columns: list[np.ndarray],
        y: np.ndarray,
        weights: np.ndarray | None = None,
        counts: np.ndarray | None = None,
        drawn: np.ndarray | None = None,
        n_threads: int = 1,
    ) -> None: ...
    def take_trees(self, joined: bool = False) -> Any: ...

def prune_error_based(
    tree: dict[str, np.ndarray],
    table: TreeTable,
    y: np.ndarray,
    n_classes: int,
    weight: np.ndarray | None = None,
    *,
    config: dict[str, Any],
    n_threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, np.ndarray]: ...
def prune_counts(tree: dict[str, np.ndarray], config: dict[str, Any]) -> dict[str, np.ndarray]: ...
def validation_errors(
    tree: dict[str, np.ndarray],
    validation: TreeTable,
    y: np.ndarray,
    n_classes: int,
    weight: np.ndarray | None,
    bound: float,
    progress: Callable[[int, int], None] | None = None,
) -> np.ndarray: ...
def prune_reduced_error(tree: dict[str, np.ndarray], errors: np.ndarray) -> dict[str, np.ndarray]: ...
def cost_complexity_path(
    tree: dict[str, np.ndarray], risk: str = "impurity"
) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
def prune_cost_complexity(
    tree: dict[str, np.ndarray], alpha: float, risk: str = "impurity"
) -> dict[str, np.ndarray]: ...

class TreePredictor:
    def __init__(
        self, tree: dict[str, np.ndarray], nominal: np.ndarray, column: np.ndarray, n_categories: np.ndarray
    ) -> None: ...
    def apply(self, numeric: np.ndarray, codes: np.ndarray, n_threads: int = 1) -> np.ndarray: ...
    def predict(
        self, numeric: np.ndarray, codes: np.ndarray, leaf_values: np.ndarray, n_threads: int = 1
    ) -> np.ndarray: ...
    def contributions(
        self,
        numeric: np.ndarray,
        codes: np.ndarray,
        leaf_values: np.ndarray,
        direction: np.ndarray,
        n_threads: int = 1,
    ) -> np.ndarray: ...
    def decision_path(
        self, numeric: np.ndarray, codes: np.ndarray, n_threads: int = 1
    ) -> tuple[np.ndarray, np.ndarray]: ...

# One row at a time: outputs are probabilities, or a number.
class RowScorer: ...

class RowReader:
    # (name, reading: 0 number 1 category 2 rank, place in its block, codes by value, converter of other values)
    def __init__(
        self,
        columns: list[tuple[Any, ...]],
        numbers: int,
        codes: int,
        named: bool,
    ) -> None: ...
    def encode(self, row: Any) -> tuple[np.ndarray, np.ndarray] | None: ...
    def score(self, scorer: RowScorer, row: Any) -> tuple[int, list[float]] | None: ...

def tree_scorer(predictor: TreePredictor, values: np.ndarray) -> RowScorer: ...
def forest_scorer(forest: PackedForest, values: np.ndarray) -> RowScorer: ...
def boosted_scorer(forest: PackedForest, values: np.ndarray, baseline: np.ndarray, link: int) -> RowScorer: ...
def linear_scorer(
    centre: np.ndarray,
    scale: np.ndarray,
    fill: np.ndarray,
    numeric_columns: np.ndarray,
    code_columns: list[np.ndarray],
    coef: np.ndarray,
    intercept: np.ndarray,
    link: int,
) -> RowScorer: ...
def bayes_scorer(
    prior: np.ndarray,
    kind: np.ndarray,
    column: np.ndarray,
    size: np.ndarray,
    start: np.ndarray,
    numbers: np.ndarray,
    n_numbers: int,
    n_codes: int,
) -> RowScorer: ...
def ensemble_scorer(members: list[tuple[Any, ...]], outputs: int) -> RowScorer: ...

# columns of numbers in ascending order
def standardised(x: np.ndarray, centre: np.ndarray, scale: np.ndarray, fill: np.ndarray) -> np.ndarray: ...
def spread_columns(ordered: np.ndarray, quantiles: int) -> list[tuple[tuple[float, ...], int | None, int]]: ...
def bin_columns(ordered: np.ndarray, bins: int) -> list[tuple[tuple[int, ...], tuple[float, ...]]]: ...

# the first look at a column
def look_at(x: np.ndarray) -> tuple[float, float, int, bool, bool]: ...
def column_ranges(x: np.ndarray, threads: int) -> tuple[np.ndarray, np.ndarray, bool, bool]: ...
def few_values(x: np.ndarray, most: int) -> np.ndarray | None: ...
def count_codes(column: np.ndarray, codes: int) -> np.ndarray: ...
def recode(column: np.ndarray, list: np.ndarray, small: bool) -> np.ndarray: ...

# text
def first_invalid_utf8(text: np.ndarray, threads: int) -> int | None: ...
def survey_text(text: np.ndarray, delimiter: int, threads: int) -> tuple[int, bool]: ...
def read_plain(
    rows: np.ndarray, delimiter: int, types: list[int], missing: list[str], threads: int
) -> list[tuple[np.ndarray, list[str] | None]] | None: ...

# bayes, labels
def distinct_items(items: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...
def whole_numbers(items: np.ndarray, signs: bool) -> tuple[np.ndarray, np.ndarray] | None: ...
def class_moments(
    x: np.ndarray, labels: np.ndarray, weights: np.ndarray | None, classes: int, threads: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
def code_counts(
    codes: np.ndarray,
    categories: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray | None,
    classes: int,
    threads: int,
) -> np.ndarray: ...
def value_counts(
    x: np.ndarray, labels: np.ndarray, weights: np.ndarray | None, classes: int, threads: int
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]: ...
def grid_moments(
    x: np.ndarray,
    columns: list[tuple[int, float, int, int]],
    labels: np.ndarray,
    weights: np.ndarray | None,
    classes: int,
) -> list[tuple[np.ndarray, np.ndarray]]: ...
def point_counts(
    x: np.ndarray,
    columns: list[tuple[int, np.ndarray]],
    labels: np.ndarray,
    weights: np.ndarray | None,
    classes: int,
) -> list[np.ndarray]: ...
def mdl_cuts(value: np.ndarray, label: np.ndarray, weight: np.ndarray, classes: int) -> np.ndarray: ...
def content_folds(x: np.ndarray, codes: np.ndarray, labels: np.ndarray, folds: int) -> np.ndarray: ...
def kept_out_losses(
    x: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray | None,
    fold: np.ndarray,
    log_prior: np.ndarray,
    others: np.ndarray,
    cut_elsewhere: np.ndarray,
    alpha: float,
    var_smoothing: float,
    kernels: bool,
    threads: int,
) -> np.ndarray: ...
def kernel_log_density(
    queries: np.ndarray, values: np.ndarray, weights: np.ndarray, bandwidth: float, threads: int
) -> np.ndarray: ...
def naive_bayes_joint(
    numeric: np.ndarray,
    codes: np.ndarray,
    prior: np.ndarray,
    kind: np.ndarray,
    column: np.ndarray,
    size: np.ndarray,
    start: np.ndarray,
    numbers: np.ndarray,
    threads: int,
) -> np.ndarray: ...
def decide_rows(joint: np.ndarray, apart: float, threads: int) -> tuple[np.ndarray, np.ndarray]: ...
def joint_normal_densities(
    x: np.ndarray, mean: np.ndarray, normaliser: np.ndarray, factor: np.ndarray, steps: bool, threads: int
) -> np.ndarray: ...
def grow_forest(
    table: TreeTable,
    y: np.ndarray,
    n_classes: int,
    weight: np.ndarray | None = None,
    *,
    config: dict[str, Any],
    n_trees: int,
    draws: int = 0,
    features_per_tree: int = 0,
    seed: int = 0,
    n_threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, np.ndarray]: ...

class BinnedTable:
    @property
    def n_rows(self) -> int: ...
    @property
    def thresholds(self) -> list[np.ndarray]: ...
    def bins(self, feature: int) -> np.ndarray: ...

def bin_table(
    numeric: np.ndarray,
    codes: np.ndarray,
    nominal: np.ndarray,
    column: np.ndarray,
    n_categories: np.ndarray,
    max_bins: int,
    seed: int = 0,
    n_threads: int = 1,
    among: np.ndarray | None = None,
    weight: np.ndarray | None = None,
) -> BinnedTable: ...
def additive_together(learning_rate: float, most_steps: int) -> tuple[int, int]: ...

class AdditiveTrainer:
    def __init__(
        self,
        table: BinnedTable,
        loss: str,
        y: np.ndarray,
        n_outputs: int,
        weight: np.ndarray | None,
        held: np.ndarray,
        config: dict[str, Any],
        n_threads: int = 1,
    ) -> None: ...
    def boost(self, stopping: dict[str, Any], progress: Callable[[int, int], None] | None = None) -> np.ndarray: ...
    def set_coarse(self, slots: list[np.ndarray]) -> None: ...
    def screen(self, pairs: np.ndarray, rows: np.ndarray) -> np.ndarray: ...
    def open_pairs(self, pairs: np.ndarray) -> None: ...
    @property
    def rounds(self) -> int: ...
    @property
    def baseline(self) -> np.ndarray: ...
    @property
    def features(self) -> np.ndarray: ...
    @property
    def pairs(self) -> np.ndarray: ...

def additive_columns(
    layout: dict[str, Any],
    numeric: np.ndarray,
    codes: np.ndarray,
    nominal: np.ndarray,
    column: np.ndarray,
    n_categories: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]: ...

class AdditivePart:
    def __init__(
        self,
        layout: dict[str, Any],
        bytes: np.ndarray,
        words: np.ndarray,
        cells: np.ndarray,
        cells_of_pairs: list[int],
        loss: str,
        n_outputs: int,
        y: np.ndarray,
        weight: np.ndarray | None,
        held: np.ndarray,
        raw: np.ndarray | None,
    ) -> None: ...
    def start_sums(self, least: float) -> tuple[np.ndarray, np.ndarray]: ...
    def training_rows(self, first: int) -> np.ndarray: ...
    def started(self, starts: np.ndarray, steps: tuple[np.ndarray, ...]) -> np.ndarray: ...
    def stepped(self, steps: tuple[np.ndarray, ...]) -> np.ndarray: ...
    def bounds(self) -> np.ndarray: ...
    def losses(self) -> tuple[np.ndarray, np.ndarray]: ...
    def sums(self, terms: list[int], rows: int, bounds: np.ndarray, squares: bool) -> tuple[np.ndarray, np.ndarray]: ...
    def screen_bounds(self) -> np.ndarray: ...
    def screen(
        self, slots: list[np.ndarray], pairs: np.ndarray, rows: np.ndarray, all_rows: int, bounds: np.ndarray
    ) -> np.ndarray: ...
    def cells(self, slots: list[np.ndarray], pairs: np.ndarray) -> np.ndarray: ...

class AdditivePasses:
    def __init__(self, layout: dict[str, Any], config: dict[str, Any], rows: int, starts: np.ndarray) -> None: ...
    def open(self, rows: np.ndarray) -> None: ...
    def set_sides(self, slots: list[np.ndarray]) -> None: ...
    def open_pairs(self, pairs: np.ndarray) -> None: ...
    def gains(self, pairs: np.ndarray, sums: np.ndarray, bounds: np.ndarray) -> np.ndarray: ...
    def begin(self, stopping: dict[str, Any]) -> None: ...
    def look(self, limbs: np.ndarray, beyond: np.ndarray) -> None: ...
    def going_on(self) -> bool: ...
    def visits(self) -> list[int]: ...
    def take(
        self, group: int, sums: np.ndarray, squares: np.ndarray, bounds: np.ndarray, steps: int
    ) -> tuple[np.ndarray, ...]: ...
    def end(self) -> None: ...
    def all_steps(self) -> tuple[np.ndarray, ...]: ...
    @property
    def groups(self) -> list[list[int]]: ...
    @property
    def guarded(self) -> bool: ...
    @property
    def watched(self) -> bool: ...
    @property
    def rounds(self) -> int: ...
    @property
    def losses(self) -> np.ndarray: ...
    @property
    def baseline(self) -> np.ndarray: ...
    @property
    def features(self) -> np.ndarray: ...
    @property
    def pairs(self) -> np.ndarray: ...

class BoostingTrainer:
    def __init__(
        self,
        table: BinnedTable,
        loss: str,
        y: np.ndarray,
        n_outputs: int,
        weight: np.ndarray | None,
        training: np.ndarray,
        validation: np.ndarray,
        config: dict[str, Any],
        quantile: float = 0.5,
        start: np.ndarray | None = None,
        first_round: int = 0,
    ) -> None: ...
    def advance(self, rounds: int, progress: Callable[[int, int], None] | None = None) -> None: ...
    def trees(self) -> dict[str, np.ndarray]: ...
    @property
    def baseline(self) -> np.ndarray: ...
    @property
    def raw(self) -> np.ndarray: ...
    @property
    def training_losses(self) -> np.ndarray: ...
    @property
    def validation_losses(self) -> np.ndarray: ...

def rows_for_bins(rows: int, seed: int) -> np.ndarray: ...
def boosting_blocks(
    layout: dict[str, Any],
    numeric: np.ndarray,
    codes: np.ndarray,
    nominal: np.ndarray,
    column: np.ndarray,
    n_categories: np.ndarray,
) -> list[np.ndarray]: ...
def boosting_baseline(loss: str, n_outputs: int, sums: np.ndarray, beyond: bool, least: float) -> np.ndarray: ...

class BoostingPart:
    def __init__(
        self,
        layout: dict[str, Any],
        blocks: list[np.ndarray],
        loss: str,
        y: np.ndarray,
        weight: np.ndarray | None,
        raw: np.ndarray,
        start: int,
        held: np.ndarray | None,
    ) -> None: ...
    def sum_nodes(
        self, trees: dict[str, Any], draw: tuple[int, int, float], bounds: tuple[int, float, float]
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def sum_leaves(
        self, trees: dict[str, Any], draw: tuple[int, int, float], bounds: tuple[int, float, float]
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def add_trees(self, trees: dict[str, Any]) -> np.ndarray: ...
    def losses(self) -> tuple[np.ndarray, int, int]: ...
    def bounds(self) -> tuple[float, float]: ...
    def baseline_sums(self, least: float) -> tuple[np.ndarray, int]: ...

class BoostingPasses:
    def __init__(
        self, layout: dict[str, Any], loss: str, n_outputs: int, weighted: bool, rows: int, config: dict[str, Any]
    ) -> None: ...
    def begin_round(self, start: list[float], gradient: float, hessian: float) -> None: ...
    def growing(self) -> bool: ...
    def ask(self, most_sums: int) -> dict[str, Any]: ...
    def take(self, sums: np.ndarray, squares: np.ndarray) -> None: ...
    def wants_leaves(self) -> bool: ...
    def grown(self) -> dict[str, Any]: ...
    def take_leaves(self, sums: np.ndarray, weights: np.ndarray) -> None: ...
    def finish_round(self) -> dict[str, Any]: ...
    @property
    def share(self) -> float: ...
    def trees(self) -> dict[str, Any]: ...

def advance_together(trainers: list[BoostingTrainer], rounds: int, n_threads: int = 1) -> None: ...

class PackedForest:
    def __init__(
        self,
        nodes: np.ndarray,
        starts: np.ndarray,
        tables: np.ndarray,
        nominal: np.ndarray,
        column: np.ndarray,
        n_categories: np.ndarray,
    ) -> None: ...
    def predict(
        self,
        numeric: np.ndarray,
        codes: np.ndarray,
        values: np.ndarray,
        draws: int = 0,
        seed: int = 0,
        n_threads: int = 1,
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def predict_raw(
        self,
        numeric: np.ndarray,
        codes: np.ndarray,
        values: np.ndarray,
        start: np.ndarray,
        first_tree: int,
        last_tree: int,
        n_threads: int = 1,
    ) -> np.ndarray: ...
    def apply(self, numeric: np.ndarray, codes: np.ndarray, n_threads: int = 1) -> np.ndarray: ...
    def contributions(
        self,
        numeric: np.ndarray,
        codes: np.ndarray,
        leaf_weight: np.ndarray,
        values: np.ndarray,
        direction: np.ndarray,
        n_threads: int = 1,
    ) -> np.ndarray: ...
    def permutation_importance(
        self,
        numeric: np.ndarray,
        codes: np.ndarray,
        values: np.ndarray,
        y: np.ndarray,
        n_classes: int,
        draws: int,
        seed: int,
        n_threads: int = 1,
        progress: Callable[[int, int], None] | None = None,
    ) -> np.ndarray: ...

def draw_counts(key: int, rows: int, draws: int) -> np.ndarray: ...
def leaf_similarity(
    leaves: np.ndarray,
    others: np.ndarray,
    n_leaves: int,
    tree_weights: np.ndarray | None = None,
    top: int = 0,
    n_threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]: ...
def squared_similarity(
    leaves: np.ndarray,
    others: np.ndarray,
    n_leaves: int,
    tree_weights: np.ndarray | None = None,
    groups: np.ndarray | None = None,
    other_groups: np.ndarray | None = None,
    n_threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> np.ndarray: ...
def logistic_pass(
    X: np.ndarray, labels: np.ndarray, weight: np.ndarray | None, coef: np.ndarray, curved: bool, threads: int
) -> tuple[float, np.ndarray, np.ndarray]: ...
def slope_sums(
    numeric: np.ndarray,
    codes: np.ndarray,
    labels: np.ndarray,
    weight: np.ndarray | None,
    encoding: dict[str, Any],
    theta: np.ndarray,
    loss_exponent: int,
    exponents: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, int]: ...
def quadratic_lasso(
    hessian: np.ndarray, gradient: np.ndarray, start: np.ndarray, l1: np.ndarray, tolerance: float, max_sweeps: int
) -> np.ndarray: ...
def perceptron_passes(
    X: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    order: np.ndarray | None,
    rate: float,
    fit_bias: bool,
    sample_weight: np.ndarray | None,
    at_zero: bool = False,
    bias_rate: float = 1.0,
    passes: int = 1,
    tolerance: float = 0.0,
    patience: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray, bool, np.ndarray]: ...
def perceptron_passes_sparse(
    values: np.ndarray,
    columns: np.ndarray,
    starts: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    order: np.ndarray | None,
    rate: float,
    fit_bias: bool,
    sample_weight: np.ndarray | None,
    at_zero: bool = False,
    bias_rate: float = 1.0,
    passes: int = 1,
    tolerance: float = 0.0,
    patience: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, np.ndarray, bool, np.ndarray]: ...
def penalized_pass(
    X: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    paid: np.ndarray,
    sums: np.ndarray,
    order: np.ndarray | None,
    rate: float,
    fit_bias: bool,
    sample_weight: np.ndarray | None,
    alpha: float,
    l1_ratio: float,
    at_zero: bool = False,
    bias_rate: float = 1.0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, bool, float]: ...
def penalized_pass_sparse(
    values: np.ndarray,
    columns: np.ndarray,
    starts: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    paid: np.ndarray,
    sums: np.ndarray,
    order: np.ndarray | None,
    rate: float,
    fit_bias: bool,
    sample_weight: np.ndarray | None,
    alpha: float,
    l1_ratio: float,
    at_zero: bool = False,
    bias_rate: float = 1.0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int, bool, float]: ...
def visiting_order(n: int, seed: int) -> np.ndarray: ...
def svm_solve(
    X: np.ndarray,
    kernel: str,
    gamma: float,
    coef0: float,
    degree: int,
    index: np.ndarray,
    starts: np.ndarray,
    target: np.ndarray,
    bound: np.ndarray,
    tolerance: float,
    max_steps: int,
    shrinking: bool,
    objective_limit: float,
    working_set: int,
    cache_bytes: float,
    threads: int,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, ...]: ...
def svm_solve_sparse(
    values: np.ndarray,
    columns: np.ndarray,
    row_starts: np.ndarray,
    width: int,
    index: np.ndarray,
    starts: np.ndarray,
    target: np.ndarray,
    bound: np.ndarray,
    tolerance: float,
    max_steps: int,
    shrinking: bool,
    objective_limit: float,
    working_set: int,
    threads: int,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, ...]: ...
def svm_solve_matrix(
    K: np.ndarray,
    index: np.ndarray,
    starts: np.ndarray,
    target: np.ndarray,
    bound: np.ndarray,
    tolerance: float,
    max_steps: int,
    shrinking: bool,
    objective_limit: float,
    working_set: int,
    threads: int,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[np.ndarray, ...]: ...
def svm_kernel_sums(
    X: np.ndarray,
    vectors: np.ndarray,
    kernel: str,
    gamma: float,
    coef0: float,
    degree: int,
    starts: np.ndarray,
    coef: np.ndarray,
    single_precision: bool,
    threads: int,
) -> np.ndarray: ...
def svm_kernel_matrix(
    X: np.ndarray, vectors: np.ndarray, kernel: str, gamma: float, coef0: float, degree: int, threads: int
) -> np.ndarray: ...
def svm_single_precision(X: np.ndarray, kernel: str, gamma: float, bound: float, tolerance: float) -> bool: ...

class RuleKernel:
    # A condition is (column, test, cut, threshold, codes); numeric columns come first, then nominal ones.
    def __init__(
        self,
        ranks: np.ndarray,
        values: np.ndarray,
        value_start: np.ndarray,
        codes: np.ndarray,
        n_categories: np.ndarray,
        classes: np.ndarray,
        n_classes: int,
        weight: np.ndarray | None = None,
    ) -> None: ...
    def best_conditions(
        self,
        rows: np.ndarray,
        *,
        measure: int,
        target: int = 0,
        smoothing: float = 0.0,
        m: float = 2.0,
        priors: np.ndarray | None = None,
        min_rows: float = 0.0,
        min_positive: float = 0.0,
        keep: int = 1,
        allowed: np.ndarray | None = None,
        meets_row: int = -1,
        excludes_row: int = -1,
        weight: np.ndarray | None = None,
        proof: int = 0,
        min_ratio: float = 0.0,
        min_ratio_of_one: float = 0.0,
        few: float = 0.0,
        n_threads: int = 1,
    ) -> list[tuple[tuple[int, int, int, float, list[int]], float, float, float, bool]]: ...
    def rows_meeting(self, rows: np.ndarray, condition: tuple[int, int, int, float, list[int]]) -> np.ndarray: ...
    def ripper(
        self,
        *,
        optimizations: int,
        folds: int,
        prune: bool,
        check_error: bool,
        min_positive: float,
        mdl_slack: float,
        max_rules: int,
        max_conditions: int,
        first_columns: list[int],
        allowed: np.ndarray,
        seed: int,
        n_threads: int = 1,
        progress: Callable[[int, int], None] | None = None,
    ) -> list[tuple[int, list[tuple[int, int, int, float, list[int]]]]]: ...

def subset_bits(t: float, k: float, p: float) -> float: ...
def theory_bits(k: float, possible: float) -> float: ...
def exception_bits(
    expected_fp_share: float, covered: float, uncovered: float, false_positives: float, false_negatives: float
) -> float: ...

"""How strongly columns depend on each other and on the target, by measures that their measurement levels permit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import chdtrc, fdtrc, gammaln

from vaglio.encode import UNGUARDED_VALUES, presence
from vaglio.messages.listing import html_table, text_table
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import text
from vaglio.messages.sentences import listed
from vaglio.quality.levels import entropy_bits
from vaglio.quality.profile import SAMPLE_ROWS, contingency, sample_table, value_codes
from vaglio.table import Column, Table, decide_task
from vaglio.typing import TableSource

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Association",
    "Associations",
    "AttributeScore",
    "NumberScore",
    "TargetScore",
    "associate",
    "associations",
    "chi2_test",
    "explained_by_groups",
    "gain_by_chance",
    "information_gain",
    "rank_attributes",
]

# Numbers are cut into tenths for the χ² and the F test: finer cells would hold too few rows.
_BINS = 10
# A cell of fewer rows than this, expected by chance, is computed exactly; it then never holds more than the second.
_FEW_ROWS, _MOST_IN_CELL = 30, 120
# A sparse block of more columns is not taken apart.
MOST_ITEMS = 200


@dataclass(frozen=True)
class AttributeScore:
    """How much one attribute tells about the class.

    The gain in the rows in which the attribute is known is weighed by their share of all rows, and the split
    information counts the other rows as one more value, as C4.5 does.

    Attributes
    ----------
    attribute : str
    gain : float
        Information gain in bits.
    gain_ratio : float
        Information gain divided by the split information.
    chi2, p_value : float
        Of the χ² test; the p-value is how often chance alone gives so strong a dependence.
    threshold : float or None
        Where the numbers are cut in two for the gain; None for a nominal attribute.
    known : float
        The share of rows in which the attribute is not missing.
    by_chance : float
        The gain that an attribute with as many values has on average if it tells nothing.
    strength : float
        What the ranking is by: the gain beyond chance, below 0 where chance gives more. Of more than ten values it
        counts by its share of the gain, since what is beyond the mean of chance may be chance too.
    """

    attribute: str
    gain: float
    gain_ratio: float
    chi2: float
    p_value: float
    threshold: float | None = None
    known: float = 1.0
    by_chance: float = 0.0
    strength: float = 0.0

    def statistics(self) -> dict[str, float | None]:
        """Return what a table of columns says of the attribute."""
        return {
            "gain": self.gain,
            "beyond chance": self.strength,
            "gain ratio": self.gain_ratio,
            "p (χ²)": self.p_value,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class NumberScore:
    """How much one attribute tells about a numeric target.

    Attributes
    ----------
    attribute : str
    explained : float
        The share of the variance of the target that the mean of each category, or of each tenth of the numbers,
        explains, without what as many groups explain by chance (Kelley's ε²); weighed by the share of rows in which the
        attribute is known.
    rank_correlation : float or None
        Spearman's correlation of ordered values with the target; None for a nominal attribute.
    p_value : float
        Of the F test; how often chance alone gives so different means.
    known : float
        The share of rows in which the attribute is not missing.
    """

    attribute: str
    explained: float
    rank_correlation: float | None
    p_value: float
    known: float = 1.0

    @property
    def strength(self) -> float:
        """What the ranking is by: the share of the variance that is explained."""
        return self.explained

    def statistics(self) -> dict[str, float | None]:
        """Return what a table of columns says of the attribute."""
        return {"explained": self.explained, "rank correlation": self.rank_correlation, "p (F)": self.p_value}

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        return asdict(self)


TargetScore = AttributeScore | NumberScore


def information_gain(table: np.ndarray, n_missing: int = 0) -> tuple[float, float]:
    """Return information gain (in bits) and gain ratio of a table of counts, one row per value, one column per class.

    Parameters
    ----------
    table : ndarray
    n_missing : int, default=0
        Further rows, in which the value is missing.

    Examples
    --------
    >>> gain, ratio = information_gain(np.array([[2, 3], [4, 0], [3, 2]]))
    >>> round(gain, 4), round(ratio, 4)
    (0.2467, 0.1564)
    """
    sizes = table.sum(axis=1)
    if not sizes.sum():
        return 0.0, 0.0
    inside = sum(n * entropy_bits(row) for n, row in zip(sizes, table) if n) / sizes.sum()
    gain = max(entropy_bits(table.sum(axis=0)) - float(inside), 0.0)
    return _weighed(gain, sizes, n_missing)


def _weighed(gain: float, sizes: np.ndarray, n_missing: int) -> tuple[float, float]:
    """Return the gain weighed by the share of known rows, and its ratio to the information of the split."""
    gain *= float(sizes.sum() / (sizes.sum() + n_missing))
    split = entropy_bits(np.append(sizes, n_missing))
    return gain, gain / split if split > 0 else 0.0


def gain_by_chance(table: np.ndarray) -> float:
    """Return the information gain, in bits, that a column with these counts has on average over all orders of its rows.

    Many values fit any class: those that all differ tell each class of the rows at hand, and nothing of others. A cell
    of a·b/n expected rows holds by chance a hypergeometric number of them. Where many are expected, the second order of
    the logarithm suffices, (n − a)(n − b) / (2 n² (n − 1) ln 2).

    Parameters
    ----------
    table : ndarray
        One row per value, one column per class.

    Examples
    --------
    >>> days = np.repeat([[1, 0], [0, 1]], [9, 5], axis=0)
    >>> round(information_gain(days)[0], 4), round(gain_by_chance(days), 4)
    (0.9403, 0.9403)
    """
    sizes, classes = table.sum(axis=1), table.sum(axis=0)
    n = float(sizes.sum())
    if n < 2:
        return 0.0
    unique, repeats = np.unique(sizes[sizes > 0], return_counts=True)
    a, b = (each.astype(np.float64) for each in np.meshgrid(unique, classes[classes > 0], indexing="ij"))
    cells = (n - a) * (n - b) / (2 * n * n * (n - 1) * np.log(2))
    few = a * b < _FEW_ROWS * n
    a, b, k = a[few][:, None], b[few][:, None], np.arange(1, _MOST_IN_CELL + 1)
    possible = (k <= a) & (k <= b) & (k >= a + b - n)
    places = np.nonzero(possible)
    a, b, k = a[places[0], 0], b[places[0], 0], k[places[1]]
    ways = _choices(b, k) + _choices(n - b, a - k) - _choices(n, a)
    terms = np.exp(ways) * k / n * np.log2(n * k / (a * b))
    cells[few] = np.bincount(places[0], terms, minlength=int(few.sum()))
    return float(repeats @ cells.sum(axis=1))


def _choices(n: Any, k: Any) -> Any:
    """The logarithm of n over k."""
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


def _cut_by_chance(n_cuts: int, n_rows: int, n_classes: int) -> float:
    """Return the gain of the best of so many cuts on average if the number tells nothing.

    2 n ln 2 times the gain of one cut is χ² with a degree of freedom per class but one. That of the best grows with the
    logarithm of the logarithm of their number; the constants are those of simulated rows, of 30 to 10 000.
    """
    if n_cuts < 1 or n_classes < 2:
        return 0.0
    freedom = n_classes - 1.0
    best = max(0.0, 0.3 + 2.5 * float(np.log(max(np.log(n_cuts), 1e-9)))) if n_cuts > 1 else 0.0
    return float((freedom + np.sqrt(freedom) * best) / (2 * n_rows * np.log(2)))


def chi2_test(table: np.ndarray) -> tuple[float, float]:
    """Return Pearson's χ² of a table of counts without empty rows or columns, and its p-value.

    SciPy's chi2_contingency computes the same; its checks of the input take far longer than the test itself, and here
    it would run once per column.

    >>> chi2, p = chi2_test(np.array([[10, 20], [20, 10]]))
    >>> round(chi2, 4), round(p, 4)
    (6.6667, 0.0098)
    """
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    chi2 = float(((table - expected) ** 2 / expected).sum())
    return chi2, float(chdtrc((table.shape[0] - 1) * (table.shape[1] - 1), chi2))


def is_packed(table: Table, name: str) -> bool:
    """Return whether a column stays in the sparse block: thousands of items are not described one by one."""
    return table.sparse is not None and name in table.sparse and len(table.sparse.names) > MOST_ITEMS


def rank_attributes(table: TableSource, target: str, *, seed: int = 0, task: str = "auto") -> list[TargetScore]:
    """Score every input attribute against the target, best first.

    Against classes by information gain beyond chance: nominal attributes have one branch per value, numeric ones are
    cut at their best threshold; what as many values or cuts gain by chance is taken off. Against numbers by the share
    of their variance that the attribute explains. Tables of more than 50 000 rows are sampled.

    Parameters
    ----------
    table : Table, or anything :meth:`~vaglio.Table.from_any` takes
    target : str
        The column to predict.
    seed : int, default=0
        Seed of the sample.
    task : {"auto", "classification", "regression"}
        Whether the target has classes or numbers; by default its values decide.

    Examples
    --------
    >>> import vaglio
    >>> play = vaglio.datasets.load("play")
    >>> [score.attribute for score in rank_attributes(play, "play")][0]
    'outlook'
    >>> penguins = vaglio.datasets.load("penguins")
    >>> best = rank_attributes(penguins, "body_mass_g")[0]
    >>> best.attribute, round(best.explained, 2), round(best.rank_correlation, 2)
    ('flipper_length_mm', 0.77, 0.84)
    """
    data = Table.from_any(table)
    wanted = decide_task(data.column(target), task).task
    # `xy` refuses a table in which no row has a target.
    X, y = sample_table(data, seed).xy(target, task=wanted)
    columns = [X.column(name) for name in X.columns if not is_packed(X, name)]
    scores: list[TargetScore]
    if wanted == "regression":
        scores = [score_of_numbers(column, y) for column in columns]
    else:
        labels, classes = np.unique(y, return_inverse=True)
        scores = [score_attribute(column, classes, len(labels)) for column in columns]
    return sorted(scores, key=lambda score: (-score.strength, score.attribute))


def explained_by_groups(groups: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Return the share of the variance of some values that the means of their groups explain, and its p-value.

    The share is ε²: what as many groups explain by chance is taken off, so that it is 0 on average where nothing is
    explained. Rows of a group below zero are in none.

    Parameters
    ----------
    groups : ndarray of int
    values : ndarray of float

    Examples
    --------
    >>> share, p = explained_by_groups(np.array([0, 0, 1, 1, -1]), np.array([1.0, 2.0, 5.0, 6.0, 9.0]))
    >>> round(share, 3), round(p, 3)
    (0.912, 0.03)
    """
    known = groups >= 0
    codes, data = np.unique(groups[known], return_inverse=True)[1], values[known]
    n, counts = len(data), np.bincount(codes) if known.any() else np.empty(0)
    spread = float(np.ptp(data)) if n else 0.0
    if len(counts) < 2 or n <= len(counts) or not spread > 0 or not np.isfinite(spread):
        return 0.0, float("nan")
    data = (data - data.mean()) / spread  # squares of very large or small numbers have no double
    means = np.bincount(codes, weights=data) / counts
    total, within = float(np.square(data).sum()), float(np.square(data - means[codes]).sum())
    share = 1 - (within / (n - len(counts))) / (total / (n - 1))
    return max(share, 0.0), _f_test(max(total - within, 0.0), within, len(counts), n)


def score_of_numbers(column: Column, y: np.ndarray) -> NumberScore:
    """Score one attribute against the numbers of the same rows."""
    present = ~column.missing
    known = float(present.mean()) if len(column) else 1.0
    explained, p = explained_by_groups(value_codes(column, _BINS), y)
    return NumberScore(column.name, explained * known, rank_correlation(column, y), p, known)


def rank_correlation(column: Column, y: np.ndarray) -> float | None:
    """Return Spearman's correlation of a column with numbers; None where its values have no order."""
    present = ~column.missing
    x, y = column.take(present), y[present]
    if _scale(x) not in ("number", "ordinal") or len(y) < 3 or np.ptp(x.data) == 0 or np.ptp(y) == 0:
        return None
    from scipy.stats import spearmanr

    found: Any = spearmanr(x.data, y)
    return float(found.statistic)


def score_attribute(column: Column, classes: np.ndarray, n_classes: int) -> AttributeScore:
    """Score one attribute against the class codes of the same rows."""
    n_missing = column.n_missing
    known = 1 - n_missing / max(1, len(column))
    codes = value_codes(column, _BINS)
    table = contingency(codes, classes)
    chi2, p = (float("nan"), float("nan"))
    if min(table.shape, default=0) > 1:
        chi2, p = chi2_test(table)
    if column.kind != "numeric":
        gain, ratio = information_gain(table, n_missing)
        chance = known * gain_by_chance(table)
        strength = gain - chance
        if len(table) > UNGUARDED_VALUES and gain > 0:
            strength *= min(abs(strength) / gain, 1.0)
        return AttributeScore(column.name, gain, ratio, chi2, p, None, known, chance, strength)
    gain, ratio, threshold = _best_threshold(column, classes, n_classes)
    present = ~column.missing
    occurring = len(np.unique(classes[present]))
    chance = known * _cut_by_chance(len(np.unique(column.data[present])) - 1, int(present.sum()), occurring)
    return AttributeScore(column.name, gain, ratio, chi2, p, threshold, known, chance, gain - chance)


def _best_threshold(column: Column, classes: np.ndarray, n_classes: int) -> tuple[float, float, float | None]:
    """Return gain, gain ratio and threshold of the best cut in two; all cuts in one pass over the sorted values."""
    present = ~column.missing
    order = np.argsort(column.data[present], kind="stable")
    values, classes = column.data[present][order], classes[present][order]
    if not len(values) or values[0] == values[-1]:
        return 0.0, 0.0, None
    # Row i of `left`: how many of the first i + 1 values are of each class.
    left = np.zeros((len(values), n_classes))
    left[np.arange(len(values)), classes] = 1
    left = left.cumsum(axis=0)
    cuts = np.flatnonzero(values[1:] > values[:-1])
    total, below = left[-1], left[cuts]
    n, n_below = len(values), cuts + 1.0
    inside = (_weighted_entropy(below, n_below) + _weighted_entropy(total - below, n - n_below)) / n
    best = int(np.argmin(inside))
    gain = max(entropy_bits(total) - float(inside[best]), 0.0)
    gain, ratio = _weighed(gain, np.array([n_below[best], n - n_below[best]]), int(len(present) - n))
    return gain, ratio, float((values[cuts[best]] + values[cuts[best] + 1]) / 2)


def _weighted_entropy(counts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return n·H for each row of counts, as n·log2 n − Σ c·log2 c."""
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(counts > 0, counts * np.log2(counts), 0.0)
    weighted: np.ndarray = sizes * np.log2(sizes) - parts.sum(axis=1)
    return weighted


@dataclass(frozen=True)
class Association:
    """The dependence of two columns: 0 is none, 1 means that one column determines the other.

    Attributes
    ----------
    a, b : str
        The columns.
    measure : str
        "Pearson", "Spearman", "correlation ratio", "Cramér's V", "Jaccard", or "none" where nothing can be computed.
    strength : float
        From 0 to 1; correlations from −1 to 1.
    p_value : float
        How often chance alone gives so strong a dependence.
    n_rows : int
        Rows that have both values.
    """

    a: str
    b: str
    measure: str
    strength: float
    p_value: float
    n_rows: int


def associate(a: Column, b: Column) -> Association:
    """Measure the dependence of two columns by the strongest measure that both levels permit.

    Two columns of numbers: Pearson's correlation. With ordered values: Spearman's. A nominal column and numbers: the
    correlation ratio with its F test. Two nominal columns: Cramér's V with its χ² test. Two asymmetric columns:
    Jaccard's coefficient, for which rows that lack both do not count, with Fisher's exact test (one-sided).

    From correlation ratio and V, what as many categories explain by chance is taken off (Kelley's ε; Bergsma 2013).

    Parameters
    ----------
    a, b : Column

    Examples
    --------
    >>> associate(Column.numeric("x", [1.0, 2, 3, 4]), Column.numeric("y", [2.0, 4, 6, 8])).strength
    1.0
    """
    present = ~(a.missing | b.missing)
    x, y = a.take(present), b.take(present)
    kinds = [_scale(x), _scale(y)]
    if len(x) < 3 or "text" in kinds:
        return Association(a.name, b.name, "none", float("nan"), float("nan"), len(x))
    if "nominal" not in kinds:
        measure, (strength, p) = _ordered(x, y, kinds)
    elif kinds == ["nominal", "nominal"] and a.asymmetric and b.asymmetric:
        measure, (strength, p) = "Jaccard", _jaccard(presence(x, a), presence(y, b))
    elif kinds == ["nominal", "nominal"]:
        measure, (strength, p) = "Cramér's V", _cramer(x.data, y.data)
    else:
        groups, values = (x, y) if kinds[0] == "nominal" else (y, x)
        measure, (strength, p) = _grouped(groups, values)
    return Association(a.name, b.name, measure, strength, p, len(x))


def _scale(column: Column) -> str:
    """Return "text", "number", "ordinal" or "nominal": what decides about the measure."""
    if column.kind == "text":
        return "text"
    if column.kind == "numeric":
        return "number" if column.level in ("interval", "ratio") else "ordinal"
    return "ordinal" if column.level == "ordinal" else "nominal"


def _ordered(x: Column, y: Column, kinds: list[str]) -> tuple[str, tuple[float, float]]:
    if np.ptp(x.data) == 0 or np.ptp(y.data) == 0:
        return "none", (float("nan"), float("nan"))
    from scipy.stats import pearsonr, spearmanr

    both_numbers = kinds == ["number", "number"]
    result: Any = pearsonr(x.data, y.data) if both_numbers else spearmanr(x.data, y.data)
    return "Pearson" if both_numbers else "Spearman", (float(result.statistic), float(result.pvalue))


def _cramer(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Return Cramér's V without what as many categories share by chance (Bergsma 2013), and the p-value of χ².

    Uncorrected, columns whose values nearly all differ determine any other of the rows at hand. Where all differ
    nothing can be told from chance: V is 0.
    """
    table = contingency(a.astype(np.int64), b.astype(np.int64))
    if min(table.shape, default=0) < 2:
        return float("nan"), float("nan")
    chi2, p = chi2_test(table)
    n = float(table.sum())
    degrees = np.array(table.shape) - 1.0
    by_chance = degrees.prod() / (n - 1)
    most = float((degrees - degrees**2 / (n - 1)).min())
    found = chi2 / n - by_chance
    # Rounding leaves a little of both where all values differ.
    return float(np.sqrt(min(found / most, 1.0))) if found > 1e-9 and most > 1e-9 else 0.0, p


def _jaccard(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """Return the share of the rows with either in which both are, and the probability of so many by chance."""
    both, either, n = int((a & b).sum()), int((a | b).sum()), len(a)
    if either == 0:
        return float("nan"), float("nan")
    from scipy.stats import hypergeom

    return both / either, float(hypergeom.sf(both - 1, n, int(a.sum()), int(b.sum())))


def _grouped(groups: Column, values: Column) -> tuple[str, tuple[float, float]]:
    """Return the root of the share of the variance that the groups explain beyond chance; of ranks if ordinal."""
    data = values.data.astype(np.float64)
    if _scale(values) == "ordinal":
        data = np.unique(data, return_inverse=True)[1].astype(np.float64)
    if len(np.unique(groups.data)) < 2 or np.ptp(data) == 0:
        return "none", (float("nan"), float("nan"))
    share, p = explained_by_groups(groups.data, data)
    return "correlation ratio", (float(np.sqrt(share)), p)


def _f_test(between: float, within: float, k: int, n: int) -> float:
    """Return how often chance alone makes the means of k groups of n values in all as different."""
    if n <= k:
        return float("nan")
    if within == 0:  # the groups determine the values
        return 0.0
    return float(fdtrc(k - 1, n - k, (between / (k - 1)) / (within / (n - k))))


_MEASURES = {
    "Pearson": "Pearson",
    "Spearman": "Spearman",
    "correlation ratio": text("correlation ratio"),
    "Cramér's V": text("Cramér's V"),
    "Jaccard": "Jaccard",
    "none": text("none"),
}


@dataclass(frozen=True, repr=False, eq=False)
class Associations:
    """The dependence of every pair of columns.

    Attributes
    ----------
    names : tuple of str
        The columns.
    pairs : tuple of Association
        Each pair once.
    note : str
        What was left out or sampled.
    """

    names: tuple[str, ...]
    pairs: tuple[Association, ...]
    note: str = ""

    @property
    def matrix(self) -> np.ndarray:
        """The strengths without sign as a square matrix, 1 on the diagonal."""
        place = {name: i for i, name in enumerate(self.names)}
        matrix = np.eye(len(self.names))
        for pair in self.pairs:
            matrix[place[pair.a], place[pair.b]] = matrix[place[pair.b], place[pair.a]] = abs(pair.strength)
        return matrix

    def strongest(self, limit: int = 20) -> list[dict[str, Any]]:
        """Return the strongest pairs as rows, at most ``limit``."""
        known = [pair for pair in self.pairs if np.isfinite(pair.strength)]
        known.sort(key=lambda pair: -abs(pair.strength))
        return [
            {
                "a": p.a,
                "b": p.b,
                text("measure"): _MEASURES[p.measure],
                text("strength"): p.strength,
                "p": p.p_value,
            }
            for p in known[:limit]
        ]

    def plot(self, ax: Axes | None = None, *, lang: str | Locale = "en") -> Any:
        """Draw a heat map of the strengths.

        Parameters
        ----------
        ax : Axes, optional
            By default those of a new figure.
        lang : str or Locale, default="en"
            The language of the numbers.
        """
        from vaglio.plot.distributions import draw_matrix

        return draw_matrix(ax, self.matrix, self.names, locale=locale_of(lang))

    def __repr__(self) -> str:
        return f"{text_table(self.strongest())}\n{self.note}".rstrip()

    def _repr_html_(self) -> str:
        return html_table(self.strongest(), caption=self.note or text("Strongest associations"))


def associations(
    table: TableSource, columns: Sequence[str] | None = None, *, max_columns: int = 40, seed: int = 0
) -> Associations:
    """Measure the dependence of every pair of columns, whatever their kinds.

    Large tables are sampled and wide ones cut at ``max_columns``; the `note` of the result says so.

    Parameters
    ----------
    table : Table, or anything :meth:`~vaglio.Table.from_any` takes
    columns : sequence of str, optional
        By default all.
    max_columns : int, default=40
        The first so many columns are compared.
    seed : int, default=0
        Seed of the sample.
    """
    data = Table.from_any(table)
    notes = []
    packed = () if data.sparse is None else data.sparse.names
    names = list(columns) if columns is not None else [name for name in data.columns if name not in set(packed)]
    names = [name for name in names if data.column(name).role not in ("identifier", "ignored")]
    if len(names) > max_columns:
        notes.append(text("the first {n:,} of {total:,} columns", n=max_columns, total=len(names)))
        names = names[:max_columns]
    if len(data) > SAMPLE_ROWS:
        notes.append(text("a sample of {n:,} of {total:,} rows", n=SAMPLE_ROWS, total=len(data)))
        data = sample_table(data, seed)
    chosen = [data.column(name) for name in names]
    pairs = tuple(associate(a, b) for i, a in enumerate(chosen) for b in chosen[i + 1 :])
    return Associations(tuple(names), pairs, text("Measured on {parts}.", parts=listed(notes)) if notes else "")

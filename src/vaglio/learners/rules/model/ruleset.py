"""A set of rules as a model: what a tree reads as, what the rule learners give, what a person writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from vaglio.encode import Codebook, EncodedMatrix, Feature, aligned_labels
from vaglio.errors import InputError, as_own_errors
from vaglio.learners.rules.model.rule import RESOLUTIONS, Rule, decision_order, resolve
from vaglio.messages.sentences import did_you_mean, listed
from vaglio.model.base import Smoothing, State, label_array, one_per_row, plain_label
from vaglio.model.calibration import Calibration, calibrated
from vaglio.model.condition import Condition, MissingCondition
from vaglio.model.costs import CostMatrix
from vaglio.runtime.arguments import checked
from vaglio.typing import ColumnLike, TableLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class RuleSet:
    """IF … THEN … rules that together classify a row.

    Attributes
    ----------
    entries : tuple of Rule
        The rules in order; a RuleSet also iterates over them and has their number as its length.
    features : tuple of Feature
        The columns, in the order in which conditions count them.
    classes : tuple or None
        Class labels in code order; None when the rules give a number (a regression tree).
    default : tuple of float
        Class weights of a row that no rule covers.
    totals : tuple of float
        Class weights of the rows the rules were counted on.
    resolution : {"exclusive", "first", "vote", "mean", "specific", "quality"}
        What counts when several rules fire. ``exclusive``: only one does (a tree), or each with its share of a row that
        has missing values, and the shares are summed; ``first``: the first that fires; ``vote``: the covered class
        weights of all that fire are summed; ``mean``: what all that fire say is summed by their weights (the trees of a
        forest, of which a row meets one rule each); ``specific``: the one with most conditions; ``quality``: the one
        with the best Laplace accuracy. The default decides when none fires.
    smoothing : Smoothing
        How class weights become probabilities.
    cost : tuple of tuples of float, optional
        What predicting each class (column) costs for each true class (row): the class of least expected cost is then
        decided for, and each rule names the class it decides for.
    calibration : Calibration, optional
        How the probabilities are corrected.

    Examples
    --------
    >>> from vaglio import RuleSet
    >>> rules = RuleSet.parse("IF outlook = sunny AND humidity > 75 THEN no\\nELSE yes")
    >>> rules.predict([{"outlook": "sunny", "humidity": 90.0}, {"outlook": "rain", "humidity": 90.0}]).tolist()
    ['no', 'yes']
    """

    kind: ClassVar[str] = "rules"

    entries: tuple[Rule, ...]
    features: tuple[Feature, ...]
    classes: tuple[Any, ...] | None
    default: tuple[float, ...]
    totals: tuple[float, ...]
    resolution: str = "first"
    smoothing: Smoothing = field(default_factory=Smoothing)
    cost: tuple[tuple[float, ...], ...] | None = None
    calibration: Calibration | None = None

    def __post_init__(self) -> None:
        if self.resolution not in RESOLUTIONS:
            raise InputError(
                "unknown-resolution",
                "There is no resolution {resolution!r}: {hint}",
                resolution=self.resolution,
                hint=did_you_mean(self.resolution, RESOLUTIONS),
            )

    # -- a sequence of rules -----------------------------------------------------------------------------------------
    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.entries)

    def __getitem__(self, index: int) -> Rule:
        return self.entries[index]

    def __str__(self) -> str:
        from vaglio.learners.rules.forms.text import ruleset_text

        return ruleset_text(self, header=False)

    __repr__ = __str__

    # -- a model -----------------------------------------------------------------------------------------------------
    @property
    def is_crisp(self) -> bool:
        """Whether one rule takes a row, and takes it whole."""
        from vaglio.learners.rules.forms.rule_list import rule_list

        return rule_list(self).is_crisp

    @property
    def is_regression(self) -> bool:
        return self.classes is None

    @cached_property
    def said(self) -> np.ndarray:
        """(rules, K) what each rule says: its probabilities, or its number."""
        weights = np.array([rule.weights for rule in self], dtype=np.float64).reshape(len(self), len(self.default))
        return weights if self.is_regression else self.smoothing.probabilities(weights, np.array(self.totals))

    @cached_property
    def said_by_default(self) -> np.ndarray:
        default = np.array(self.default)
        return default if self.is_regression else self.smoothing.probabilities(default, np.array(self.totals))[0]

    @property
    def default_label(self) -> Any:
        """What a row gets that no rule takes."""
        return self.default[0] if self.classes is None else self.classes[self.decision(self.said_by_default)]

    @cached_property
    def costs(self) -> CostMatrix | None:
        """The costs with their classes; None where the rules decide by probability."""
        if self.cost is None or self.classes is None:
            return None
        return CostMatrix(np.array(self.cost, dtype=np.float64), self.classes)

    def decision(self, said: Any) -> int:
        """The position of the class that class weights amount to: the heaviest or, with costs, that of least cost.

        Parameters
        ----------
        said : array-like of shape (n_classes,)
        """
        if self.costs is None:
            return int(np.argmax(said))
        return self.costs.decide_one(said if self.calibration is None else self.calibration.of_one(said))

    def telling_missing(self, incomplete: Sequence[int]) -> RuleSet:
        """Return the rules with ``OR MISSING`` shown in what tests these columns, which training rows lacked.

        Parameters
        ----------
        incomplete : sequence of int
            Positions of features.
        """
        lacking = set(incomplete)
        if not lacking:
            return self

        def shown(condition: Condition) -> Condition:
            if condition.missing == 0 or isinstance(condition, MissingCondition):
                return condition
            return condition if lacking.isdisjoint(condition.columns) else replace(condition, told=True)

        entries = [replace(rule, conditions=tuple(map(shown, rule.conditions))) for rule in self]
        return replace(self, entries=tuple(entries))

    def with_costs(self, cost: CostMatrix) -> RuleSet:
        """Return the same rules deciding for the class of least expected cost, each under the class it stands for.

        Parameters
        ----------
        cost : CostMatrix
        """
        if self.classes is None:
            raise InputError(
                "costs-of-numeric-rules",
                "These rules predict a number, and costs apply only to rules that predict a class.",
            )
        order, resolution = list(range(len(self))), self.resolution
        if resolution in ("specific", "quality"):
            # These orders depend on the classes of the rules, and must not follow their new ones.
            order, resolution = decision_order(self.entries, resolution), "first"
        lines = tuple(map(tuple, cost.ordered(self.classes).matrix.tolist()))
        found = replace(self, cost=lines, resolution=resolution)
        codes = [found.decision(said) for said in self.said]
        entries = tuple(replace(self[i], code=codes[i], label=self.classes[codes[i]]) for i in order)
        return replace(found, entries=entries)

    def predict_proba(self, X: TableLike | EncodedMatrix) -> np.ndarray:
        """Return the class probabilities of encoded rows, or of any table.

        Parameters
        ----------
        X : table or encoded rows
        """
        return calibrated(self._combine(self._encoded(X)), self.calibration)

    def predict(self, X: TableLike | EncodedMatrix) -> np.ndarray:
        """Return the label (or number) for each row of a table or of encoded rows.

        Parameters
        ----------
        X : table or encoded rows
        """
        combined = self._combine(self._encoded(X))
        if self.classes is None:
            return combined[:, 0]
        costs = self.costs
        codes = np.argmax(combined, axis=1) if costs is None else costs.decide(calibrated(combined, self.calibration))
        labels: np.ndarray = label_array(self.classes)[codes]
        return labels

    def score(self, X: TableLike | EncodedMatrix, y: ColumnLike, sample_weight: ColumnLike | None = None) -> float:
        """Return the share of rows classified rightly.

        Parameters
        ----------
        X : table or encoded rows
        y : array-like
            Labels.
        sample_weight : array-like, optional
            Weights of the rows.
        """
        predicted = self.predict(X)
        known = predicted if self.classes is None else self.classes
        right = predicted == one_per_row("y", aligned_labels(y, known), len(predicted), None)
        weights = None if sample_weight is None else one_per_row("sample_weight", sample_weight, len(predicted))
        return float(np.average(right, weights=weights))

    def _combine(self, matrix: EncodedMatrix) -> np.ndarray:
        if not len(self):
            return np.tile(self.said_by_default, (matrix.n_rows, 1))
        matches = [rule.match(matrix) for rule in self]
        said = self.votes if self.resolution in ("vote", "mean") else self.said
        return resolve(matches, said, self.said_by_default, self.entries, self.resolution)

    @cached_property
    def votes(self) -> np.ndarray:
        """The class weights that each rule puts into a vote, (rules, K); without counts, the weights it was given."""
        if self.resolution == "mean":
            return np.array([rule.weights for rule in self], dtype=np.float64).reshape(len(self), len(self.default))
        votes = np.array([rule.covered if sum(rule.covered) > 0 else rule.weights for rule in self])
        smoothed: np.ndarray = votes + self.smoothing.pseudo_weights(np.array(self.totals))
        return smoothed

    def size(self) -> dict[str, int]:
        """Return the numbers of rules and of conditions."""
        return {"rules": len(self), "conditions": sum(len(rule) for rule in self)}

    def rules(self, features: Sequence[Feature], classes: Any) -> RuleSet:
        """Return the same rules under the names of a table: what a fitted model shows.

        Parameters
        ----------
        features : sequence of Feature
            The columns of the table.
        classes : array-like or None
            Class labels; None for numbers.
        """
        if classes is None:
            return replace(self, features=tuple(features))
        labels = tuple(plain_label(label) for label in classes)
        entries = tuple(replace(rule, label=labels[rule.code]) for rule in self)
        return replace(self, entries=entries, features=tuple(features), classes=labels)

    def state(self) -> State:
        """Return arrays and plain data, as the model file keeps them."""
        from vaglio.learners.rules.model.ruleset_state import to_state

        return to_state(self)

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> RuleSet:
        """Read what :meth:`state` gave, with every entry checked."""
        from vaglio.learners.rules.model.ruleset_state import from_state

        return from_state(arrays, meta, features, n_classes)

    # -- counting again ----------------------------------------------------------------------------------------------
    def codebook(self, unseen: Any = "missing") -> Codebook:
        """How a table is encoded for these rules: by the names of their columns.

        Parameters
        ----------
        unseen : {"missing", "error"}
            What becomes of a category that the rules do not know.
        """
        return Codebook(self.features, named=True, unseen=unseen, whole=False)

    def _encoded(self, X: TableLike | EncodedMatrix) -> EncodedMatrix:
        return X if isinstance(X, EncodedMatrix) else self.codebook().encode(X)

    def _examples(
        self, X: TableLike | EncodedMatrix, y: ColumnLike, sample_weight: ColumnLike | None = None
    ) -> tuple[EncodedMatrix, np.ndarray, np.ndarray | None]:
        """Return encoded rows with the code of the class and the weight of each."""
        matrix = self._encoded(X)
        codes = one_per_row("y", self.class_codes(y), matrix.n_rows, np.int64)
        return matrix, codes, None if sample_weight is None else one_per_row("sample_weight", sample_weight, len(codes))

    def class_codes(self, y: ColumnLike) -> np.ndarray:
        """The position of each label among the classes.

        Parameters
        ----------
        y : array-like
            Labels.
        """
        if self.classes is None:
            raise InputError(
                "counts-of-numeric-rules", "These rules predict a number, so there are no classes to count."
            )
        code = {label: i for i, label in enumerate(self.classes)}
        try:
            with as_own_errors():
                return np.array([code[plain_label(label)] for label in np.atleast_1d(np.asarray(y))], dtype=np.int64)
        except KeyError as error:
            raise InputError(
                "label-outside-rules",
                "The label {label!r} is not one of the classes of these rules ({classes}).",
                label=error.args[0],
                classes=listed(code, quoted=True),
            ) from None

    def evaluate_on(
        self, X: TableLike | EncodedMatrix, y: ColumnLike, sample_weight: ColumnLike | None = None
    ) -> RuleSet:
        """Count coverage, accuracy and the like on another table; what the rules say stays as it is.

        Parameters
        ----------
        X : table or encoded rows
        y : labels
        sample_weight : array-like, optional
        """
        from vaglio.learners.rules.model.simplify import counted

        return counted(self, *self._examples(X, y, sample_weight))

    def refit(self, X: TableLike | EncodedMatrix, y: ColumnLike, sample_weight: ColumnLike | None = None) -> RuleSet:
        """Keep the conditions, and learn from a table what each rule says: its class weights, and the default's.

        Parameters
        ----------
        X : table or encoded rows
        y : array-like
            Labels.
        sample_weight : array-like, optional
            Weights of the rows.
        """
        from vaglio.learners.rules.model.simplify import relearned

        return relearned(self, *self._examples(X, y, sample_weight))

    def overlap(self, X: TableLike | EncodedMatrix) -> np.ndarray:
        """Return for every two rules how many rows meet both (on the diagonal, each).

        Parameters
        ----------
        X : table or encoded rows
        """
        matrix = self._encoded(X)
        matches = np.array([rule.match(matrix) for rule in self], dtype=np.float64).reshape(len(self), matrix.n_rows)
        return matches @ matches.T

    def minimal_cover(self, X: TableLike | EncodedMatrix, y: ColumnLike) -> RuleSet:
        """Return fewest rules that still cover, with the right class, every row that all of them cover rightly.

        Parameters
        ----------
        X : table or encoded rows
        y : array-like
            Labels.
        """
        from vaglio.learners.rules.model.simplify import minimal_cover

        matrix, codes, _ = self._examples(X, y)
        return minimal_cover(self, matrix, codes)

    @checked
    def simplify(
        self,
        X: TableLike | EncodedMatrix,
        y: ColumnLike,
        sample_weight: ColumnLike | None = None,
        confidence_factor: float = 0.25,
    ) -> RuleSet:
        """Drop conditions and rules that do not pay on these rows, as C4.5rules does.

        Each rule loses, one by one, the conditions without which its pessimistic error is no higher; the rules of each
        class are then chosen by description length, the classes ordered by fewest false positives, and the default
        is the class most frequent among the rows left over. The result is a list: the first rule that fires decides.

        Parameters
        ----------
        X : table or encoded rows
        y : labels
        sample_weight : array-like, optional
        confidence_factor : float in (0, 0.5], default=0.25
            Lower means a more pessimistic error, and shorter rules.
        """
        from vaglio.learners.rules.model.simplify import simplify

        return simplify(self, *self._examples(X, y, sample_weight), confidence_factor)

    # -- other forms ---------------------------------------------------------------------------------------------------
    def to_text(self) -> str:
        """Return the rules as text with every digit; :meth:`parse` reads it back."""
        from vaglio.learners.rules.forms.text import ruleset_text

        return ruleset_text(self, header=True)

    @classmethod
    @checked
    def parse(cls, text: str, features: Sequence[Feature] | None = None, classes: ColumnLike | None = None) -> RuleSet:
        """Read rules that :meth:`to_text` printed or a person wrote.

        Parameters
        ----------
        text : str
            ``IF column <= 3 AND other = value THEN label`` lines and a last ``ELSE label``. Class weights after a label
            (``[no 1, yes 5]``) are optional; a rule without them is certain.
        features : sequence of Feature, optional
            The columns of the table; without it, those the text mentions.
        classes : sequence, optional
            Class labels in order; without it, those the text mentions.

        Returns
        -------
        RuleSet
        """
        from vaglio.learners.rules.forms.parse import parse_rules

        return parse_rules(text, features, classes)

    def to_frame(self) -> Any:
        """Return one line per rule, with its statistics, as a data frame."""
        from vaglio.learners.rules.forms.text import rules_frame

        return rules_frame(self)

    @checked
    def to_json(self, indent: int | None = None) -> str:
        """Return the rules as JSON; :meth:`from_json` reads it back.

        Parameters
        ----------
        indent : int, optional
            Spaces per level; without it everything stands in one line.
        """
        from vaglio.learners.rules.forms.text import rules_json

        return rules_json(self, indent)

    @classmethod
    @checked
    def from_json(cls, text: str) -> RuleSet:
        """Read what :meth:`to_json` wrote.

        Parameters
        ----------
        text : str
        """
        from vaglio.learners.rules.forms.text import read_json

        return read_json(text)

    @checked
    def to_sql(self, table: str = "data", probabilities: bool = False, dialect: str = "standard") -> str:
        """Return a SELECT that classifies every row of a table, in standard SQL with CASE.

        Parameters
        ----------
        table : str
            Name of the table; its columns bear the names the rules use.
        probabilities : bool, default=False
            One column per class, named ``p(label)``, instead of the label.
        dialect : {"standard", "mysql", "sqlite", "duckdb", "postgresql"}, default="standard"
            How texts and names are quoted: ``"mysql"`` for MySQL, MariaDB and Spark, which read a backslash in a text
            as an escape. Rules need no more of the others than the standard.

        Returns
        -------
        str
        """
        from vaglio.export.sql.rules import rules_sql
        from vaglio.learners.rules.forms.rule_list import rule_list

        return rules_sql(rule_list(self), table, probabilities, dialect)

    @checked
    def to_python(self, name: str = "classify") -> str:
        """Return the source of a Python function that needs nothing but itself.

        ``classify(row)`` takes a mapping from column to value (None or NaN is missing) and returns the label;
        ``classify(row, probabilities=True)`` a dict from label to probability.

        Parameters
        ----------
        name : str
            Of the function.
        """
        from vaglio.export.python import rules_python
        from vaglio.learners.rules.forms.rule_list import rule_list

        return rules_python(rule_list(self), name)

    @checked
    def plot(self, ax: Axes | None = None) -> Any:
        """Draw a bar per rule with matplotlib: how many rows of each class it covers, the first twenty rules.

        Parameters
        ----------
        ax : Axes, optional
            By default those of a new figure.

        Returns
        -------
        Axes
        """
        from vaglio.learners.rules.forms.text import rule_text
        from vaglio.plot.bars import draw_bars

        told = [rule_text(rule) for rule in self]
        return draw_bars(told, [rule.covered for rule in self], [str(label) for label in self.classes or ()], ax)

    def _repr_html_(self) -> str:
        from vaglio.learners.rules.forms.text import rules_html

        return rules_html(self)

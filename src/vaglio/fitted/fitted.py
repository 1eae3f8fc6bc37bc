"""Codebook, model and class labels together: everything a prediction needs."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from vaglio._version import __version__
from vaglio.encode import Codebook, EncodedMatrix
from vaglio.engines.sources import is_out_of_core, refuse_out_of_core
from vaglio.engines.sources import source_of as source_of_rows
from vaglio.errors import ColumnError, InputError, NotSupportedError, VaglioWarning, as_own_errors
from vaglio.explanation import Context, Explanations, explain_rows
from vaglio.explanation.fixed_columns import fixed_columns
from vaglio.explanation.goal import Move
from vaglio.fitted.formats import coefficient_rows, export, source_of, sql_statement
from vaglio.fitted.predicted_numbers import PredictedNumbers
from vaglio.fitted.residuals import Residuals
from vaglio.messages.message import Message, Option, text
from vaglio.messages.sentences import did_you_mean, listed
from vaglio.model.base import (
    DECISION_VALUES,
    PREDICTIONS,
    PROBABILITIES,
    Model,
    check_finite,
    class_codes,
    class_proba,
    codes_and_proba,
    label_array,
)
from vaglio.model.calibration import Calibration
from vaglio.model.costs import CostMatrix
from vaglio.model.families import Task, usual_settings
from vaglio.runtime.arguments import checked
from vaglio.runtime.computed import computed_fields
from vaglio.runtime.threads import resolve_threads
from vaglio.table import CellFormat
from vaglio.typing import ColumnLike, CostLike, RandomState, TableLike

if TYPE_CHECKING:
    from vaglio.fitted.one_row import Decision, OneRow
    from vaglio.learners.rules.model.ruleset import RuleSet
    from vaglio.table import Table
    from vaglio.table.scanned import ScannedTable


@computed_fields("provenance")
@dataclass(frozen=True, repr=False)
class Fitted:
    """A trained model that takes tables and gives labels.

    Columns are aligned by name; columns the model does not know are ignored; a missing one is an error.

    Attributes
    ----------
    codebook : Codebook
    model : Model
    classes : ndarray or None
        Class labels in code order; None for a model that predicts numbers.
    learner : str
        Id of the learner, as on the command line.
    params : dict
        Its parameters, as plain data.
    provenance : dict
        Library version, shape and fingerprint of the training rows, target, scores, how to repeat it.
    cost : CostMatrix or None
        What errors cost, in the order of ``classes``; every evaluation of the model reports them. A threshold is kept
        as the costs that amount to it, which nothing reports.
    decide : {"cost", "argmax"}
        How a model with costs decides: "cost" for the class of least expected cost, "argmax" by itself, as every model
        without costs does.
    calibration : Calibration or None
        How the probabilities of the model are corrected; everything but its own arithmetic sees the corrected ones.
    """

    codebook: Codebook
    model: Model
    classes: np.ndarray | None
    learner: str
    params: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
    cost: CostMatrix | None = None
    decide: str = "cost"
    calibration: Calibration | None = None

    @classmethod
    @checked
    def from_rules(cls, rules: RuleSet) -> Fitted:
        """Make a classifier of rules a person wrote or edited, to be evaluated, explained and saved like any other.

        Parameters
        ----------
        rules : RuleSet
            For example from :meth:`vaglio.RuleSet.parse`.

        Returns
        -------
        Fitted

        Examples
        --------
        >>> from vaglio import RuleSet
        >>> from vaglio.fitted import Fitted
        >>> model = Fitted.from_rules(RuleSet.parse("IF age > 60 THEN yes ELSE no"))
        >>> model.predict([{"age": 70.0}]).tolist()
        ['yes']
        """
        classes = None if rules.classes is None else label_array(rules.classes)
        plain = replace(rules, cost=None, calibration=None)
        about = classes, "rules", dict[str, Any](), {"version": __version__}
        return cls(rules.codebook(), plain, *about, rules.costs, calibration=rules.calibration)

    def predict(self, X: TableLike, n_jobs: int | None = None) -> np.ndarray:
        """Return the class (or number) for each row.

        Parameters
        ----------
        X : frame, Table or array
            Rows with the columns of the model, found by name. A scanned table gives a lazy result, a Dask frame a Dask
            series.
        n_jobs : int or None
            Threads; None is 1, -1 all that are allowed.
        """
        if is_out_of_core(X):
            empty = np.empty(0) if self.classes is None else self.classes[:0]
            labels: np.ndarray = source_of_rows(X).apply(self.predict, ("prediction",), empty)
            return labels
        return self.predict_encoded(self._encode(X, n_jobs))

    @checked
    def predict_interval(self, X: TableLike, coverage: float = 0.9, n_jobs: int | None = None) -> np.ndarray:
        """Return an interval around the predicted number of each row, by the errors on rows outside of the training.

        Its ends are the prediction plus quantiles of the residuals that the model keeps: of an evaluation by
        ``vaglio train --folds``, ``--holdout`` or ``--test``, of :meth:`with_residuals`, or out of bag (``oob_score``).
        It is as wide for every row, and contains the true number of about the share ``coverage`` of rows like those of
        training: on average over rows, not for each.

        Parameters
        ----------
        X : frame, Table or array
            Rows with the columns of the model, found by name. A scanned table gives a lazy result, a Dask frame a Dask
            frame.
        coverage : float, default=0.9
            The share of rows whose number is to lie in their interval.
        n_jobs : int or None
            Threads; None is 1, -1 all that are allowed.

        Returns
        -------
        ndarray of shape (n_rows, 2)

        Examples
        --------
        >>> import vaglio
        >>> from vaglio.evaluation import evaluate_by_folds
        >>> table = vaglio.datasets.load("penguins")
        >>> X, y = table.xy("body_mass_g", task="regression")
        >>> found = evaluate_by_folds(vaglio.LinearRegression(), X, y, n_splits=10)
        >>> model = vaglio.LinearRegression().fit(X, y).fitted_.with_residuals(found)
        >>> model.predict_interval(X[:2], coverage=0.8).round(-1).tolist()
        [[3220.0, 4070.0], [3000.0, 3850.0]]
        """
        low, high = self.interval_ends(coverage)
        if is_out_of_core(X):
            ends: np.ndarray = source_of_rows(X).apply(
                lambda part: self.predict_interval(part, coverage), ("low", "high"), np.empty((0, 2))
            )
            return ends
        predicted = self.predict(X, n_jobs)
        return np.column_stack([predicted + low, predicted + high])

    @property
    def residuals(self) -> Residuals | None:
        """Errors on rows outside of the training, which :meth:`predict_interval` needs; None if none are kept."""
        return None if self.classes is not None else Residuals.from_state(self.provenance.get("residuals"))

    def interval_ends(self, coverage: float = 0.9) -> tuple[float, float]:
        """Return what is added to a predicted number for the ends of its interval, as in :meth:`predict_interval`.

        Parameters
        ----------
        coverage : float, default=0.9
            The share of rows whose number is to lie in their interval.
        """
        if self.classes is not None:
            raise NotSupportedError(
                "interval-of-classes", "Intervals are for models of numbers. This model gives probabilities of classes."
            )
        found = self.residuals
        if found is None:
            raise NotSupportedError(
                "no-residuals-kept",
                "The model keeps no errors on rows that it was not trained on, which an interval needs. Train it with "
                "{evaluation}, or pass an evaluation to with_residuals.",
                evaluation=Option("n_splits", 10, flag="--folds 10, --holdout 0.3 or --test FILE"),
            )
        return found.ends(coverage)

    def with_residuals(self, evaluation: Any) -> Fitted:
        """Return a copy that keeps the errors of an evaluation, for :meth:`predict_interval`.

        It keeps the predictions of the evaluation, too: a server compares with them what it predicts.

        Parameters
        ----------
        evaluation : RegressionEvaluation, or array-like of residuals (true minus predicted numbers)
            Of this learner by folds, or of this model on rows that it was not trained on.
        """
        bare = replace(self, provenance=self._without("residuals", "predicted"))
        if not hasattr(evaluation, "residuals"):
            return bare.with_provenance(residuals=Residuals.of(evaluation).to_state())
        weight, source = evaluation.weight, "rows" if evaluation.folds is None else "folds"
        counts = slice(None) if weight is None else weight > 0
        facts = {"residuals": Residuals.of(evaluation.residuals[counts], source).to_state()}
        predicted = PredictedNumbers.of(evaluation.predicted[counts], evaluation.on_training_rows)
        return bare.with_provenance(**facts, **({} if predicted is None else {"predicted": predicted.to_state()}))

    @property
    def predicted_numbers(self) -> PredictedNumbers | None:
        """What was predicted in the evaluation of :meth:`with_residuals`; None if it is not kept."""
        return None if self.classes is not None else PredictedNumbers.from_state(self.provenance.get("predicted"))

    def _without(self, *facts: str) -> dict[str, Any]:
        """Return the provenance without some facts."""
        return {name: fact for name, fact in self.provenance.items() if name not in facts}

    def predict_encoded(self, matrix: EncodedMatrix) -> np.ndarray:
        """Return the class (or number) for rows that are encoded already.

        Parameters
        ----------
        matrix : EncodedMatrix
        """
        predicted: np.ndarray
        if self.classes is None:
            predicted = check_finite(self.model.predict(matrix), PREDICTIONS)  # type: ignore[attr-defined]
        else:
            codes = class_codes(self.model, matrix, self.decision_cost, len(self.classes), self.calibration)
            predicted = self.classes[codes]
        return predicted

    def predict_with_proba(self, X: TableLike, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the class (or number) for each row and the probabilities, if the model has any.

        The rows are encoded once, and a model that decides by its probabilities computes them once: half the work of
        ``predict`` and ``predict_proba`` one after the other.

        Parameters
        ----------
        X : frame, Table or array
            The rows.
        n_jobs : int, optional
            Number of threads, as in scikit-learn.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
        probabilities : ndarray of shape (n_rows, n_classes) or None
        """
        matrix = self._encode(X, n_jobs)
        if self.classes is None:
            return self.predict_encoded(matrix), None
        codes, probabilities = codes_and_proba(self.model, matrix, self.decision_cost, self.calibration)
        return self.classes[codes], probabilities

    @checked
    def rank(self, X: TableLike, label: object = None, n: int | None = None) -> np.ndarray:
        """Return the positions of the rows that most probably are of a class, the most probable first.

        Parameters
        ----------
        X : frame, Table or array
        label : optional
            The class; by default the last one.
        n : int, optional
            How many; by default all. Of rows with equal probabilities the first comes first.

        Examples
        --------
        >>> import vaglio
        >>> X, y = vaglio.datasets.load("play").xy("play")
        >>> model = vaglio.NaiveBayesClassifier().fit(X, y).fitted_
        >>> y[model.rank(X, "no", n=3)].tolist()
        ['no', 'no', 'no']
        """
        shares = self.predict_proba(X)
        k = -1 if label is None or self.classes is None else self.classes.tolist().index(self._known(label))
        return np.argsort(-shares[:, k], kind="stable")[:n]

    def _known(self, label: object) -> object:
        labels = [] if self.classes is None else self.classes.tolist()
        if label not in labels:
            raise InputError(
                "unknown-class",
                "There is no class {label!r}; {hint}",
                label=str(label),
                hint=did_you_mean(str(label), map(str, labels), quoted=True),
            )
        return label

    def predict_proba(self, X: TableLike, n_jobs: int | None = None) -> np.ndarray:
        """Return the probability of each class for each row, in the order of ``classes``.

        Parameters
        ----------
        X : frame, Table or array
            Rows with the columns of the model, found by name.
        n_jobs : int or None
            Threads; None is 1, -1 all that are allowed.
        """
        self._needs("predict_proba", PROBABILITIES)
        if is_out_of_core(X):
            names = () if self.classes is None else tuple(str(label) for label in self.classes.tolist())
            shares: np.ndarray = source_of_rows(X).apply(self.predict_proba, names, np.empty((0, len(names))))
            return shares
        return class_proba(self.model, self._encode(X, n_jobs), self.calibration)

    def decision_function(self, X: TableLike, n_jobs: int | None = None) -> np.ndarray:
        """Return the decision values of a model that has them (linear models, support vector machines).

        Parameters
        ----------
        X : frame, Table or array
            Rows with the columns of the model, found by name.
        n_jobs : int or None
            Threads; None is 1, -1 all that are allowed.
        """
        self._needs("decision_function", DECISION_VALUES)
        decisions: np.ndarray = self.model.decision_function(self._encode(X, n_jobs))  # type: ignore[attr-defined]
        return check_finite(decisions, DECISION_VALUES)

    # -- one row -----------------------------------------------------------------------------------------------------
    def predict_one(self, row: Any) -> Any:
        """Return the class (or number) of one row, in microseconds instead of the milliseconds that a table takes.

        Many threads may ask one model. A value that no training row has counts as missing, without a warning.

        Parameters
        ----------
        row : dict, tuple or list
            Values by the names of the columns, of which further ones are ignored; or in the order of the columns.

        Examples
        --------
        >>> import vaglio
        >>> X, y = vaglio.datasets.load("play").xy("play")
        >>> model = vaglio.C45Classifier().fit(X, y).fitted_
        >>> day = {"outlook": "sunny", "temperature": "hot", "humidity": "high", "windy": False}
        >>> model.predict_one(day), model.predict_proba_one(day), model.decide_one(day).probability
        ('no', [1.0, 0.0], 1.0)
        """
        return self._one.label_of(*self._one.answer(row))

    def predict_proba_one(self, row: Any) -> list[float]:
        """Return the probability of each class for one row, in the order of ``classes``.

        Parameters
        ----------
        row : dict, tuple or list
            As for :meth:`predict_one`.
        """
        chances = self._one.answer(row)[1]
        if chances is None or self.classes is None:
            raise NotSupportedError(
                "learner-without",
                "The learner {learner!r} does not give {quantity}.",
                learner=self.learner,
                quantity=PROBABILITIES,
            )
        return chances

    @checked
    def decide_one(self, row: Any, reasons: bool = False) -> Decision:
        """Return the class of one row with its probability and, if asked for, the reasons.

        Parameters
        ----------
        row : dict, tuple or list
            As for :meth:`predict_one`.
        reasons : bool, default=False
            Explain the decision too, which takes milliseconds.
        """
        return self._one.decision(row, reasons)

    @cached_property
    def _one(self) -> OneRow:
        from vaglio.fitted.one_row import OneRow

        return OneRow(self)

    # The compiled form is no data: a copy in another process compiles its own.
    def __getstate__(self) -> dict[str, Any]:
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}

    # -- why, and what else the model says ---------------------------------------------------------------------------
    @checked
    def explain(
        self,
        X: TableLike,
        *,
        counterfactual: bool | str | float = True,
        training: Any = None,
        fixed: Sequence[str] = (),
        changeable: Sequence[str] = (),
    ) -> Explanations:
        """Say for each row why it got its class, or its number.

        Parameters
        ----------
        X : frame, Table or array
        counterfactual : bool, str or float, default=True
            Whether to look also for the smallest change that would give the row another class. Of a model that predicts
            numbers: how far the number is to move, such as "-10%" or "+5000"; True is 10% either way.
        training : frame, Table or array, optional
            The training rows: an ensemble of trees then names those most like each row. The model itself keeps none.
        fixed : sequence of str
            Columns that cannot change: no counterfactual changes them. Ages, births, sexes and nationalities, dates
            before today and identifiers are among them by their names.
        changeable : sequence of str
            Columns that can be changed, whatever they are called.

        Returns
        -------
        Explanations
            A list with an Explanation of each row.
        """
        refuse_out_of_core(X, "An explanation")
        codebook = self.codebook
        unseen_values, cost = codebook.unseen_values(X), self.decision_cost
        context = Context(codebook.features, self.classes, codebook.spreads, unseen_values, cost, self.calibration)
        for name in (*fixed, *changeable):
            if name not in codebook.names:
                hint = did_you_mean(name, codebook.names, otherwise=text("it has"), quoted=True)
                told = {"column": name, "hint": hint}
                raise ColumnError("fixed-column-unknown", "The model has no column {column!r}: {hint}", **told)
        if both := [name for name in fixed if name in changeable]:
            raise InputError(
                "fixed-and-changeable",
                "{columns} cannot be both in {fixed} and in {changeable}. Name each column once.",
                columns=listed(both, quoted=True),
                fixed=Option("fixed"),
                changeable=Option("changeable"),
            )
        assumed = fixed_columns(codebook.features, codebook.spreads, (*fixed, *changeable))
        context = replace(context, fixed=frozenset((*fixed, *assumed)), assumed_fixed=assumed)
        if not isinstance(counterfactual, (bool, np.bool_)):
            context = replace(context, move=self._move(counterfactual))
        seen = None if training is None else codebook.encode(training)
        return explain_rows(self.model, codebook.encode(X), context, bool(counterfactual), seen)

    def _move(self, written: str | float) -> Move:
        if self.classes is not None:
            raise InputError(
                "move-of-classes",
                "This model predicts classes: {option} is True or False, not {value!r}.",
                option=Option("counterfactual"),
                value=str(written),
            )
        return Move.read(written)

    @checked
    def sample(self, n: int = 1, label: object = None, random_state: RandomState | None = None) -> Any:
        """Draw new rows from a model of how the rows of a class come about (the Bayes classifiers).

        Parameters
        ----------
        n : int, default=1
            Number of rows.
        label : object, optional
            Class to draw from; by default each row's class is drawn by the priors.
        random_state : int, RandomState or None

        Returns
        -------
        DataFrame
            Whole numbers stay whole, numbers stay within the range of the training rows, and missing values are not
            drawn.
        """
        from vaglio.fitted.new_rows import draw_rows

        return draw_rows(self, n, label, random_state)

    @checked
    def add(self, X: TableLike, y: ColumnLike, sample_weight: ColumnLike | None = None) -> Fitted:
        """Return the same model with more training rows, where the rows are the model (nearest neighbours).

        Parameters
        ----------
        X : frame, Table or array
        y : array-like of shape (n_samples,)
            Classes or numbers of the rows; a new class is added.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts, on the scale of the rows held: without weights these count 1.

        Examples
        --------
        >>> import vaglio
        >>> model = vaglio.KNeighborsClassifier(1).fit([[1.0], [9.0]], ["low", "high"]).fitted_
        >>> model.add([[40.0]], ["huge"]).predict([[30.0], [2.0]]).tolist()
        ['huge', 'low']
        """
        from vaglio.fitted.new_rows import add_rows

        return add_rows(self, X, y, sample_weight)

    def rules(self) -> Any:
        """Return the model as IF … THEN … rules."""
        self._needs("rules", text("rules"))
        rules: RuleSet = self.model.rules(self.codebook.features, self.classes)  # type: ignore[attr-defined]
        rules = replace(rules.telling_missing(self.codebook.incomplete), calibration=self.calibration)
        return rules if self.decision_cost is None else rules.with_costs(self.decision_cost)

    def coefficients(self) -> list[dict[str, Any]]:
        """Return the coefficients of a linear model in the units of the table, one row per class and column."""
        return coefficient_rows(self)

    # -- other forms -------------------------------------------------------------------------------------------------
    @checked
    def export(self, format: str) -> Any:
        """Return the model as text, or as the bytes of a file, for other people and programs.

        Parameters
        ----------
        format : {"text", "exact", "json", "sql", "python", "c", "javascript", "onnx", "pmml", "csv", "tree", "svg"}
            Trees, forests and rules have all kinds of rules; linear models their coefficients as csv and json; all of
            these and naive Bayes are written as programs, as SQL and as PMML, and most models as ONNX (bytes); a tree
            and a Bayesian network as a drawing. What a model has not is an error that says what it has.

        Examples
        --------
        >>> import vaglio
        >>> X, y = vaglio.datasets.load("play").xy("play")
        >>> model = vaglio.C45Classifier().fit(X, y).fitted_
        >>> model.export("sql").split()[0]
        'SELECT'
        """
        return export(self, format)

    @checked
    def to_sql(self, table: str = "data", probabilities: bool = False, dialect: str = "standard") -> str:
        """Return a SELECT that classifies every row of a database table.

        Parameters
        ----------
        table : str
            Name of the table; its columns bear the names of the training columns.
        probabilities : bool, default=False
            One column per class instead of the label.
        dialect : {"standard", "mysql", "sqlite", "duckdb", "postgresql"}, default="standard"
            How texts and names are quoted, how a sum takes a date, and how intermediate sums are left out: the standard
            has no way for these. "standard" and "mysql" then return only the columns the model uses.
        """
        return sql_statement(self, table, probabilities, dialect)

    @checked
    def to_c(self, name: str = "vaglio") -> str:
        """Return one C99 file that needs nothing but itself.

        Parameters
        ----------
        name : str
            What its names begin with: ``name_row``, ``name_predict``, ``name_classes``.
        """
        from vaglio.export.programs import to_c

        return to_c(source_of(self), name)

    def to_javascript(self) -> str:
        """Return one ES module with ``predict(row)`` and ``predictProbabilities(row)``; a row is an object."""
        from vaglio.export.programs import to_javascript

        return to_javascript(source_of(self))

    def to_onnx(self) -> bytes:
        """Return an ONNX file with one input per column; it needs the package onnx (``pip install vaglio[onnx]``).

        Inputs have the shape (rows, 1): numbers and dates (days since 1970) as double, NaN where they are missing;
        categories as string, of which an empty or unknown one is missing. Outputs are ``label`` and ``probabilities``,
        or ``prediction`` for numbers. Everything is computed in double precision.
        """
        from vaglio.export.onnx.model import to_onnx

        return to_onnx(source_of(self), self.has_probabilities)

    def to_pmml(self) -> str:
        """Return a PMML 4.4 document.

        Its fields bear the names of the training columns; dates are days since 1970. A missing value is missing, and a
        category that training never saw counts as missing. It gives ``prediction`` and, for a model with
        probabilities, ``p(label)`` for each class.
        """
        from vaglio.export.pmml.model import to_pmml

        return to_pmml(source_of(self), str(self.provenance.get("target") or "class"), self.has_probabilities)

    # -- changes by hand ---------------------------------------------------------------------------------------------
    @checked
    def edit(
        self,
        term: str | int,
        action: str,
        *,
        where: Any = None,
        value: float | None = None,
        direction: int | None = None,
        label: object = None,
        reason: str = "",
    ) -> Fitted:
        """Return an additive model with one term changed; the provenance keeps what was changed, before and after.

        Parameters
        ----------
        term : str or int
            Name (``"age"``, ``"age & income"``) or position of the term.
        action : {"flatten", "monotone", "remove", "set"}
            Give all values the mean score; make the scores rise or fall (isotonic regression by weight); take the term
            away; give values another score. "monotone" and "remove" of a column do the same to its pairs, so that
            nothing of it bends the prediction, or counts, any more.
        where : object, optional
            Which values are flattened or set: a category, ``"missing"``, or ``(low, high)`` of a column of numbers,
            whose intervals are changed where the range reaches into them; None at an end leaves it open.
        value : float, optional
            The new score of "set".
        direction : {1, -1}, optional
            Of "monotone"; by default the direction that changes less.
        label : object, optional
            The class whose score is changed; by default all.
        reason : str
            Why, for those who read the model later.

        Examples
        --------
        >>> import vaglio
        >>> X, y = vaglio.datasets.load("penguins").xy("species")
        >>> model = vaglio.ExplainableBoostingClassifier(interactions=0, random_state=0).fit(X, y).fitted_
        >>> fair = model.edit("year", "remove", reason="the year of the visit causes nothing")
        >>> fair.edits[0]["term"], fair.edits[0]["action"], model.model.n_terms - fair.model.n_terms
        ('year', 'remove', 1)
        """
        model, told = self._additive(text("can be edited term by term")).edited(
            self.classes, term, action, where=where, value=value, direction=direction, label=label
        )
        return self._edited(model, {**told, "reason": reason})

    @checked
    def with_intercept(self, intercept: Any, reason: str = "") -> Fitted:
        """Return an additive model whose scores start elsewhere; the provenance keeps the change.

        Parameters
        ----------
        intercept : array-like of shape (K,)
            Where each score starts.
        reason : str
            Why, for those who read the model later.
        """
        model = self._additive(text("has an intercept to set"))
        with as_own_errors():
            start = np.array(intercept, dtype=np.float64)
        if start.shape != model.intercept.shape or not np.isfinite(start).all() or np.abs(start).max() > 1e100:
            raise InputError(
                "intercept-not-valid",
                "The intercept must be {n:,} finite {n:number|numbers}, one per score.",
                n=len(model.intercept),
            )
        told = {"term": "(start)", "action": "set", "before": [model.intercept.tolist()], "after": [start.tolist()]}
        return self._edited(replace(model, intercept=start), {**told, "reason": reason})

    def _edited(self, model: Any, edit: dict[str, Any]) -> Fitted:
        """Return a copy with a changed model: the errors that were measured are not those of this one."""
        provenance = self._without("residuals", "predicted")
        return replace(self, model=model, provenance={**provenance, "edits": [*self.edits, edit]})

    def _additive(self, what: str) -> Any:
        if not hasattr(self.model, "edited"):
            raise NotSupportedError(
                "not-an-additive-model",
                "Only an additive model {ability}; this is a model of {learner!r}.",
                ability=what,
                learner=self.learner,
            )
        return self.model

    @property
    def edits(self) -> list[dict[str, Any]]:
        """What was changed in the model by hand, the first change first."""
        found = self.provenance.get("edits")
        return [edit for edit in found if isinstance(edit, dict)] if isinstance(found, list) else []

    def edits_in_words(self) -> list[Message]:
        """Return one line per change: the term, what was done, the scores before and after, and the reason.

        Examples
        --------
        >>> import vaglio
        >>> X, y = vaglio.datasets.load("play").xy("play")
        >>> model = vaglio.ExplainableBoostingClassifier(interactions=0, random_state=0).fit(X, y).fitted_
        >>> model.edit("windy", "remove", reason="the hall has a roof").edits_in_words()
        ['windy: remove (the hall has a roof)']
        """
        from vaglio.fitted.show import edit_in_words

        dates = {feature.name for feature in self.codebook.features if feature.is_date}
        return [edit_in_words(edit, str(edit.get("term")) in dates) for edit in self.edits]

    def terms(self) -> list[dict[str, Any]]:
        """Return the terms of an additive model, the most important first: name, and how far it moves a score.

        Examples
        --------
        >>> import vaglio
        >>> X, y = vaglio.datasets.load("penguins").xy("species")
        >>> model = vaglio.ExplainableBoostingClassifier(interactions=0, random_state=0).fit(X, y).fitted_
        >>> model.terms()[0]["term"]
        'bill_length_mm'
        """
        model = self._additive(text("has terms"))
        moved = model.importances()
        order = np.argsort(-moved, kind="stable").tolist()
        return [{"term": model.name_of(t), "importance": float(moved[t])} for t in order]

    # -- costs -------------------------------------------------------------------------------------------------------
    @property
    def decision_cost(self) -> CostMatrix | None:
        """The costs the model decides by; None where it decides by itself."""
        return self.cost if self.decide == "cost" else None

    @property
    def error_cost(self) -> CostMatrix | None:
        """What errors cost; None where no costs were given, be there a threshold or not."""
        return None if self.cost is None or self.cost.limit is not None else self.cost

    @property
    def threshold(self) -> tuple[Any, float] | None:
        """The class that is predicted from a threshold, and the threshold; None where there is none."""
        return None if self.decision_cost is None else self.decision_cost.limit

    @checked
    def with_threshold(self, threshold: float, pos_label: object = None) -> Fitted:
        """Return the same model predicting one of two classes from this probability; it takes the place of costs.

        Parameters
        ----------
        threshold : float
        pos_label : optional
            The class; by default the second.

        Examples
        --------
        >>> import vaglio
        >>> X, y = vaglio.datasets.load("play").xy("play")
        >>> model = vaglio.NaiveBayesClassifier().fit(X, y).fitted_
        >>> [model.with_threshold(t, "no").predict(X).tolist().count("no") for t in (0.2, 0.5, 0.8)]
        [10, 4, 1]
        """
        if self.classes is None or not self.has_probabilities:
            raise NotSupportedError(
                "learner-without",
                "The learner {learner!r} does not give {quantity}.",
                learner=self.learner,
                quantity=PROBABILITIES,
            )
        labels = self.classes.tolist()
        positive = labels[-1] if pos_label is None else self._known(pos_label)
        return replace(self, cost=CostMatrix.of_threshold(threshold, positive, labels=labels), decide="cost")

    @checked
    def with_cost(self, cost: CostLike) -> Fitted:
        """Return the same model deciding for the class of least expected cost.

        Parameters
        ----------
        cost : CostMatrix, k×k array in the order of ``classes``, dict of (true, predicted) pairs, or CSV path

        Examples
        --------
        >>> import vaglio
        >>> X, y = vaglio.datasets.load("play").xy("play")
        >>> model = vaglio.NaiveBayesClassifier().fit(X, y).fitted_
        >>> careful = model.with_cost({("no", "yes"): 3, ("yes", "no"): 1})
        >>> model.predict(X).tolist().count("no"), careful.predict(X).tolist().count("no")
        (4, 7)
        """
        if self.classes is None:
            raise InputError(
                "costs-for-regression", "Costs apply to models that predict classes; this model predicts numbers."
            )
        if not self.has_probabilities:
            raise NotSupportedError(
                "learner-without-expected-cost",
                "Deciding by expected cost needs probabilities, which the learner {learner!r} does not give. Train it "
                "with the costs: they become weights of the training rows.",
                learner=self.learner,
            )
        if self.calibration is None and "calibrate" in usual_settings(self.learner):
            warnings.warn(
                VaglioWarning(
                    "costs-without-calibration",
                    "The learner {learner!r} is surer than it is right, so deciding by its expected costs pays too "
                    "much. Train it with {option}.",
                    learner=self.learner,
                    option=Option("calibrate='temperature'", flag="--set calibrate=temperature"),
                ),
                stacklevel=2,
            )
        return replace(self, cost=CostMatrix.from_any(cost, labels=self.classes.tolist()), decide="cost")

    @checked
    def with_decision_rule(self, by: str) -> Fitted:
        """Return the same model deciding by its costs ("cost") or without them ("argmax").

        Parameters
        ----------
        by : {"cost", "argmax"}
        """
        if by not in ("cost", "argmax"):
            raise InputError(
                "unknown-decision-rule", "A model decides by 'cost' or by 'argmax', not by {rule!r}.", rule=by
            )
        if by == "argmax" or self.decide == "cost":
            return replace(self, decide=by)
        if self.cost is None:
            raise InputError("model-without-costs", "This model has no costs to decide by. Call with_cost first.")
        return self.with_cost(self.cost)

    # -- facts -------------------------------------------------------------------------------------------------------
    @property
    def has_probabilities(self) -> bool:
        """Whether the model gives class probabilities."""
        if self.classes is None or not callable(getattr(self.model, "predict_proba", None)):
            return False
        # A perceptron is a linear model without them, and a support vector machine has them only after calibration.
        return bool(getattr(self.model, "probabilistic", True))

    @property
    def task(self) -> Task:
        """Whether the model predicts classes ("classification") or numbers ("regression")."""
        return "regression" if self.classes is None else "classification"

    @property
    def target(self) -> str | None:
        """The column whose value the model predicts, if that is known."""
        target = self.provenance.get("target")
        return target if isinstance(target, str) else None

    @property
    def cell_formats(self) -> dict[str, CellFormat]:
        """How the cells of each column are read, as ``like`` of :func:`vaglio.read` takes it."""
        # Files of the first version name their dates beside the codebook.
        dates = self.provenance.get("dates")
        named = [name for name in dates if isinstance(name, str)] if isinstance(dates, list) else []
        return {**self.codebook.cell_formats, **dict.fromkeys(named, CellFormat("date"))}

    @property
    def target_format(self) -> CellFormat:
        """How the cells of the target are read, in a table on which the model is evaluated."""
        told = CellFormat.from_state(self.provenance.get("target_format", {}), str(self.target))
        if self.classes is None:
            return told
        return replace(told, kind="nominal").with_categories(self.classes.tolist())

    @property
    def training_shape(self) -> tuple[int, int] | None:
        """Rows and columns the model was trained on, if that is known."""
        training = self.provenance.get("training")
        rows, columns = (training.get(what) for what in ("rows", "columns")) if isinstance(training, dict) else (0, 0)
        return (rows, columns) if type(rows) is int and type(columns) is int and rows and columns else None

    @property
    def ignored_columns(self) -> list[str]:
        """Nominal columns of many values that the model leaves out, for they tell no more than chance would."""
        found = self.provenance.get("reliability")
        return [str(name) for name, r in found.items() if r == 0] if isinstance(found, dict) else []

    @property
    def digest(self) -> str:
        """A fingerprint of the model itself: equal for the same columns, parameters and learned numbers.

        How and by which version it was trained does not count.
        """
        from vaglio.fitted.file import to_bytes

        return hashlib.sha256(to_bytes(replace(self, provenance={}), version="")).hexdigest()

    @checked
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file. It holds data only: reading it runs no code.

        Parameters
        ----------
        path : path-like
        """
        from vaglio.fitted.file import save

        save(self, path)

    def with_provenance(self, **facts: Any) -> Fitted:
        """Return a copy whose provenance also says these things.

        Parameters
        ----------
        **facts : object
            Plain data, by name.
        """
        return replace(self, provenance={**self.provenance, **facts})

    def with_target(self, table: Table | ScannedTable, name: str | None = None) -> Fitted:
        """Return a copy that knows which column it predicts, and how the cells of that column are written.

        Parameters
        ----------
        table : Table or ScannedTable
            The training table.
        name : str, optional
            The column; by default the target of the table.
        """
        name = name or getattr(table, "target", None)
        if name is None:
            raise InputError("target-not-named", "The table has no target. Name the column that the model predicts.")
        from vaglio.table import Table

        formats = table.cell_formats
        if self.classes is None and isinstance(table, Table):
            formats[name] = CellFormat.of_numbers(table.column(name))
        told = formats[name].to_state() if name in formats else {}
        return self.with_provenance(target=name, **({"target_format": told} if told else {}))

    def __repr__(self) -> str:
        from vaglio.fitted.show import to_text

        return to_text(self)

    def _repr_html_(self) -> str:
        from vaglio.fitted.show import to_html

        return to_html(self)

    def _encode(self, X: TableLike, n_jobs: int | None = None) -> EncodedMatrix:
        matrix = self.codebook.encode(X)
        matrix.threads = resolve_threads(n_jobs)
        return matrix

    def _needs(self, method: str, what: str) -> None:
        numbers = self.classes is None and method != "rules"
        if numbers or not callable(getattr(self.model, method, None)):
            raise NotSupportedError(
                "learner-without",
                "The learner {learner!r} does not give {quantity}.",
                learner=self.learner,
                quantity=what,
            )

"""The whole flow in one object: audit the table, choose a model, evaluate it, keep it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.evaluation import Comparison, CostMatrix, Evaluation, Selection, compare, select
from vaglio.explanation import Explanation
from vaglio.messages.listing import bullet_html, plain_data
from vaglio.quality import Audit, Policy, audit
from vaglio.runtime.progress import ProgressOption
from vaglio.table import Table, as_table
from vaglio.typing import TableLike

__all__ = ["Study"]


@dataclass(eq=False)
class Study:
    """A table, the class to predict, and the results: audit, selection, evaluation and model.

    ``run`` computes everything; the report and the command line show it.

    Parameters
    ----------
    table : Table, path, or anything :meth:`Table.from_any` takes
    target : str or int, optional
        The class column; by default the one with the role "target".
    learners : ids, estimators, or a mapping of names to either
        By default every learner.
    strategy : {"zero", "quick", "standard", "validation", "cross-validation"}
        How the model is chosen and evaluated.
    cost : CostMatrix, k×k array, dict of (true, predicted) pairs, CSV path, or a cost for each row, optional
        Costs of errors; the chosen model carries a matrix of them and decides by it.
    seed : int
        Same seed, same study.
    clean : Policy, optional
        How to clean the table after the audit; by default it is not changed.
    selection_options : dict
        Further arguments of :func:`vaglio.select`: folds, search, n_iter, time_budget, n_jobs, …

    Attributes
    ----------
    audit, selection, evaluation, fitted
        Available after ``run``; ``fitted`` is the trained model, if the learner is one of vaglio.

    Examples
    --------
    >>> import vaglio
    >>> study = vaglio.Study(vaglio.datasets.load("play"), "play", learners=["naive-bayes", "c45"], strategy="quick")
    >>> study.run().selection.strategy.reliability
    'better'
    """

    table: Any
    target: str | int | None = None
    learners: Any = None
    strategy: str = "cross-validation"
    cost: Any = None
    seed: int = 0
    clean: Policy | None = None
    selection_options: dict[str, Any] = field(default_factory=dict)
    _audit: Audit | None = field(default=None, init=False, repr=False)
    _selection: Selection | None = field(default=None, init=False, repr=False)
    _log: tuple[str, ...] = field(default=(), init=False, repr=False)
    _cleaned: Table | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self.table = as_table(self.table)
        if self.target is None and self.table.target is None:
            raise InputError(
                "name-target-class-column",
                "Name the target, the class column; there are {columns}.",
                columns=", ".join(self.table.columns),
            )
        self.target = self.table.resolve(self.table.target if self.target is None else self.target)

    @classmethod
    def of_results(cls, table: Any, target: str, found: Audit, selection: Selection) -> Study:
        """Make a study of an audit and a selection that were made elsewhere; it counts as run.

        Parameters
        ----------
        table : Table
        target : str
        found : Audit
        selection : Selection
        """
        study = cls(table, target, seed=selection.seed)
        study._audit, study._selection = found, selection
        return study

    def run(self, *, progress: ProgressOption = None) -> Study:
        """Audit, clean if asked, select, evaluate."""
        self._audit = audit(self.table, self.target, seed=self.seed)
        self._log, self._cleaned = (), None
        if self.clean is not None:
            if self.cost is not None and np.ndim(self.cost) == 1 and not isinstance(self.cost, (str, dict)):
                raise InputError(
                    "costs-row-do-fit", "Costs by row do not fit a table that loses rows by cleaning: clean it first."
                )
            self._cleaned, self._log = self._audit.clean(self.clean)
        self._selection = select(
            self.learning_table,
            self.target,
            learners=self.learners,
            strategy=self.strategy,
            cost=self.cost,
            seed=self.seed,
            progress=progress,
            **self.selection_options,
        )
        return self

    @property
    def learning_table(self) -> Table:
        """The table the models are trained on: as given, or cleaned."""
        table: Table = self.table if self._cleaned is None else self._cleaned
        return table

    @property
    def done(self) -> bool:
        """Whether ``run`` has been called."""
        return self._selection is not None

    @property
    def audit(self) -> Audit:
        """The findings about the table."""
        if self._audit is None:
            raise InputError("study-has-audit-yet", "The study has no audit yet: call run() first.")
        return self._audit

    @property
    def cleaning_log(self) -> tuple[str, ...]:
        """What was changed by cleaning."""
        return self._log

    @property
    def selection(self) -> Selection:
        """The learners that were tried and the chosen one."""
        if self._selection is None:
            raise InputError("study-has-selection-yet", "The study has no selection yet: call run() first.")
        return self._selection

    @property
    def evaluation(self) -> Evaluation:
        """The evaluation of the chosen model on the test rows."""
        return self.selection.evaluation

    @property
    def fitted(self) -> Any:
        """The chosen model, ready to predict, explain and save."""
        model = self.selection.fitted
        return model.noting(target=str(self.target), audit=[finding.message for finding in self.audit][:20])

    @property
    def cost_matrix(self) -> CostMatrix | None:
        """The costs, if a matrix of them was given."""
        return self.selection.cost

    def predict(self, X: TableLike) -> np.ndarray:
        """Predict the classes of new rows by the chosen model; with costs, those of least expected cost.

        Parameters
        ----------
        X : table or array
        """
        model = self.selection.best_estimator
        if not hasattr(model, "fitted_"):
            return np.asarray(model.predict(X))
        # A Fitted finds its columns by name, so X may also have the class and other columns.
        return np.asarray(self.fitted.predict(X))

    def explain(self, X: TableLike) -> list[Explanation]:
        """Explain the predictions of the chosen model for new rows.

        Parameters
        ----------
        X : table or array
        """
        explanations: list[Explanation] = self.fitted.explain(X)
        return explanations

    @cached_property
    def comparison(self) -> Comparison:
        """The comparison of the learners; computed on first use."""
        return compare(self.learning_table, self.target, learners=self.learners, seed=self.seed, progress=False)

    def summary(self) -> list[str]:
        """The study in a few sentences."""
        n, p = self.table.shape
        e = self.evaluation
        lines = [f"{n} rows, {p} columns, class {self.target} with {len(e.labels)} values."]
        lines += [finding.message + "." for finding in self.audit if finding.severity == "high"]
        lines += list(self.cleaning_log)
        lines.append(self.selection.headline() + ".")
        lines += self.selection.notes()
        lines += list(e.advice)
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        data: dict[str, Any] = plain_data(
            {
                "target": self.target,
                "seed": self.seed,
                "summary": self.summary(),
                "audit": self.audit.to_dict(),
                "cleaning": self.cleaning_log,
                "selection": self.selection.to_dict(),
            }
        )
        return data

    def __repr__(self) -> str:
        if self._selection is None:
            n, p = self.table.shape
            return f"Study of {self.target} in {n} rows and {p} columns, strategy {self.strategy}: not run yet"
        return "\n".join(f"- {line}" for line in self.summary())

    def _repr_html_(self) -> str:
        if self._selection is None:
            return bullet_html([repr(self)])
        return bullet_html(self.summary()) + self.audit._repr_html_() + self.selection.tables_html()

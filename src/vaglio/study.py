"""The whole flow in one object: audit the table, choose a model, evaluate it, keep it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from vaglio.engines.mapped_table import table_of
from vaglio.engines.sources import joined
from vaglio.errors import InputError, NotSupportedError
from vaglio.evaluation import Comparison, CostMatrix, Selection, compare, select
from vaglio.evaluation.alarms import Alarm, leak_alarm
from vaglio.evaluation.rows import Rows
from vaglio.evaluation.selection.candidates import task_asked
from vaglio.explanation import Explanations
from vaglio.messages.listing import bullet_html, plain_data
from vaglio.messages.locale import Locale, locale_of
from vaglio.messages.message import Message, text
from vaglio.messages.sentences import listed
from vaglio.quality import Audit, Policy, audit
from vaglio.runtime.arguments import checked
from vaglio.runtime.progress import ProgressOption
from vaglio.table import Table, as_table
from vaglio.typing import ColumnLike, TableLike

__all__ = ["Study"]


@checked
@dataclass(eq=False)
class Study:
    """A table, the class or number to predict, and the results: audit, selection, evaluation and model.

    ``run`` computes everything; the report and the command line show it.

    Parameters
    ----------
    table : Table, path, or anything :meth:`Table.from_any` takes; ScannedTable or Dask frame
        Rows out of core stay there: the models learn from them in passes, and what looks at columns (the audit, the
        report) reads them from temporary files, as :func:`vaglio.audit` does.
    target : str, int or labels, optional
        The target column, or the class or number of each row; by default the column with the role "target".
    learners : ids, estimators, or a mapping of names to either
        By default every learner of the task.
    strategy : {"zero", "quick", "standard", "validation", "cross-validation"}
        How the model is chosen and evaluated.
    cost : CostMatrix, k×k array, dict of (true, predicted) pairs, CSV path, or a cost for each row, optional
        Costs of errors; the chosen model carries a matrix of them and decides by it. For numbers what a unit of error
        costs, as ``{"over": 1, "under": 3}``.
    seed : int
        Same seed, same study.
    clean : Policy, optional
        How to clean the table after the audit; by default it is not changed.
    selection_options : dict
        Further arguments of :func:`vaglio.select`: folds, search, n_iter, time_budget, n_jobs, …
    task : {"auto", "classification", "regression"}
        Whether classes or numbers are predicted; by default the target decides.

    Attributes
    ----------
    audit, selection, evaluation, fitted
        Available after ``run``; ``fitted`` is the trained model, if the learner is one of vaglio.

    Examples
    --------
    >>> import vaglio
    >>> study = vaglio.Study(vaglio.datasets.load("play"), "play", learners=["naive-bayes", "c45"], strategy="quick")
    >>> study.run().selection.strategy.reliability
    'fair'
    """

    table: Any
    target: str | int | ColumnLike | None = None
    learners: Any = None
    strategy: str = "cross-validation"
    cost: Any = None
    seed: int = 0
    clean: Policy | None = None
    selection_options: dict[str, Any] = field(default_factory=dict)
    task: str = "auto"
    _audit: Audit | None = field(default=None, init=False, repr=False)
    _selection: Selection | None = field(default=None, init=False, repr=False)
    _log: tuple[str, ...] = field(default=(), init=False, repr=False)
    _cleaned: Table | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        given, self.target = joined(self.table, self.target)
        mapped = table_of(given)
        self.table = as_table(mapped)
        if self.target is None and self.table.target is None:
            raise InputError(
                "no-target-in-table",
                "Name the target column; there are {columns}.",
                columns=listed(self.table.columns, quoted=True),
            )
        self.target = self.table.resolve(self.table.target if self.target is None else self.target)
        # Rows out of core are learned from where they are; the table beside them is for those who look at columns.
        self._given = self.table if mapped is given else given

    @classmethod
    def of_results(cls, table: Table, target: str, found: Audit, selection: Selection) -> Study:
        """Make a study of an audit and a selection that were made elsewhere; it counts as run.

        Parameters
        ----------
        table : Table
        target : str
        found : Audit
        selection : Selection
        """
        study = cls(table, target, seed=selection.seed, task=selection.task)
        study._audit, study._selection = found, selection
        return study

    @checked
    def run(self, *, progress: ProgressOption = None) -> Study:
        """Audit, clean if asked, select, evaluate. Ctrl-C ends it without a result."""
        self._log, self._cleaned = (), None
        self._audit = audit(self.table, self.target, seed=self.seed, task=self.rows.task)
        if self.clean is not None:
            if self._given is not self.table:
                raise NotSupportedError(
                    "study-out-of-core-clean",
                    "A table out of core is not cleaned: clean a sample of it, or give the study a table in memory.",
                )
            if np.ndim(self.cost) == 1:  # neither None, nor text, nor a mapping
                raise InputError(
                    "row-costs-and-cleaning",
                    "Costs by row do not fit a table that loses rows by cleaning. Clean the table first.",
                )
            self._cleaned, self._log = self._audit.clean(self.clean)
        selection = select(
            self.rows,
            self.target,
            learners=self.learners,
            strategy=self.strategy,
            cost=self.cost,
            seed=self.seed,
            progress=progress,
            **self.selection_options,
        )
        if selection.interrupted:  # a page about the best of a few trials would pass for the whole study
            raise KeyboardInterrupt
        self._selection = selection
        return self

    @property
    def rows(self) -> Rows:
        """The rows the models are trained on, wherever they are: as given, or cleaned."""
        asked, able = task_asked(self.task, self.learners)
        return Rows.of(self._given if self._cleaned is None else self._cleaned, self.target, task=asked, able=able)

    @property
    def learning_table(self) -> Table:
        """The table the models are trained on, to look at its columns: as given, or cleaned."""
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
            raise InputError("study-not-run", "The study has not been run. Call run() first.")
        return self._audit

    @property
    def cleaning_log(self) -> tuple[str, ...]:
        """What was changed by cleaning."""
        return self._log

    @property
    def selection(self) -> Selection:
        """The learners that were tried and the chosen one."""
        if self._selection is None:
            raise InputError("study-not-run", "The study has not been run. Call run() first.")
        return self._selection

    @property
    def evaluation(self) -> Any:
        """The evaluation of the chosen model on the test rows."""
        return self.selection.evaluation

    @property
    def fitted(self) -> Any:
        """The chosen model, ready to predict, explain and save."""
        model = self.selection.fitted.with_target(self.learning_table, str(self.target))
        return model.with_provenance(audit=[finding.message for finding in self.audit][:20])

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """What makes the figures misleading, and what mends it: columns that give the class away come first."""
        leaks = [leak_alarm(f.columns[0], f.message) for f in self.audit.of_kind("leakage") if f.severity == "high"]
        return (*leaks, *self.selection.alarms)

    @property
    def cost_matrix(self) -> CostMatrix | None:
        """The costs, if a matrix of them was given."""
        cost = self.selection.cost
        return cost if isinstance(cost, CostMatrix) else None

    @checked
    def predict(self, X: TableLike) -> np.ndarray:
        """Predict the classes (or numbers) of new rows by the chosen model; with costs, those of least expected cost.

        Parameters
        ----------
        X : table or array
        """
        model = self.selection.best_estimator
        if not hasattr(model, "fitted_"):
            return np.asarray(model.predict(X))
        # A Fitted finds its columns by name, so X may also have the class and other columns.
        return np.asarray(self.fitted.predict(X))

    @checked
    def explain(self, X: TableLike, *, fixed: Sequence[str] = (), changeable: Sequence[str] = ()) -> Explanations:
        """Explain the predictions of the chosen model for new rows.

        Parameters
        ----------
        X : table or array
        fixed, changeable : sequence of str
            As in :meth:`vaglio.fitted.Fitted.explain`.
        """
        explanations: Explanations = self.fitted.explain(X, fixed=fixed, changeable=changeable)
        return explanations

    @cached_property
    def comparison(self) -> Comparison:
        """The comparison of the learners; computed on first use."""
        return compare(self.rows, self.target, learners=self.learners, seed=self.seed, progress=False)

    def summary(self) -> list[str]:
        """Return the study in a few sentences."""
        n, p = self.table.shape
        e = self.evaluation
        told = {"rows": n, "columns": p, "target": str(self.target)}
        lines: list[str] = [alarm.in_words() for alarm in self.alarms]
        lines += [
            text("{rows:,} rows, {columns:,} columns, target {target}, a number.", **told)
            if e.task == "regression"
            else text(
                "{rows:,} rows, {columns:,} columns, target {target} with {classes:,} classes.",
                **told,
                classes=len(e.labels),
            )
        ]
        others = (finding for finding in self.audit if finding.kind != "leakage")
        lines += [finding.message for finding in others if finding.severity == "high"]
        lines += list(self.cleaning_log)
        lines.append(self.selection.headline())
        lines += self.selection.notes()
        lines += list(e.advice)
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data, ready for JSON."""
        data: dict[str, Any] = plain_data(
            {
                "alarms": [alarm.to_dict() for alarm in self.alarms],
                "target": self.target,
                "seed": self.seed,
                "summary": self.summary(),
                "audit": self.audit.to_dict(),
                "cleaning": self.cleaning_log,
                "selection": self.selection.to_dict(),
            }
        )
        return data

    @checked
    def to_text(self, *, lang: str | Locale = "en") -> str:
        """Return the study in a few sentences, one on a line.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        locale = locale_of(lang)
        if self._selection is None:
            return locale.text(self._not_run())
        return "\n".join(f"- {locale.text(line)}" for line in self.summary())

    def _not_run(self) -> Message:
        n, p = self.table.shape
        return text(
            "Study of {target} in {rows:,} rows and {columns:,} columns, strategy {strategy}: not run yet",
            target=str(self.target),
            rows=n,
            columns=p,
            strategy=self.strategy,
        )

    def __repr__(self) -> str:
        return self.to_text()

    @checked
    def to_html(self, *, lang: str | Locale = "en") -> str:
        """Return the study as a fragment of HTML: sentences, findings and tables.

        Parameters
        ----------
        lang : str or Locale, default="en"
            The language.
        """
        locale = locale_of(lang)
        if self._selection is None:
            return bullet_html([self._not_run()], locale=locale)
        told = bullet_html(self.summary(), locale=locale)
        return told + self.audit.to_html(lang=locale) + self.selection.tables_html(lang=locale)

    def _repr_html_(self) -> str:
        return self.to_html()

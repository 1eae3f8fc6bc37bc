"""The rounds of an imputation by forests: every missing value at the start and after each round."""

from __future__ import annotations

from typing import Any

import pandas as pd

from vaglio.document.document import Page, Trace
from vaglio.document.notation import Notation
from vaglio.errors import InputError
from vaglio.learners.forest.estimators.forest_imputer import ForestImputer
from vaglio.table import Table
from vaglio.typing import ColumnLike, TableLike

__all__ = ["trace_imputation"]

# Missing values that are listed.
_MOST_VALUES = 60


def trace_imputation(
    X: TableLike, y: ColumnLike, *, n_estimators: int = 100, max_iter: int = 10, seed: int = 0, lang: str = "en"
) -> Trace:
    """Fill the missing values of a table by the similarity of a forest, round by round.

    Parameters
    ----------
    X : table or frame
    y : array-like
        The class of each row.
    n_estimators : int, default=100
        Trees of the forest of each round.
    max_iter : int, default=10
        Largest number of rounds.
    seed : int, default=0
        Seed of the forests.
    lang : str, default="en"
        The language: "en" or "it".

    Returns
    -------
    Trace

    Examples
    --------
    >>> import vaglio
    >>> from vaglio.tracing import trace_imputation
    >>> X, y = vaglio.datasets.load("penguins").xy("species")
    >>> work = trace_imputation(X, y, n_estimators=20)
    >>> work.facts["missing"], len(work.facts["values"][0]["after"]) == work.facts["rounds"]
    (19, True)
    """
    table = Table.from_any(X)
    given = table.to_frame()
    missing = [(i, str(name)) for name in given.columns for i in given.index[given[name].isna()]]
    if not missing:
        raise InputError("nothing-to-impute", "The table has no missing value to fill.")
    imputer = ForestImputer(n_estimators, max_iter=max_iter, random_state=seed).fit(table, y)
    stages = [_as_frame(stage, given) for stage in imputer.staged_transform(table)]
    page = Page(Notation(lang))
    say = page.say
    page.section(say("The start"))
    page.text(
        say(
            "{n:,} {n:value is|values are} missing. A number starts at the mean of its column, a category at the most "
            "frequent one.",
            n=len(missing),
        )
    )
    page.section(say("The rounds"))
    page.text(
        say(
            "Each round grows a forest of {trees} trees on the filled rows. The similarity of two rows is the share of "
            "trees in which they end in the same leaf. A missing number becomes the mean of the rows that have it, a "
            "category the most frequent one, weighted by similarity.",
            trees=n_estimators,
        )
    )
    values = [
        {"row": int(i) + 1, "column": name, "start": stages[0][name][i], "after": [s[name][i] for s in stages[1:]]}
        for i, name in missing
    ]
    lines = [
        [str(line["row"]), line["column"], *(_written(say, value) for value in (line["start"], *line["after"]))]
        for line in values
    ]
    rounds = range(1, len(stages))
    page.table(
        [say("row"), say("column"), say("start"), *(say("round {n}", n=n) for n in rounds)], lines, most=_MOST_VALUES
    )
    page.table(
        [say("round"), say("change")], [[str(n), say.fixed(change)] for n, change in zip(rounds, imputer.history_)]
    )
    page.text(
        say("The change is below the tolerance after {n:,} {n:round|rounds}.", n=imputer.n_iter_)
        if imputer.converged_
        else say("After {n:,} {n:round|rounds} the values still change.", n=imputer.n_iter_)
    )
    page.facts |= {"missing": len(missing), "rounds": imputer.n_iter_, "values": values, "changes": imputer.history_}
    return page.finish(say("Imputation by forests, round by round"))


def _as_frame(stage: Any, given: pd.DataFrame) -> pd.DataFrame:
    frame = stage if isinstance(stage, pd.DataFrame) else pd.DataFrame(stage)
    return frame.set_axis(list(given.columns), axis=1).set_axis(given.index, axis=0)


def _written(say: Notation, value: Any) -> str:
    return say.fixed(float(value)) if isinstance(value, (int, float)) and value == value else str(value)

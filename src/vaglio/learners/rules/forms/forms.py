"""The forms in which rules are written for other people and programs, and read back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vaglio.encode import Feature
    from vaglio.learners.rules.model.ruleset import RuleSet

__all__ = ["RuleForms"]


class RuleForms:
    """What a :class:`~vaglio.RuleSet` can be written as."""

    @property
    def _ruleset(self) -> RuleSet:
        return self  # type: ignore[return-value] # only RuleSet inherits from this class

    def to_text(self) -> str:
        """Return the rules as text with every digit; :meth:`parse` reads it back."""
        from vaglio.learners.rules.forms.rule_text import ruleset_text

        return ruleset_text(self._ruleset, header=True)

    @classmethod
    def parse(cls, text: str, features: Sequence[Feature] | None = None, classes: Any = None) -> RuleSet:
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
        from vaglio.learners.rules.forms.display import rules_frame

        return rules_frame(self._ruleset)

    def to_json(self, indent: int | None = None) -> str:
        """Return the rules as JSON; :meth:`from_json` reads it back.

        Parameters
        ----------
        indent : int, optional
            Spaces per level; without it everything stands in one line.
        """
        from vaglio.learners.rules.forms.plain import rules_json

        return rules_json(self._ruleset, indent)

    @classmethod
    def from_json(cls, text: str) -> RuleSet:
        """Read what :meth:`to_json` wrote.

        Parameters
        ----------
        text : str
        """
        from vaglio.learners.rules.forms.plain import read_json

        return read_json(text)

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
        from vaglio.export.sql import in_dialect
        from vaglio.learners.rules.forms.sql import rules_sql

        return in_dialect(rules_sql(self._ruleset, table, probabilities), dialect)

    def to_python(self, name: str = "classify") -> str:
        """Return the source of a Python function that needs nothing but itself.

        ``classify(row)`` takes a mapping from column to value (None or NaN is missing) and returns the label;
        ``classify(row, probabilities=True)`` a dict from label to probability.

        Parameters
        ----------
        name : str
            Of the function.
        """
        from vaglio.learners.rules.forms.python import rules_python

        return rules_python(self._ruleset, name)

    def _repr_html_(self) -> str:
        from vaglio.learners.rules.forms.display import rules_html

        return rules_html(self._ruleset)

"""The forms in which a fitted model leaves for other people and systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vaglio.fitted.formats import export, onnx_file, pmml_document, source_of, sql_statement

if TYPE_CHECKING:
    from vaglio.fitted._fitted import Fitted


class OtherForms:
    """What a model can be written as; only :class:`~vaglio.fitted.Fitted` inherits from this class."""

    @property
    def _whole(self) -> Fitted:
        return self  # type: ignore[return-value]

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
        return export(self._whole, format)

    def to_sql(self, table: str = "data", probabilities: bool = False, dialect: str = "standard") -> str:
        """Return a SELECT that classifies every row of a database table.

        Parameters
        ----------
        table : str
            Name of the table; its columns bear the names of the training columns.
        probabilities : bool, default=False
            One column per class instead of the label.
        dialect : {"standard", "mysql", "sqlite", "duckdb", "postgresql"}, default="standard"
            How texts and names are quoted, and how a sum takes a date: the standard has no way for that.
        """
        return sql_statement(self._whole, table, probabilities, dialect)

    def to_c(self, name: str = "vaglio") -> str:
        """Return one C99 file that needs nothing but itself.

        Parameters
        ----------
        name : str
            What its names begin with: ``name_row``, ``name_predict``, ``name_classes``.
        """
        from vaglio.export.programs import to_c

        return to_c(source_of(self._whole), name)

    def to_javascript(self) -> str:
        """Return one ES module with ``predict(row)`` and ``predictProbabilities(row)``; a row is an object."""
        from vaglio.export.programs import to_javascript

        return to_javascript(source_of(self._whole))

    def to_onnx(self) -> bytes:
        """Return an ONNX file with one input per column; it needs the package onnx (``pip install vaglio[onnx]``).

        Inputs have the shape (rows, 1): numbers and dates (days since 1970) as double, NaN where they are missing;
        categories as string, of which an empty or unknown one is missing. Outputs are ``label`` and ``probabilities``,
        or ``prediction`` for numbers. Everything is computed in double precision.
        """
        return onnx_file(self._whole)

    def to_pmml(self) -> str:
        """Return a PMML 4.4 document.

        Its fields bear the names of the training columns; dates are days since 1970. A missing value is missing, and a
        category that training never saw counts as missing. It gives ``prediction`` and, for a model with
        probabilities, ``p(label)`` for each class.
        """
        return pmml_document(self._whole)

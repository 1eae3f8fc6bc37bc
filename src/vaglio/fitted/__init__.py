"""A trained model ready for use: what an estimator keeps, what a file holds, what evaluation and reports take."""

from vaglio.fitted._file import load
from vaglio.fitted._fitted import Fitted
from vaglio.fitted.formats import FORMATS, export_formats, exporters

__all__ = ["FORMATS", "Fitted", "export_formats", "exporters", "load"]

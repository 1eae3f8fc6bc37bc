"""The arguments of public functions, checked against their annotations: a wrong type is one sentence, never a crash.

An annotation says what a parameter takes, for type checkers and for readers; :func:`checked` holds callers to it at run
time. What a value must be beyond its type (a range, one of several words, as many rows as X) is the function's own.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral, Real
from typing import Any, TypeVar, cast

from vaglio.errors import ArgumentError
from vaglio.messages.message import Message, text
from vaglio.messages.sentences import clip, did_you_mean, listed

__all__ = ["checked", "refuse_unknown"]

Function = TypeVar("Function", bound=Callable[..., Any])
# A test of a value, and what passes it as a noun.
Alternative = tuple[Callable[[Any], bool], Message]
# Name -> the default, and what the value may be; of a type that is not listed here, nothing is checked.
Parameters = dict[str, tuple[Any, tuple[Alternative, ...]]]

# Integers beyond this fit no array and no counter.
_BEYOND = 2**63
# Types whose values are shown as Python writes them.
_SHOWN = (str, bytes, bool, int, float, complex)
# Sequences of which each item is looked at, and mappings of which each key is.
_ITEMS = {
    "Sequence[str]": "Names",
    "Sequence[str | int]": "Places",
    "Sequence[float]": "Numbers",
    "Sequence[Feature]": "Features",
    "Mapping[str, Any]": "Options",
}
_BRACKETS = re.compile(r"\[[^\[\]]*\]")


def checked(function: Function) -> Function:
    """Make a function refuse arguments of types that its annotations do not name.

    Parameters
    ----------
    function : callable
        A function or a method, below ``classmethod`` and ``staticmethod``, or a class, whose ``__init__`` it is about.

    Examples
    --------
    >>> @checked
    ... def grow(depth: int | None = None) -> int: ...
    >>> grow("deep")
    Traceback (most recent call last):
    vaglio.errors.ArgumentError: depth must be an integer or None, not 'deep' (str).
    """

    if isinstance(function, type):
        made: Any = function
        made.__init__ = checked(made.__init__)
        return function

    @functools.wraps(function)
    def checking(*given: Any, **named: Any) -> Any:
        known = _parameters(function)
        if named.keys() - known.keys():
            refuse_unknown(function, named)
        for name, value in zip(known, given):
            _check(name, value, *known[name])
        for name in named.keys() & known.keys():
            _check(name, named[name], *known[name])
        return function(*given, **named)

    return cast("Function", checking)


def refuse_unknown(function: Callable[..., Any], names: Iterable[str], called: str = "") -> None:
    """Raise an error about the first name that is no parameter of a function, with those spelled like it.

    Parameters
    ----------
    function : callable
    names : iterable of str
        As the caller wrote them.
    called : str, optional
        What the function is called; by default its name.
    """
    parameters = inspect.signature(function).parameters
    if any(each.kind == each.VAR_KEYWORD for each in parameters.values()):
        return
    known = [name for name, each in parameters.items() if name != "self" and each.kind != each.VAR_POSITIONAL]
    for name in names:
        if name not in known:
            raise ArgumentError(
                "unknown-argument",
                "{function} has no parameter {name!r}: {hint}",
                function=called or function.__qualname__.removesuffix(".__init__"),
                name=name,
                hint=did_you_mean(name, known, otherwise=text("it has"), most=len(known)),
            )


@functools.cache
def _parameters(function: Callable[..., Any]) -> Parameters:
    """Return what each parameter may be, read from the annotations at the first call: importing stays quick."""
    return {
        name: (parameter.default, _BY_NAME.get(name) or _alternatives(parameter.annotation))
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    }


def _alternatives(annotation: Any) -> tuple[Alternative, ...]:
    written = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "Any")
    for items, name in _ITEMS.items():
        written = written.replace(items, name)
    while _BRACKETS.search(written):
        written = _BRACKETS.sub("", written)
    names = [name.strip().rpartition(".")[2] for name in written.split("|")]
    if "PathLike" in names:  # a text that no file can have as its name is no path either
        names.remove("str")
    return tuple(_TYPES[name] for name in names) if all(name in _TYPES for name in names) else ()


def _check(name: str, value: Any, default: Any, allowed: tuple[Alternative, ...]) -> None:
    if not allowed or value is default or any(test(value) for test, _ in allowed):
        return
    if _is_integral(value) and any(test is _is_integer for test, _ in allowed):
        raise ArgumentError("integer-too-large", "{name} must be an integer of at most 63 bits.", name=name)
    kind = type(value).__name__
    shown: str = text("{value} ({type})", value=clip(repr(value), 40), type=kind) if type(value) in _SHOWN else kind
    raise ArgumentError(
        "argument-type",
        "{name} must be {expected}, not {given}.",
        name=name,
        expected=listed(dict.fromkeys(noun for _, noun in allowed), last="or"),
        given="None" if value is None else shown,
    )


def _is_integral(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return _is_integral(value) and -_BEYOND <= value < _BEYOND


def _is_seed(value: Any) -> bool:
    return _is_integer(value) and value >= 0


def _is_number_of_jobs(value: Any) -> bool:
    return value is None or (_is_integer(value) and value != 0)


def _is_single(value: Any) -> bool:
    """Whether a value can be a class: one value, not many."""
    return isinstance(value, (str, bytes)) or not hasattr(value, "__len__")


def _is_number(value: Any) -> bool:
    """Whether a value is a number; what says of itself that it is none (NaN) is not."""
    return _is_integer(value) or (isinstance(value, Real) and not isinstance(value, Integral) and value == value)


def _is_task(value: Any) -> bool:
    return isinstance(value, str) and value in ("classification", "regression")


def _is_truth_value(value: Any) -> bool:
    return isinstance(value, bool) or type(value).__name__ == "bool"  # NumPy's, which is not imported for this


def _is_path(value: Any) -> bool:
    """Whether a value can be the name of a file: a text or a path without characters that no name has."""
    try:
        return not isinstance(value, bytes) and b"\0" not in os.fsencode(value)
    except (TypeError, ValueError):
        return False


def _is_collection(value: Any) -> bool:
    """Whether a value is a list, a tuple, a column or an array."""
    if isinstance(value, (str, bytes, Mapping, type)) or not hasattr(value, "__getitem__"):
        return False
    return hasattr(value, "__len__") and getattr(value, "ndim", 1) > 0


def _are_texts(value: Any) -> bool:
    return _is_collection(value) and getattr(value, "ndim", 1) == 1 and all(isinstance(each, str) for each in value)


def _are_names_or_positions(value: Any) -> bool:
    return _is_collection(value) and all(isinstance(each, str) or _is_integer(each) for each in value)


def _are_features(value: Any) -> bool:
    return _is_collection(value) and all(hasattr(each, "kind") and hasattr(each, "name") for each in value)


def _are_numbers(value: Any) -> bool:
    return _is_collection(value) and all(map(_is_number, value))


def _is_iterable(value: Any) -> bool:
    return not isinstance(value, (str, bytes, type)) and hasattr(value, "__iter__") and getattr(value, "ndim", 1) > 0


def _is_rows(value: Any) -> bool:
    """Whether a value can be a table or a column: arrays, frames, series, sparse matrices, lists."""
    if isinstance(value, type) or getattr(value, "ndim", 1) == 0:
        return False
    made = ("__array__", "__dataframe__", "__narwhals_dataframe__", "__arrow_c_stream__", "nnz", "columns")
    return _is_collection(value) or any(hasattr(value, name) for name in made)


def _is_column(value: Any) -> bool:
    return _is_rows(value) or type(value).__name__ == "ScannedColumn"


def _are_costs(value: Any) -> bool:
    return (
        _is_rows(value)
        or isinstance(value, (Mapping, str, os.PathLike))
        or type(value).__name__ in ("CostMatrix", "UnitCost")
    )


def _is_progress(value: Any) -> bool:
    return value is None or _is_truth_value(value) or callable(value)


def _is_random_state(value: Any) -> bool:
    return value is None or (_is_integer(value) and 0 <= value < 2**32) or hasattr(value, "randint")


def _is_cross_validation(value: Any) -> bool:
    return value is None or (_is_integer(value) and value > 1) or hasattr(value, "split") or _is_iterable(value)


def _instance(name: str) -> Alternative:
    """Return the alternative of a class by its name: to import it here would be to load what is built on this."""
    return lambda value: any(cls.__name__ == name for cls in type(value).__mro__), text("a {type}", type=name)


def _is_language(value: Any) -> bool:
    return isinstance(value, str) or hasattr(value, "say")


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda value: not isinstance(value, type) and all(hasattr(value, name) for name in names)


_LIST = (_is_collection, text("a list or an array"))
_MAPPING = (lambda value: isinstance(value, Mapping), text("a dict"))
_MODEL = (_has("predict"), text("a model or an estimator, such as vaglio.C45Classifier()"))
_ESTIMATOR = (_has("fit", "get_params"), text("an estimator, such as vaglio.C45Classifier()"))
_ROWS = (_is_rows, text("a table or an array"))
# Parameters that mean the same in every function.
_BY_NAME: dict[str, tuple[Alternative, ...]] = {
    "seed": ((_is_seed, text("an integer of at least 0")),),
    "random_state": ((_is_random_state, text("an integer from 0 to 4294967295, a RandomState or None")),),
    "n_jobs": ((_is_number_of_jobs, text("a number of threads, -1 for all CPUs, or None")),),
    "pos_label": ((_is_single, text("one class")),),
    "label": ((_is_single, text("one class")),),
    "positive": ((_is_single, text("one class")),),
    "cv": ((_is_cross_validation, text("a number of folds of at least 2, a splitter or a list of splits")),),
    "lang": ((_is_language, text("the code of a language, such as 'en'")),),
}
# The last part of a name in an annotation -> what it takes.
_TYPES: dict[str, Alternative] = {
    "None": (lambda value: value is None, text("None")),
    "int": (_is_integer, text("an integer")),
    "float": (_is_number, text("a number")),
    "bool": (_is_truth_value, text("True or False")),
    "str": (lambda value: isinstance(value, str), text("text")),
    "Task": (_is_task, text("'classification' or 'regression'")),
    "PathLike": (_is_path, text("a path")),
    "dict": _MAPPING,
    "Mapping": _MAPPING,
    "Levels": _MAPPING,
    "Options": (
        lambda value: isinstance(value, Mapping) and all(isinstance(key, str) for key in value),
        text("a dict of names"),
    ),
    "Names": (_are_texts, text("a list of texts")),
    "Places": (_are_names_or_positions, text("a list of names or positions")),
    "Features": (_are_features, text("the columns of a codebook")),
    "Numbers": (_are_numbers, text("a list of numbers")),
    "list": _LIST,
    "Sequence": _LIST,
    "SupportsArray": _LIST,
    "SequenceNotStr": _LIST,
    "Iterable": (_is_iterable, text("a list or another iterable")),
    "Callable": (callable, text("a function")),
    "Scorer": (callable, text("a function")),
    "Estimator": _ESTIMATOR,
    "VaglioEstimator": _ESTIMATOR,
    "Predictor": _MODEL,
    "Fitted": _MODEL,
    "TableLike": _ROWS,
    "EncodedMatrix": _instance("EncodedMatrix"),
    "Rows": _ROWS,
    "ColumnLike": (_is_column, text("a column or an array")),
    "CostLike": (_are_costs, text("a matrix of costs, a dict of (true, predicted) pairs or a file")),
    "ProgressOption": (_is_progress, text("True, False or a function")),
    "Axes": (_has("plot", "figure"), text("axes of matplotlib")),
    "ndarray": _LIST,
    **{
        name: _instance(name)
        for name in (
            *("Animation", "Column", "CostMatrix", "Evaluation", "EvaluationPlan", "Policy", "Reason"),
            *("RegressionEvaluation", "RuleSet", "SplitRules", "Study"),
        )
    },
}

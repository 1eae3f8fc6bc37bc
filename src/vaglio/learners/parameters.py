"""The parameters of an estimator, declared once: signature, limits and documentation follow from the declaration.

scikit-learn wants every parameter in the signature of ``__init__``, in an assignment, in ``_parameter_constraints`` and
in the docstring. Families of estimators (classifier and regressor, the textbook trees, the rule learners) share most of
theirs. Here a parameter is one annotated line of the class, as in any dataclass; subclasses inherit it, or repeat the
line with another default. The decorator :func:`estimator` does the rest.

Limits are prepared once per class (:func:`all_allowed`): scikit-learn reads the signature and builds every limit anew
in each fit, which on a small table takes longer than the learning itself.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from functools import cache, wraps
from inspect import signature
from numbers import Integral, Real
from typing import Any, Self, TypeVar, dataclass_transform

from sklearn import get_config
from sklearn.utils._param_validation import (
    Interval,
    RealNotInt,
    StrOptions,
    make_constraint,
    validate_parameter_constraints,
)

from vaglio.errors import InputError
from vaglio.learners.bases import BaseEstimator
from vaglio.messages.message import text
from vaglio.messages.sentences import did_you_mean
from vaglio.runtime.arguments import refuse_unknown

Class = TypeVar("Class", bound=type)

# Limits that many parameters have. Each stands in a list, because scikit-learn takes a list of alternatives.
COUNT = [Interval(Integral, 1, None, closed="left")]
COUNT_FROM_0 = [Interval(Integral, 0, None, closed="left")]
COUNT_FROM_2 = [Interval(Integral, 2, None, closed="left")]
NOT_NEGATIVE = [Interval(Real, 0, None, closed="left")]
POSITIVE = [Interval(Real, 0, None, closed="neither")]
FROM_0_TO_1 = [Interval(Real, 0, 1, closed="both")]
BETWEEN_0_AND_1 = [Interval(Real, 0, 1, closed="neither")]
# A share of the rows or columns.
SHARE = [Interval(Real, 0.0, 1.0, closed="right")]
# A number of rows or columns, or a share of them: 1 is one of them, 1.0 all.
COUNT_OR_SHARE = [*COUNT, Interval(RealNotInt, 0.0, 1.0, closed="right")]
COUNT_OR_PART = [*COUNT, Interval(RealNotInt, 0.0, 1.0, closed="neither")]

# Parameters that mean the same in every estimator that has them; a class may describe its own meaning instead.
_SHARED_LIMITS: dict[str, list[Any]] = {
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "n_jobs": [Integral, None],
    "high_cardinality": [*NOT_NEGATIVE, None],
    "preprocess": [StrOptions({"auto"}), None],
    "priors": [StrOptions({"equal"}), dict, "array-like", None],
    "random_state": ["random_state"],
    "unseen": [StrOptions({"missing", "error"})],
}
_SHARED_TEXTS = """
Parameters
----------
class_weight : dict or "balanced" or None
    Factor of the weight of every row of a class. "balanced" gives all classes the same total weight.
n_jobs : int or None
    Number of threads. None is 1, or what joblib's active backend says; -1 is all processors the process may use. The
    model does not depend on it.
high_cardinality : float or None
    Correct what a nominal column tells for chance if it has more than ten values and more than this share of the number
    of training rows; a column that tells no more than chance would is left out. None corrects no column.
preprocess : {"auto"} or None
    "auto" encodes nominal columns one-hot, standardises numbers and imputes missing values; None takes X as it is.
priors : {"equal"}, dict, array-like of shape (n_classes,) or None
    Class priors: None learns them from the frequencies, "equal" makes all classes equally likely, a dict gives them by
    class, an array in the order of ``classes_``.
random_state : int, RandomState or None
    Seed of the random numbers: the same seed gives the same model. None draws a new seed for every fit.
unseen : {"missing", "error"}
    What to do with a category that was not in the training rows: treat it as a missing value, or raise an error.
"""

_HEADING = re.compile(r"^(?P<title>\w[\w ]*)\n-{3,}$", re.MULTILINE)
_COMPLETED = ("Parameters", "Attributes")
# Name -> type and description.
Entries = dict[str, tuple[str, str]]


class Parametrised(BaseEstimator):
    """scikit-learn's base class, which answers a misspelt parameter with those that are spelled like it."""

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of an inner estimator as ``estimator__name``; return the estimator.

        Parameters
        ----------
        **params : dict
        """
        try:
            super().set_params(**params)
        except ValueError:
            known = sorted(self.get_params(deep=False))
            for name in params:
                if name.partition("__")[0] not in known:
                    raise InputError(
                        "invalid-parameter",
                        "Invalid parameter {name!r} for estimator {learner}: {hint}",
                        name=name,
                        learner=type(self).__name__,
                        hint=did_you_mean(name, known, otherwise=text("it has"), most=len(known)),
                    ) from None
            raise
        return self


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(field,))
def estimator(cls: Class) -> Class:
    """Make a class with annotated parameters an estimator in scikit-learn's sense.

    It becomes a dataclass with keyword parameters (``field(default=…, kw_only=False)`` allows a parameter by position).
    ``_parameter_constraints`` and the sections Parameters and Attributes of the docstring are completed from the
    classes it inherits from, and each parameter's default is written into its entry. ``help``, ``inspect`` and Sphinx
    then see a plain class with a plain docstring.
    """
    dataclass(eq=False, repr=False, match_args=False, kw_only=True)(cls)
    _hint_at_names(cls)
    # In the order of the signature: parameters that may be given by position come first.
    taken = sorted((item for item in fields(cls) if item.init), key=lambda item: bool(item.kw_only))
    defaults = {item.name: item.default for item in taken}
    if MISSING in defaults.values():
        raise TypeError(f"{cls.__name__}: scikit-learn needs a default for every parameter.")
    family: Any = cls
    # As written: a base class may describe parameters that only some of its subclasses have.
    family._written = (cls.__doc__, cls.__dict__.get("_parameter_constraints", {}))
    limits = dict(_SHARED_LIMITS)
    for ancestor in reversed(cls.__mro__):
        limits |= ancestor.__dict__.get("_written", ("", {}))[1]
    family._parameter_constraints = {name: limits[name] for name in defaults if name in limits}
    if cls.__doc__ is not None:  # python -OO removes docstrings
        cls.__doc__ = _completed(cls, defaults)
    return cls


def _hint_at_names(cls: Any) -> None:
    """Let the error about a misspelt parameter name those that are spelled like it."""
    made = cls.__init__

    @wraps(made)
    def __init__(self: Any, *given: Any, **named: Any) -> None:
        try:
            made(self, *given, **named)
        except TypeError:
            refuse_unknown(made, named, type(self).__name__)
            raise

    cls.__init__ = __init__


def _completed(cls: type, defaults: dict[str, Any]) -> str:
    """Return the docstring with every inherited parameter and attribute."""
    parameters = entries_of(_SHARED_TEXTS, "Parameters")
    attributes: Entries = {}
    for ancestor in reversed(cls.__mro__):
        docstring = ancestor.__dict__.get("_written", ("",))[0]
        parameters |= entries_of(docstring, "Parameters")
        own = entries_of(docstring, "Attributes")
        # What is the class's own comes first: it is what a reader looks for.
        attributes = own | {name: entry for name, entry in attributes.items() if name not in own}
    described = {
        name: (f"{parameters[name][0]}, default={_as_python(default)}", parameters[name][1])
        for name, default in defaults.items()
        if name in parameters
    }
    sections = _sections(cls.__doc__)
    summary, rest = sections.pop(""), {title: sections[title] for title in sections if title not in _COMPLETED}
    parts = {_COMPLETED[0]: _listed(described), _COMPLETED[1]: _listed(attributes), **rest}
    return "\n\n".join([summary, *(f"{title}\n{'-' * len(title)}\n{parts[title]}" for title in parts if parts[title])])


def _listed(entries: Entries) -> str:
    return "\n".join(f"{name} : {kind}\n{text}".rstrip() for name, (kind, text) in entries.items())


def _sections(docstring: str | None) -> dict[str, str]:
    """Return the text of each section of a numpydoc docstring; the summary has the title ""."""
    parts = _HEADING.split(inspect.cleandoc(docstring or ""))
    return {title: text.strip("\n") for title, text in zip(["", *parts[1::2]], parts[::2])}


def entries_of(docstring: str | None, section: str) -> Entries:
    """Return type and description of each entry of a section, by name."""
    found: Entries = {}
    text = _sections(docstring).get(section, "")
    for entry in re.split(r"\n(?=\S)", text) if text else []:
        heading, _, description = entry.partition("\n")
        name, _, kind = heading.partition(" : ")
        found[name] = (kind, description)
    return found


def _as_python(default: object) -> str:
    """Return a default as our code writes it, with double quotes."""
    return repr(default).replace("'", '"')


# As scikit-learn finds them; called for any class.
_of_signature: Callable[[Any], list[str]] = vars(BaseEstimator)["_get_param_names"].__func__
# Kernels count with 32 bits.
_BEYOND = 2**31
# Bounds of trees: any number that no tree reaches is as good as another.
_BOUNDS = ("max_depth", "max_leaf_nodes")
# No value of a parameter is this.
_NONE_KNOWN = object()


@cache
def parameter_names(cls: Any) -> tuple[str, ...]:
    """Return the names of the parameters of an estimator, sorted."""
    return tuple(_of_signature(cls))


def declaring_class(cls: Any) -> Any:
    """Return the estimator of this package that a class is, or inherits from.

    Its parameters are those a fit reads. The signature of a subclass says less: it may fix some, and add its own.
    """
    return next(base for base in cls.__mro__ if "_written" in vars(base) or base.__module__.startswith("vaglio."))


def parameters_of(estimator: object) -> dict[str, Any]:
    """Return the parameters that a fit reads with their values, by the attributes of the estimator."""
    return {name: getattr(estimator, name) for name in parameter_names(declaring_class(type(estimator)))}


def check_parameters(estimator: Any) -> None:
    """Raise scikit-learn's error if a parameter is not within its limits."""
    if not all_allowed(estimator):
        kind: Any = type(estimator)
        given = {name: getattr(estimator, name) for name, _, _ in _limits(kind)}
        validate_parameter_constraints(kind._parameter_constraints, given, kind.__name__)


def all_allowed(estimator: object) -> bool:
    """Return whether every parameter is within its limits, or limits are not to be looked at."""
    kind: Any = type(estimator)
    for name, default, limits in _limits(kind):
        value = getattr(estimator, name)
        if value is default:
            continue
        if not any(limit.is_satisfied_by(value) for limit in limits):
            return bool(get_config()["skip_parameter_validation"])
        if isinstance(value, int) and abs(value) >= _BEYOND:
            _refuse_large(name, value, limits)
    return True


def _refuse_large(name: str, value: int, limits: list[Any]) -> None:
    """Raise an error about an integer that kernels cannot hold: 32 bits if it counts, else 64."""
    if name in _BOUNDS:
        return
    counts = any(getattr(limit, "type", None) is Integral and limit.is_satisfied_by(value) for limit in limits)
    if counts or abs(value) >= 2**63:
        raise InputError(
            "parameter-too-large",
            "{name} is too large. The largest value is {limit}.",
            name=name,
            limit=_BEYOND - 1 if counts else 2**63 - 1,
        )


@cache
def _limits(cls: Any) -> list[tuple[str, Any, list[Any]]]:
    """Return name, default (if it is within the limits) and limits of each limited parameter of a class."""
    prepared = []
    known_defaults = {name: parameter.default for name, parameter in signature(cls.__init__).parameters.items()}
    names = {*parameter_names(cls), *parameter_names(declaring_class(cls))}
    for name, alternatives in cls._parameter_constraints.items():
        if name not in names or alternatives == "no_validation":
            continue
        limits = [make_constraint(alternative) for alternative in alternatives]
        default = known_defaults.get(name, _NONE_KNOWN)
        known = any(limit.is_satisfied_by(default) for limit in limits)
        prepared.append((name, default if known else _NONE_KNOWN, limits))
    return prepared

"""Every error vaglio raises on purpose.

::

    VaglioError
    ├── InputError (ValueError)            a parameter, a table or a file that cannot be used
    │   ├── ArgumentError (TypeError)      an argument of a type that the function does not take
    │   ├── ReadError                      a file that cannot be read as the table it claims to be
    │   ├── ColumnError (KeyError)         a column that is not there, or is there twice
    │   ├── NotSupportedError              a valid request that this learner does not support
    │   └── NoSolutionError                rows that no model of the requested form fits
    ├── ModelFileError (ValueError)        a model file that is damaged, manipulated or from a later version
    ├── ClusterError (ConnectionError)     a cluster that was lost on the way
    ├── ProcessError (RuntimeError)        a process of several that was ended from outside
    └── MissingDependencyError (ImportError)   an optional package that is not installed

Warnings: ``VaglioWarning`` (UserWarning) and below it ``DataWarning`` for remarks about the data.

Each is a message with a code (``error.message.code``) that says what is wrong, where, and what to do; ``str(error)`` is
its English text. Errors also inherit from the
built-in error that callers expect (ValueError, KeyError, ImportError): scikit-learn and ``except`` clauses catch those.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from types import FrameType
from typing import Any, NamedTuple, ParamSpec, Self, TypeVar

from vaglio.messages.message import Message

__all__ = [
    "ArgumentError",
    "ClusterError",
    "ColumnError",
    "DataWarning",
    "InputError",
    "MissingDependencyError",
    "ModelFileError",
    "NoSolutionError",
    "NotSupportedError",
    "ProcessError",
    "ReadError",
    "VaglioError",
    "VaglioWarning",
]


P = ParamSpec("P")
R = TypeVar("R")

# Packages through which a call reaches vaglio's code.
_INNER = ("vaglio", "sklearn", "joblib", "contextlib")
# Characters of a message.
_LONGEST = 2000


class _Told(Exception):
    """An error or a warning that is a message: its code, its English template and the values of its fields.

    Parameters
    ----------
    code : str or Message
        The code of the message, or a whole message, or any text.
    template : str, optional
        The English template.
    **values
        What the fields of the template stand for.
    """

    def __init__(self, code: str = "", template: str | None = None, /, **values: Any) -> None:
        super().__init__(code if template is None else Message(code, template, **values))

    @property
    def message(self) -> str:
        """The message: its text is English, and a locale writes it in another language."""
        return self.args[0] if isinstance(self.args[0], str) else str(self.args[0])

    def at(self, place: str) -> Self:
        """Return the same error with the place where it was found before its message; the code stays."""
        code = getattr(self.message, "code", "")
        return type(self)(Message(code, "{place}: {problem}", place=place, problem=self.message))

    # KeyError would print its message in quotes; every error of ours is a sentence. A name or a cell of a megabyte
    # must not hide the rest of it.
    def __str__(self) -> str:
        said = str(self.args[0]) if self.args and str(self.args[0]) else self.__class__.__name__
        return said if len(said) <= _LONGEST else f"{said[: _LONGEST // 2]} … {said[-_LONGEST // 2 :]}"


class VaglioError(_Told):
    """Base of all errors raised on purpose."""


class InputError(VaglioError, ValueError):
    """A parameter, a table or a file that cannot be used."""


class ArgumentError(InputError, TypeError):
    """An argument of a type that the function does not take."""


class ReadError(InputError):
    """A file that cannot be read as the table it claims to be."""


class ColumnError(InputError, KeyError):
    """A column that is not there, or is there twice."""


class NotSupportedError(InputError):
    """A valid request that this learner does not support."""


class NoSolutionError(InputError):
    """Rows that no model of the requested form fits, as classes that no hyperplane separates for a hard margin."""


class ModelFileError(VaglioError, ValueError):
    """A model file that is damaged, manipulated or from a later version."""


class ClusterError(VaglioError, ConnectionError):
    """A cluster that was lost on the way."""


class ProcessError(VaglioError, RuntimeError):
    """A process that was ended from outside while it worked."""


class MissingDependencyError(VaglioError, ImportError):
    """An optional package that is not installed."""


class VaglioWarning(_Told, UserWarning):
    """Base of all warnings."""


class DataWarning(VaglioWarning):
    """A remark about the data that does not stop the work."""


class _Place(NamedTuple):
    """The line of a program that called vaglio, and the codes of the warnings that were issued there."""

    filename: str
    line: int
    module: str
    codes: set[str]

    def issue(self, message: Warning | str, category: type[Warning] | None) -> None:
        told = getattr(message, "message", message)
        code = getattr(told, "code", "") or str(told)
        if code in self.codes:
            return
        self.codes.add(code)
        module = sys.modules.get(self.module)
        registry = {} if module is None else vars(module).setdefault("__warningregistry__", {})
        kind = type(message) if isinstance(message, Warning) else category or UserWarning
        warnings.warn_explicit(message, kind, self.filename, self.line, self.module, registry)


_PLACE: ContextVar[_Place | None] = ContextVar("_PLACE", default=None)


def _caller() -> tuple[int, FrameType]:
    """The frame of the program that called vaglio, and its level below the caller of this function."""
    level, frame = 1, sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _INNER:
        level, frame = level + 1, frame.f_back
    return level, frame


def warn(message: Warning | str, category: type[Warning] | None = None) -> None:
    """Issue a warning at the line of the program that called vaglio, be it through scikit-learn.

    Parameters
    ----------
    message : Warning or str
    category : type of Warning, optional
        Of a message that is text.
    """
    place = _PLACE.get()
    if place is None:
        warnings.warn(message, category, stacklevel=1 + _caller()[0])
    else:
        place.issue(message, category)


@contextmanager
def warning_once() -> Iterator[None]:
    """Issue each warning once, whatever its values, though many models are trained inside.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as seen, warning_once():
    ...     for n in range(3):
    ...         warn(DataWarning("few-rows", "Only {n} rows.", n=n))
    >>> [str(each.message) for each in seen]
    ['Only 0 rows.']
    """
    if _PLACE.get() is not None:
        yield
        return
    frame = _caller()[1]
    token = _PLACE.set(_Place(frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__", ""), set()))
    try:
        yield
    finally:
        _PLACE.reset(token)


def warning_as_here(function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that issues its warnings as if it were called here, also from another thread.

    Parameters
    ----------
    function : callable
    """
    return partial(_issuing_at, _PLACE.get(), function)


def _issuing_at(place: _Place | None, function: Callable[P, R], *given: P.args, **named: P.kwargs) -> R:
    token = _PLACE.set(place)
    try:
        return function(*given, **named)
    finally:
        _PLACE.reset(token)


def damaged_model_file(reason: str) -> ModelFileError:
    """Return the error about a model file that cannot be used, for this reason."""
    return ModelFileError("damaged-model-file", "The model file is damaged: {reason}.", reason=reason)


@contextmanager
def as_own_errors() -> Iterator[None]:
    """Raise what scikit-learn and NumPy refuse as errors of this package, in their own words.

    For the checks of arrays alone: a TypeError from anywhere else is a defect, and should look like one.
    """
    try:
        yield
    except VaglioError:
        raise
    except (TypeError, ValueError, OverflowError, IndexError) as error:
        kind = ArgumentError if isinstance(error, TypeError) else InputError
        raise kind(Message("refused-array", "{reason}", reason=reason_of(error))) from error


def reason_of(error: BaseException) -> str:
    """Return what an error says, for a sentence about it: a message where it has one, else its text."""
    first = error.args[0] if error.args else None
    return first if isinstance(first, Message) else str(error) or type(error).__name__

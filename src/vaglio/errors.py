"""Every error vaglio raises on purpose.

::

    VaglioError
    ├── InputError (ValueError)            a parameter, a table or a file that cannot be used
    │   ├── ReadError                      a file that cannot be read as the table it claims to be
    │   ├── ColumnError (KeyError)         a column that is not there, or is there twice
    │   ├── NotSupportedError              a valid request that this learner does not support
    │   └── NoSolutionError                rows that no model of the requested form fits
    ├── ModelFileError (ValueError)        a model file that is damaged, manipulated or from a later version
    ├── ClusterError (ConnectionError)     a cluster that was lost on the way
    ├── ProcessError (RuntimeError)        a process of several that was ended from outside
    └── MissingDependencyError (ImportError)   an optional package that is not installed

Warnings: ``VaglioWarning`` (UserWarning) and below it ``DataWarning`` for remarks about the data.

Each message is one sentence that says what is wrong, where, and what to do. Errors also inherit from the
built-in error that callers expect (ValueError, KeyError, ImportError): scikit-learn and ``except`` clauses catch those.
"""

from __future__ import annotations

__all__ = [
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


# Characters of a message.
_LONGEST = 2000


class VaglioError(Exception):
    """Base of all errors raised on purpose."""

    # KeyError would print its message in quotes; every error of ours is a sentence. A name or a cell of a megabyte
    # must not hide the rest of it.
    def __str__(self) -> str:
        said = str(self.args[0]) if self.args else self.__class__.__name__
        return said if len(said) <= _LONGEST else f"{said[: _LONGEST // 2]} … {said[-_LONGEST // 2 :]}"


class InputError(VaglioError, ValueError):
    """A parameter, a table or a file that cannot be used."""


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


class VaglioWarning(UserWarning):
    """Base of all warnings."""


class DataWarning(VaglioWarning):
    """A remark about the data that does not stop the work."""

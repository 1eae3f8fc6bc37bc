"""What a service is started with. It is plain data: every process gets a copy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vaglio.errors import InputError
from vaglio.serve.http.requests import Bounds

__all__ = ["Settings", "named_models"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True)
class Settings:
    """How a service answers.

    Attributes
    ----------
    models : tuple of (str, Path)
        Name and file of each model.
    bounds : Bounds
    tokens : tuple of bytes
        Digests of the tokens, as :func:`vaglio.serve.http.access.read_tokens` gives them.
    hosts : tuple of str or None
        Names by which the server may be addressed; None for any.
    watch : bool
        Load a model file again when it was replaced.
    log : Path or None
        Where to write one line per request.
    log_rows : bool
        Write the values of the rows, too.
    decide : str or None
        How models with costs decide, if not as they say themselves.
    threads : int
        For work that takes longer than a moment.
    shared : Path or None
        A folder in which several processes tell each other what they have counted.
    """

    models: tuple[tuple[str, Path], ...]
    bounds: Bounds = field(default_factory=Bounds)
    tokens: tuple[bytes, ...] = ()
    hosts: tuple[str, ...] | None = None
    watch: bool = False
    log: Path | None = None
    log_rows: bool = False
    decide: str | None = None
    threads: int = 2
    shared: Path | None = None


def named_models(given: Sequence[str]) -> tuple[tuple[str, Path], ...]:
    """Return the name and the file of each model: NAME=FILE, or a file that lends its name.

    Parameters
    ----------
    given : sequence of str

    Examples
    --------
    >>> [name for name, _ in named_models(["models/churn.vaglio", "risk=models/latest.vaglio"])]
    ['churn', 'risk']
    """
    found: dict[str, Path] = {}
    for text in given:
        name, equals, file = text.partition("=")
        if not equals or Path(text).exists():
            name, file = Path(text).name.removesuffix(".vaglio"), text
        if not _NAME.fullmatch(name):
            raise InputError(
                "cannot-part-address-give",
                "{name!r} cannot be part of an address: give the model a name of letters, digits, '.', "
                "'_' and '-', as in name={name2}.",
                name=name,
                name2=Path(file).name,
            )
        if name in found:
            raise InputError(
                "two-models-named-give",
                "Two models are named {name!r}: give one of them another name, as in other={file}.",
                name=name,
                file=file,
            )
        found[name] = Path(file)
    return tuple(found.items())

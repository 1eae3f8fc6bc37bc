"""The catalogue of the tables: what each holds, where it comes from and under which licence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from vaglio.datasets._loaders import load_from_scikit_learn, load_penguins, load_play
from vaglio.errors import InputError
from vaglio.messages.sentences import did_you_mean
from vaglio.table import Table


@dataclass(frozen=True)
class Dataset:
    """The description of one table.

    Attributes
    ----------
    name : str
        For :func:`load`.
    target : str
        The class column.
    description : str
        What the table holds.
    licence, source : str
        Under which licence it is used, and where it was published.
    """

    name: str
    target: str
    description: str
    licence: str
    source: str


def load(name: str) -> Table:
    """Return a table by name; its class column has the role "target".

    Parameters
    ----------
    name : str
        One of :func:`names`.

    Returns
    -------
    Table

    Examples
    --------
    >>> from vaglio.datasets import load
    >>> X, y = load("penguins").xy()
    >>> X.shape, sorted(set(y.tolist()))
    ((344, 7), ['Adelie', 'Chinstrap', 'Gentoo'])
    """
    describe(name)
    return _LOADERS[name]()


def names() -> list[str]:
    """Return the names of all tables."""
    return sorted(_ENTRIES)


def describe(name: str) -> Dataset:
    """Return what a table holds, where it comes from and under which licence.

    Parameters
    ----------
    name : str
        One of :func:`names`.
    """
    if name not in _ENTRIES:
        raise InputError(f"there is no dataset {name!r}; {did_you_mean(name, names(), quoted=True)}")
    return _ENTRIES[name]


_WITH_SCIKIT_LEARN = "as distributed with scikit-learn (BSD-3-Clause), which took it from the UCI repository"
_ENTRIES = {
    entry.name: entry
    for entry in (
        Dataset(
            "play",
            "play",
            "14 days: is the weather fit to play? Four nominal attributes; the table of many textbooks.",
            "a table of facts, written out for this package",
            "J. R. Quinlan, Induction of decision trees, Machine Learning 1 (1986)",
        ),
        Dataset(
            "penguins",
            "species",
            "344 penguins of three species from the Palmer Archipelago: four measures, island, sex and year; 19 values "
            "are missing.",
            "CC0 1.0 (no rights reserved), under the Palmer Station LTER data policy",
            "K. B. Gorman, T. D. Williams, W. R. Fraser, PLoS ONE 9(3) (2014) e90081; collected as palmerpenguins by "
            "A. M. Horst, A. P. Hill and K. B. Gorman",
        ),
        Dataset(
            "iris",
            "species",
            "150 iris flowers of three species: length and width of sepal and petal.",
            _WITH_SCIKIT_LEARN,
            "R. A. Fisher, Annals of Eugenics 7 (1936)",
        ),
        Dataset(
            "wine",
            "cultivar",
            "178 wines of three cultivars: 13 chemical measures.",
            _WITH_SCIKIT_LEARN,
            "M. Forina et al., PARVUS (1988)",
        ),
        Dataset(
            "breast-cancer",
            "diagnosis",
            "569 breast masses, malignant or benign: 30 measures of cell nuclei.",
            _WITH_SCIKIT_LEARN,
            "W. H. Wolberg, W. N. Street, O. L. Mangasarian, Wisconsin diagnostic data (1995)",
        ),
        Dataset(
            "digits",
            "digit",
            "1797 handwritten digits: 64 pixels of an 8 by 8 image, each from 0 to 16.",
            _WITH_SCIKIT_LEARN,
            "E. Alpaydin, C. Kaynak, Optical recognition of handwritten digits (1998)",
        ),
    )
}
_LOADERS: dict[str, Callable[[], Table]] = {"play": load_play, "penguins": load_penguins} | {
    name: partial(load_from_scikit_learn, name, entry.target)
    for name, entry in _ENTRIES.items()
    if entry.licence == _WITH_SCIKIT_LEARN
}

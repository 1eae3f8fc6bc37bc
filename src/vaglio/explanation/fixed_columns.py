"""Columns that nobody can change: advice to be younger is none.

They are known by their name (age, birth, sex, origin, in six languages, and names of identifiers), or as dates before
today: what has happened stays. The words are compared one by one, so that ``customer_age`` is an age and ``usage`` is
none. A list of columns that may change overrides the rule.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime

from vaglio.encode import Feature, Spread
from vaglio.table import names_identifier

__all__ = ["fixed_columns"]

_WORDS = frozenset(
    " ".join(
        [
            # Ages.
            "age ages eta alter lebensalter edad idade anzianita",
            # Births.
            "birth birthday birthdate birthyear birthplace dob born nascita nato nata geburt geburtstag geburtsdatum",
            "geburtsjahr geburtsort geboren naissance nacimiento nascimento",
            # Sexes.
            "sex gender sesso genere geschlecht sexe sexo genero",
            # Where somebody comes from.
            "nationality citizenship ethnicity ethnic ethnie race ancestry nazionalita cittadinanza etnia razza",
            "nationalitat staatsangehorigkeit staatsburgerschaft herkunft nationalite citoyennete nacionalidad",
            "ciudadania raza nacionalidade cidadania raca",
        ]
    ).split()
)
# A new word starts at a capital after a small letter, and at whatever is no letter.
_START = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WORD = re.compile(r"[a-z]+")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def fixed_columns(
    features: Sequence[Feature], spreads: Sequence[Spread], changeable: Sequence[str] = (), *, today: int | None = None
) -> tuple[str, ...]:
    """Return the columns that nobody can change.

    Parameters
    ----------
    features : sequence of Feature
    spreads : sequence of Spread
        What training showed of each column of the numeric block, in its order; empty when unknown.
    changeable : sequence of str
        Columns that can be changed, whatever they are called.
    today : int, optional
        Days since 1970; by default those of the clock.

    Examples
    --------
    >>> columns = [Feature(name) for name in ("customer_age", "usage", "Età", "DataNascita", "price", "order_id")]
    >>> fixed_columns(columns, ())
    ('customer_age', 'Età', 'DataNascita', 'order_id')
    """
    now = (datetime.now(UTC) - _EPOCH).days if today is None else today
    block = [feature for feature in features if feature.in_numeric_block]
    last = {feature.name: spread.values[-1] for feature, spread in zip(block, spreads) if spread.values}
    found = [
        feature.column
        for feature in features
        if _named_fixed(feature.column) or (feature.is_date and last.get(feature.name, -1.0) <= now)
    ]
    return tuple(name for name in dict.fromkeys(found) if name not in set(changeable))


def _named_fixed(name: str) -> bool:
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", name) if not unicodedata.combining(sign))
    return names_identifier(name) or not _WORDS.isdisjoint(_WORD.findall(_START.sub(" ", plain).lower()))

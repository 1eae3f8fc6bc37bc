"""Columns that name a person: a model that learns them learns people by heart, and its rules print their names.

They are known by their name, in English, Italian, German, French and Spanish, or by their values: addresses of mail,
numbers of accounts, tax codes. Names such as ``name`` may stand for anything; there the values must look like people.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from vaglio.messages.message import Message, text
from vaglio.table._column_names import folded

__all__ = ["FEWEST_PERSONS", "names_persons"]

# Fewer different values are a category, whatever they are called.
FEWEST_PERSONS = 10
# This share of the values must have the form of a code or a name.
_MOST = 0.9
# Values that are looked at: the first of the categories.
_LOOKED_AT = 200

_NAMES = frozenset(
    [
        "fullname",
        "firstname",
        "lastname",
        "surname",
        "forename",
        "familyname",
        "givenname",
        "middlename",
        "maidenname",
        "customername",
        "clientname",
        "patientname",
        "employeename",
        "username",
        "cognome",
        "nominativo",
        "nomecognome",
        "nomeecognome",
        "cognomenome",
        "cognomeenome",
        "nomecliente",
        "nomepaziente",
        "intestatario",
        "vorname",
        "nachname",
        "familienname",
        "kundenname",
        "prenom",
        "nomcomplet",
        "nomdefamille",
        "apellido",
        "apellidos",
        "nombrecompleto",
        "nombrecliente",
    ]
)
# Names of anything.
_ANY_NAMES = frozenset(
    [
        "name",
        "names",
        "nome",
        "nom",
        "nombre",
        "cliente",
        "clienti",
        "customer",
        "client",
        "patient",
        "paziente",
        "person",
    ]
)
_REACHED = frozenset(
    [
        "email",
        "mail",
        "emailaddress",
        "indirizzoemail",
        "posta",
        "phone",
        "phonenumber",
        "telephone",
        "mobile",
        "cell",
        "telefono",
        "tel",
        "cellulare",
        "telefonnummer",
        "handy",
        "telefonofisso",
        "telephonenumber",
        "codicefiscale",
        "codfiscale",
        "cf",
        "taxcode",
        "taxid",
        "ssn",
        "iban",
        "passport",
        "passaporto",
        "partitaiva",
    ]
)
_WHO = (
    "customer|client|cliente|clienti|patient|paziente|utente|user|person|persona|kunde|kunden|member|socio|subject|"
    "employee|dipendente|student|studente|subscriber|abbonato|household"
)
_WHAT = "id|code|codice|cod|nr|no|number|num|numero|nummer|key"
_CODES = re.compile(rf"(?:(?:{_WHO})(?:{_WHAT})|(?:{_WHAT})(?:di|of|del)?(?:{_WHO}))")

_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
# An Italian tax code, an account, a social security number.
_NUMBER = re.compile(
    r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]|[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}[A-Z0-9]{0,3}|\d{3}-\d{2}-\d{4}"
)
_PERSON = re.compile(r"(?:[^\W\d_]{1,3}\. )?[^\W\d_a-z][^\W\d_]+(?:['’\- ][^\W\d_]+){1,3}")


def names_persons(name: str, values: Sequence[str]) -> Message | None:
    """Return what a column of words is that names persons, as the middle of a sentence; None if it names none.

    Parameters
    ----------
    name : str
        The name of the column.
    values : sequence of str
        Its different values.

    Examples
    --------
    >>> people = [f"Mario Rossi{end}" for end in "abcdefghijkl"]
    >>> names_persons("nome", people), names_persons("Codice cliente", [str(n) for n in range(20)])
    ('has names of persons', 'has codes of persons')
    >>> names_persons("nome", list("abcdefghijkl")) is None
    True
    """
    if len(values) < FEWEST_PERSONS:
        return None
    known, looked_at = folded(name), [str(value).strip() for value in values[:_LOOKED_AT]]

    def share(form: re.Pattern[str]) -> float:
        return sum(form.fullmatch(value) is not None for value in looked_at) / len(looked_at)

    if known in _NAMES or (known in _ANY_NAMES and share(_PERSON) >= _MOST):
        return text("has names of persons")
    if share(_MAIL) >= _MOST:
        return text("has e-mail addresses")
    if known in _REACHED:
        return text("has contacts or codes of persons")
    if _CODES.fullmatch(known) or share(_NUMBER) >= _MOST:
        return text("has codes of persons")
    return None

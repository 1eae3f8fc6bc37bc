"""One sentence: a stable code, an English template and its values, written out in any language when it is shown.

A :class:`Message` is a ``str``, its English text with Python names, so that whatever takes a text takes a message. It
also keeps what it was made of: :class:`vaglio.messages.locale.Locale` writes it again in another language, or with the
options of the command line instead of the parameters of Python.

::

    Message("cell-not-number", "{cell!r} in row {row:,} is not a number.", cell="abc", row=1200)

Templates have the fields of :meth:`str.format` by name. Two further forms are those of a number and its noun,
``{n:,} {n:row|rows}``, where the language chooses among the forms by its own rule, and ``{n:.1%}``, which a language
writes as it writes percentages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from string import Formatter
from types import MappingProxyType
from typing import Any

__all__ = ["Listing", "Message", "Number", "Option", "join", "text"]

# A line of a terminal or of a page holds about twelve short names.
MOST_NAMES = 12
# A name of a table can be a whole paragraph; its first characters are enough to recognise it.
_LONGEST_NAME = 40

Field = tuple[str, str | None, str | None, str | None]


class Message(str):
    """A text with its code, template and values.

    Parameters
    ----------
    code : str
        What programs know the message by; empty for words of an interface, which are known by their template.
    template : str
        The English text with named fields.
    **values
        What the fields stand for: numbers, names, lists of names, options or other messages.

    Examples
    --------
    >>> told = Message("rows-dropped", "{n:,} {n:row was|rows were} dropped.", n=1200)
    >>> str(told), told.code, told.values["n"]
    ('1,200 rows were dropped.', 'rows-dropped', 1200)
    """

    __slots__ = ("code", "template", "values")

    code: str
    template: str
    values: Mapping[str, Any]

    def __new__(cls, code: str, template: str, /, **values: Any) -> Message:
        for name, value in values.items():
            # An error as a value stands for what it says, which a locale can translate.
            if isinstance(value, Exception):
                values[name] = getattr(value, "message", None) or str(value)
        self = super().__new__(cls, fill(template, values) if "{" in template else template)
        self.code = code
        self.template = template
        self.values = MappingProxyType(values)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # Whatever a value is, a cluster or a pool of processes must be able to send it.
        plain = (bool, int, float, str, list, tuple, Listing, Option, type(None))
        values = {name: value if isinstance(value, plain) else str(value) for name, value in self.values.items()}
        return (_restored, (self.code, self.template, values))

    def as_data(self) -> dict[str, Any]:
        """Return the code, the English text and the values, in the types of JSON."""
        return {"code": self.code, "text": str(self), "values": {k: _plain(v) for k, v in self.values.items()}}


def _restored(code: str, template: str, values: Mapping[str, Any]) -> Message:
    return Message(code, template, **values)


def text(template: str, /, **values: Any) -> Message:
    """Return words of an interface (a heading, a label, a remark) as a message without a code.

    >>> text("{n} of {total}", n=3, total=7)
    '3 of 7'
    """
    return Message("", template, **values)


def join(separator: str, parts: Iterable[str]) -> Message:
    """Return messages one after the other as one message, each still in the language of the reader.

    >>> join(" ", [text("One."), text("Two.")])
    'One. Two.'
    """
    named = {f"part{i}": part for i, part in enumerate(parts)}
    between = separator.replace("{", "{{").replace("}", "}}")
    return Message("", between.join(f"{{{name}}}" for name in named), **named)


_NEGATIVE_ZERO = re.compile(r"^( *)[-−](?=[0.,]*0[0.,]*(?:e[-+]?\d+)?%? *$)")


def without_negative_zero(written: str) -> str:
    """Return a number that is written as English does, without the minus of a zero.

    >>> without_negative_zero("-0.00"), without_negative_zero("−0.0%"), without_negative_zero("-0.01")
    ('0.00', '0.0%', '-0.01')
    """
    return _NEGATIVE_ZERO.sub(r"\1", written) if written.lstrip(" ")[:1] in ("-", "−") else written


class Number(str):
    """A number that was written as English writes it; a language writes it with its own marks.

    A number that is rounded to zero has no minus.

    >>> Number("1,234.5"), Number("12%"), Number("-0.00")
    ('1,234.5', '12%', '0.00')
    """

    __slots__ = ()

    def __new__(cls, number: object) -> Number:
        return super().__new__(cls, without_negative_zero(str(number)))


class Listing(str):
    """Names as a sentence lists them; see :func:`vaglio.messages.sentences.listed`.

    Parameters
    ----------
    names : iterable
        What to list.
    most : int
        How many names are shown.
    quoted : bool
        Put each name in quotes.
    last : {"and", "or"}
        The word before the last name.
    """

    __slots__ = ("last", "more", "shown")

    shown: tuple[str, ...]
    more: int
    last: str

    def __new__(
        cls, names: Iterable[Any], most: int = MOST_NAMES, *, quoted: bool = False, last: str = "and"
    ) -> Listing:
        known = list(names)
        shown = tuple(_shown(name, quoted) for name in known[:most])
        self = super().__new__(cls, str(_listing(shown, len(known) - len(shown), last)))
        self.shown, self.more, self.last = shown, len(known) - len(shown), last
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored_listing, (self.shown, self.more, self.last))

    @property
    def message(self) -> Message:
        """The list as a message."""
        return _listing(self.shown, self.more, self.last)


def _restored_listing(shown: tuple[str, ...], more: int, last: str) -> Listing:
    self = str.__new__(Listing, str(_listing(shown, more, last)))
    self.shown, self.more, self.last = shown, more, last
    return self


def _listing(shown: tuple[str, ...], more: int, last: str) -> Message:
    names = join(", ", shown if more or len(shown) < 2 else shown[:-1])
    if more:
        return text("{names} and {more:,} more", names=names, more=more)
    if len(shown) < 2:
        return names if shown else text("none")
    if last == "or":
        return text("{names} or {last}", names=names, last=shown[-1])
    return text("{names} and {last}", names=names, last=shown[-1])


def _shown(name: Any, quoted: bool) -> str:
    if isinstance(name, (Message, Number)):
        return name
    line = " ".join(str(name).split())
    line = line if len(line) <= _LONGEST_NAME else line[: _LONGEST_NAME - 1] + "…"
    return repr(line) if quoted and isinstance(name, str) else line


class Option(str):
    """A parameter, named as the reader knows it: ``max_rows=`` in Python, ``--max-rows`` on the command line.

    Parameters
    ----------
    name : str
        The parameter's name in Python.
    value : object, optional
        What it is set to; without one the sentence speaks of the parameter itself.
    flag : str, optional
        How the command line says it, where that is not ``--name VALUE``: ``"--read decimal=,"``.

    Examples
    --------
    >>> Option("max_rows"), Option("decimal", ",")
    ('max_rows', "decimal=','")
    """

    __slots__ = ("flag", "name", "value")

    name: str
    value: Any
    flag: str | None

    def __new__(cls, name: str, value: object = None, *, flag: str | None = None) -> Option:
        self = super().__new__(cls, name if value is None else f"{name}={value!r}")
        self.name, self.value, self.flag = name, value, flag
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored_option, (self.name, self.value, self.flag))

    def on_command_line(self) -> str:
        """Return the option that does the same.

        >>> Option("max_rows", 500).on_command_line(), Option("decimal", ",", flag="--read decimal=,").on_command_line()
        ('--max-rows 500', '--read decimal=,')
        """
        if self.flag is not None:
            return self.flag
        import shlex

        option = f"--{self.name.replace('_', '-')}"
        values = self.value if isinstance(self.value, (list, tuple)) else [] if self.value is None else [self.value]
        return " ".join([option, *(shlex.quote(str(value)) for value in values)]) if values else option


def _restored_option(name: str, value: object, flag: str | None) -> Option:
    return Option(name, value, flag=flag)


@lru_cache(4096)
def parsed(template: str) -> tuple[Field, ...]:
    """Return a template's literals and fields."""
    return tuple(Formatter().parse(template))


def fill(template: str, values: Mapping[str, Any]) -> str:
    """Return an English template with its values filled in."""
    written = []
    for literal, name, spec, conversion in parsed(template):
        written.append(literal)
        if name is None:
            continue
        value = values[name]
        if spec and "|" in spec:
            written.append(spec.split("|")[0 if value == 1 else 1])
        elif conversion:
            written.append(repr(str(value)) if conversion == "r" and isinstance(value, str) else repr(value))
        else:
            filled = format(value, spec or "")
            written.append(without_negative_zero(filled) if isinstance(value, float) else filled)
    return "".join(written)


def _plain(value: object) -> Any:
    if isinstance(value, Message):
        return value.as_data() if value.code else str(value)
    if isinstance(value, (bool, int, float, type(None))):
        return value if value == value and value not in (float("inf"), float("-inf")) else None
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else str(value)

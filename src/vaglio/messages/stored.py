"""Messages in JSON files: whoever shows them later chooses the language."""

from __future__ import annotations

import re
from typing import Any

from vaglio.messages.message import Listing, Message, Number, Option, parsed, text

__all__ = ["restored", "restored_within", "stored"]

# The key that marks an object as a message; no file has it otherwise.
_MESSAGE, _NUMBER, _OPTION = "$message", "$number", "$option"
# How a template writes a value. Others (a width of a billion) come from no message.
_SPEC = re.compile(r"(\+?,?(\.\d{1,2})?[a-z%]?|[^{}|]*\|[^{}]*)", re.DOTALL)


def stored(value: Any) -> Any:
    """Return data in which messages are plain objects.

    >>> stored([Message("", "{n} rows", n=3)])
    [{'$message': ['', '{n} rows', {'n': 3}]}]
    """
    if isinstance(value, Listing):
        value = value.message
    if isinstance(value, Message):
        return {_MESSAGE: [value.code, value.template, {name: stored(each) for name, each in value.values.items()}]}
    if isinstance(value, Number):
        return {_NUMBER: str(value)}
    if isinstance(value, Option):
        return {_OPTION: [value.name, stored(value.value), value.flag]}
    if isinstance(value, dict):
        return {key: stored(each) for key, each in value.items()}
    return [stored(each) for each in value] if isinstance(value, (list, tuple)) else value


def restored(data: dict[str, Any]) -> Any:
    """Return the message that an object stands for, or the object itself: the ``object_hook`` of :mod:`json`."""
    try:
        if _MESSAGE in data:
            return _message(*data[_MESSAGE])
        if _NUMBER in data:
            return Number(data[_NUMBER])
        if _OPTION in data:
            name, value, flag = data[_OPTION]
            return Option(name, value, flag=flag)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ValueError(text("a message is not valid")) from error
    return data


def restored_within(data: Any) -> Any:
    """Return plain data with its messages, wherever they stand in it.

    >>> restored_within(stored({"how": Message("", "by {n} folds", n=3)}))["how"].template
    'by {n} folds'
    """
    if isinstance(data, dict):
        return restored({key: restored_within(each) for key, each in data.items()})
    return [restored_within(each) for each in data] if isinstance(data, list) else data


def _message(code: Any, template: Any, values: Any) -> Message:
    fields = [(name, spec) for _, name, spec, _ in parsed(template) if name is not None]
    sound = all(name in values and _SPEC.fullmatch(spec or "") for name, spec in fields)
    if not isinstance(code, str) or not sound:
        raise ValueError(text("a message is not valid"))
    return Message(code, template, **values)

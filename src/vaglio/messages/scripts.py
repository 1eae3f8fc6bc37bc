"""The words of a page's scripts: found in their source, and sent with the page in the language of the reader.

A script calls ``say("{n:,} {n:row|rows}", {n: 3})``. The page carries the translations of such templates and how its
language writes numbers and chooses plural forms, so that a script writes what :class:`Locale` would write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from vaglio.messages.locale import Locale

__all__ = ["script_words", "templates_of_script"]

# The first argument of say() is one literal in double quotes, which JSON reads as JavaScript does.
_CALL = re.compile(r'\bsay\(\s*("(?:[^"\\\n]|\\.)*")')
# The plural rule of every language of gettext repeats itself every hundred numbers, at the latest from 100 on.
_PERIOD = 100


def templates_of_script(source: str) -> Iterator[str]:
    """Yield the templates that a script says.

    >>> list(templates_of_script('a(say("{n} rows", {n}), say("row"));'))
    ['{n} rows', 'row']
    """
    for found in _CALL.finditer(source):
        yield json.loads(found[1])


def script_words(locale: Locale, templates: Iterable[str]) -> dict[str, Any]:
    """Return what scripts need to write in a language, in the types of JSON.

    Parameters
    ----------
    locale : Locale
    templates : iterable of str
        What the scripts of the page say.

    Examples
    --------
    >>> found = script_words(Locale("en"), ["row"])
    >>> found["words"], found["decimal"], found["percent"], found["plurals"][:3]
    ({'row': 'row'}, '.', 'n%', '101')
    """
    forms = (locale.say("{n:0|1|2|3|4|5}", n=n) for n in range(2 * _PERIOD))
    return {
        "lang": locale.lang,
        "decimal": locale.marks("."),
        "thousands": locale.marks(","),
        "percent": locale.marks("n%"),
        "plurals": "".join(forms),
        "words": {template: locale.translated(template) for template in templates},
    }

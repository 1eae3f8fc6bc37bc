"""Messages of the library say what to pass in Python; on the command line there are options instead."""

from __future__ import annotations

import re

__all__ = ["as_options"]

_NAME = r"""(?P<quote>['"])(?P<name>.*?)(?P=quote)"""
_SAME = (
    (re.compile(rf"levels=\{{{_NAME}: \"nominal\"\}}"), r"--nominal '\g<name>'"),
    (re.compile(rf"levels=\{{{_NAME}: \[(?P<list>.*?)\]\}}"), r"--levels '\g<name>=LOWEST<…<HIGHEST'"),
    (re.compile(rf"roles=\{{{_NAME}: \"identifier\"\}}"), r"--identifier '\g<name>'"),
    (
        re.compile(r"(column (?P<name>'.*?') looks like an identifier .*) and is left out of training"),
        r"\g<1> and is left out of training (--keep \g<name> keeps it)",
    ),
    (re.compile(r"clean\((\w+)='(\w+)'\)"), r"--clean FILE --set \1=\2"),
    (re.compile(r"class_weight='balanced'"), "--set class_weight=balanced"),
    (re.compile(r"add it to missing="), "add it by --missing"),
    (re.compile(r"missing=\['(.*?)'\]"), r"--missing \1"),
    (re.compile(r"\bdecimal='([.,])'"), r"--read decimal=\1"),
    (re.compile(r"\b(delimiter|decimal|encoding|header|sheet)=(?!\w)"), r"--read \1=…"),
    (re.compile(r"limits=\{'(\w+)': (\d+)\}"), r"--read limit_\1=\2"),
    (re.compile(r"\bdayfirst=(?!\w)"), "--read dayfirst=true|false"),
    (re.compile(r", use a regressor, or declare"), ", or declare"),
    (re.compile(r" or use unseen='missing'"), " or --set unseen=missing"),
    (re.compile(r"raise max_rows"), "raise --max-rows"),
    (re.compile(r"\bn_jobs=1\b"), "--jobs 1"),
)


def as_options(text: str) -> str:
    """The same advice, in options.

    >>> print(as_options("choose another (levels={'a': \\"nominal\\"})"))
    choose another (--nominal 'a')
    """
    for pattern, option in _SAME:
        text = pattern.sub(option, text)
    return text

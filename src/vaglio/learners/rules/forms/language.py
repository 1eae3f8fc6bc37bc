"""The language of rules (see :mod:`vaglio.learners.rules.forms.text`): tokens, and a reader that makes drafts of them.

A draft says what was written, before it is known what the columns are: the type of a column may follow only from all
tests of the text together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from vaglio.encode import Feature, split_words
from vaglio.errors import InputError
from vaglio.messages.figures import days_of
from vaglio.messages.message import text
from vaglio.model.condition import KEYWORDS, WORD

# Longer alternatives come first: a date before a number, a number before a word, <= before <.
_TOKEN = re.compile(
    rf"""(?P<space>\s+|\#[^\n]*)
      | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<date>\d{{4}}-\d\d-\d\d(?:\ \d\d:\d\d(?::\d\d(?:\.\d{{1,6}})?)?)?(?!\w))
      | (?P<number>[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf\b|nan\b)(?!\w))
      | (?P<word>{WORD})
      | (?P<mark><=|>=|!=|[<>=(){{}}\[\],:*+-])""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """A word, number, date, string or mark of the text, with its line; the last one is the end."""

    kind: str
    text: str
    line: int


class Day(float):
    """Days since 1970 that stand as a date in the text."""


class TokenReader:
    """Reads a text token by token: what comes next, what is expected, and values of every form.

    Parameters
    ----------
    text : str
    """

    def __init__(self, text: str) -> None:
        self.tokens: list[Token] = []
        self.at = at = 0
        line = 1
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise InputError(
                    "rules-unreadable",
                    "Rules, line {line}: cannot read {text!r}.",
                    line=line,
                    text=text[at : at + 20],
                )
            if found.lastgroup != "space":
                self.tokens.append(Token(found.lastgroup or "", found.group(), line))
            line += found.group().count("\n")
            at = found.end()
        self.tokens.append(Token("end", "", line))

    # -- tokens --
    def peek(self, ahead: int = 0) -> Token:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.peek()
        self.at += 1
        return token

    def is_key(self, word: str, ahead: int = 0) -> bool:
        token = self.peek(ahead)
        return token.kind == "word" and token.text.upper() == word

    def accept(self, text: str) -> bool:
        token = self.peek()
        found = self.is_key(text) or (token.kind == "mark" and token.text == text)
        self.at += found
        return found

    def expect(self, mark: str) -> None:
        if not self.accept(mark):
            raise self.error(text("expected {mark}", mark=mark))

    def expect_end(self) -> None:
        if self.peek().kind != "end":
            raise self.error(text("expected the end"))

    def error(self, what: str) -> InputError:
        token = self.peek()
        found = text("the end") if token.kind == "end" else repr(token.text)
        return InputError(
            "rules-syntax",
            "Rules, line {line}: {expected}, found {found}.",
            line=token.line,
            expected=what,
            found=found,
        )

    # -- values --
    def value(self) -> Any:
        token = self.take()
        if token.kind == "string":
            try:
                return json.loads(token.text, strict=False)
            except ValueError:
                pass
        elif token.kind == "number":
            return int(token.text) if re.fullmatch(r"[-+]?\d+", token.text) else float(token.text)
        elif token.kind == "word":
            upper = token.text.upper()
            if upper in ("TRUE", "FALSE"):
                return upper == "TRUE"
            if upper not in KEYWORDS:
                return token.text
        self.at -= 1
        raise self.error(text("expected a name or a value"))

    def name(self) -> str:
        value = self.value()
        if not isinstance(value, str):
            self.at -= 1
            raise self.error(text("expected the name of a column"))
        return value

    def number(self) -> float:
        if self.peek().kind != "number":
            raise self.error(text("expected a number"))
        return float(self.take().text)

    def bound(self) -> Any:
        """What a column is compared with: a value, or the days since 1970 of a date."""
        if self.peek().kind != "date":
            return self.value()
        try:
            return Day(days_of(self.take().text))
        except ValueError:
            self.at -= 1
            raise self.error(text("expected a date of the calendar")) from None

    def values(self, joint: str) -> list[Any]:
        values = [self.value()]
        while self.accept(joint):
            if self.peek().kind in ("end",) or self.is_key("COLUMN") or self.is_key("CHOOSE"):
                break
            values.append(self.value())
        return values

    def weights(self) -> dict[Any, float] | None:
        if not self.accept("["):
            return None
        weights: dict[Any, float] = {}
        while not self.accept("]"):
            label = self.value()
            weights[label] = self.number()
            if not self.accept(","):
                self.expect("]")
                break
        return weights


@dataclass
class _OneColumn:
    """A test of one column, in a line of the text."""

    name: str
    line: int

    @property
    def names(self) -> list[str]:
        return [self.name]


@dataclass
class OrderTest(_OneColumn):
    """``x <= 3``, or both ends of an interval."""

    bounds: list[tuple[str, Any]]
    missing: float = 0.0


@dataclass
class SetTest(_OneColumn):
    """``x = a``, ``x IN {a, b}``, or the negation."""

    values: list[Any]
    negated: bool
    missing: float = 0.0
    word: Feature | None = None


@dataclass
class StateTest(_OneColumn):
    """``x IS MISSING``, ``x IS KNOWN``."""

    known: bool
    missing: float = 0.0
    word: Feature | None = None


@dataclass
class LinearTest:
    """``0.5 * x - 2 * y <= 3``."""

    terms: list[tuple[float, str]]
    operator: str
    threshold: float
    line: int
    missing: float = 0.0

    @property
    def names(self) -> list[str]:
        return [name for _, name in self.terms]


AnyTest = OrderTest | SetTest | StateTest | LinearTest


@dataclass
class DraftRule:
    """One IF … THEN … line."""

    tests: list[AnyTest]
    label: Any
    weights: dict[Any, float] | None
    covered: dict[Any, float] | None
    line: int


def infer_features(tests: Iterable[AnyTest], declared: dict[str, Feature]) -> tuple[Feature, ...]:
    """The columns of a text: those declared, and those its tests name, by how they are tested."""
    words: dict[str, Feature] = {}
    numeric: dict[str, bool] = {}  # whether it is compared with dates
    values: dict[str, dict[Any, None]] = {}
    for test in tests:
        for name in test.names:
            if name in declared:
                continue
            if isinstance(test, (SetTest, StateTest)) and test.word is not None:
                words[name] = test.word
                continue
            if isinstance(test, SetTest):
                if test.negated:
                    raise InputError(
                        "rules-unknown-values",
                        "Rules, line {line}: the other values of {column!r} are unknown. Add a line COLUMN "
                        "{column}: with all its values.",
                        line=test.line,
                        column=name,
                    )
                values.setdefault(name, {}).update(dict.fromkeys(test.values))
            elif not isinstance(test, StateTest):
                dates = isinstance(test, OrderTest) and any(isinstance(end, Day) for _, end in test.bounds)
                numeric[name] = numeric.get(name, False) or dates
            else:
                values.setdefault(name, {})
    inferred = {**declared, **words}
    for name in [*numeric, *values]:
        if name in numeric:
            inferred[name] = Feature(name, is_date=numeric[name])
        elif all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values[name]):
            # Only ever compared with numbers, or only tested for being missing.
            inferred[name] = Feature(name, is_date=any(isinstance(v, Day) for v in values[name]))
        else:
            inferred[name] = Feature(name, "nominal", tuple(values[name]))
    return tuple(inferred.values())


class RuleReader(TokenReader):
    """Reads rules and conditions."""

    def rule(self) -> DraftRule:
        line = self.peek().line
        self.expect("IF")
        conditions: list[AnyTest] = []
        if not self.accept("ANYTHING"):
            conditions.append(self.condition())
            while self.accept("AND"):
                conditions.append(self.condition())
        self.expect("THEN")
        label = self.value()
        weights = self.weights()
        covered = self.weights() if self.accept("COVERS") else None
        return DraftRule(conditions, label, weights, covered, line)

    def condition(self) -> AnyTest:
        if not self.accept("("):
            return self.test()
        test = self.test()
        if self.accept("OR"):
            self.expect("MISSING")
            test.missing = self.share()
        self.expect(")")
        return test

    def share(self) -> float:
        """The share of a row without the value that a condition takes; all of it if nothing is said."""
        share = self.number() if self.peek().kind == "number" else 1.0
        if not 0 <= share <= 1:
            raise self.error(text("a share of missing values must be between 0 and 1"))
        return share

    def test(self) -> AnyTest:
        line = self.peek().line
        if self.peek().kind in ("number", "date"):
            if self.peek(1).text == "*":
                return self.linear(line)
            low = self.bound()
            op = self.order()
            if op not in ("<", "<="):
                raise self.error(text("expected < or <= before the column of an interval"))
            name = self.name()
            other = self.order()
            if other not in ("<", "<="):
                raise self.error(text("expected < or <= after the column of an interval"))
            return OrderTest(name, line, [({"<": ">", "<=": ">="}[op], low), (other, self.bound())])
        name = self.name()
        word, contains = None, self.accept("CONTAINS")
        if contains or self.accept("DOES"):
            word = self.word(name, contains)
            name = word.name
        if self.accept("IS"):
            return self.state(name, line, word)
        if word is not None:
            return SetTest(name, line, ["yes" if contains else "no"], False, word=word)
        negated = self.accept("NOT")
        if self.accept("IN"):
            self.expect("{")
            values = [] if self.peek().text == "}" else self.values(",")
            self.expect("}")
            return SetTest(name, line, values, negated)
        if self.accept("BETWEEN"):
            low = self.value()
            self.expect("AND")
            return OrderTest(name, line, [(">=", low), ("<=", self.value())])
        if self.accept("="):
            return SetTest(name, line, [self.bound()], False)
        if self.accept("!="):
            return SetTest(name, line, [self.value()], True)
        return OrderTest(name, line, [(self.order(), self.bound())])

    def order(self) -> str:
        for op in ("<=", ">=", "<", ">"):
            if self.accept(op):
                return op
        raise self.error(text("expected a comparison"))

    def word(self, column: str, contains: bool) -> Feature:
        """The rest of ``subject contains "offer"`` and ``subject does not contain "offer"``."""
        if not contains:
            self.expect("NOT")
            self.expect("CONTAIN")
        word = self.value()
        if not isinstance(word, str) or not word or split_words(word) != [word]:
            raise InputError(
                "rules-not-a-word",
                "Rules, line {line}: {word!r} is not a word of a text. Words have at least two "
                "lower-case letters or digits.",
                line=self.peek().line,
                word=word,
            )
        return Feature.of_word(column, word)

    def state(self, name: str, line: int, word: Feature | None) -> StateTest:
        if self.accept("KNOWN"):
            return StateTest(name, line, known=True, word=word)
        self.expect("MISSING")
        return StateTest(name, line, known=False, missing=self.share(), word=word)

    def linear(self, line: int) -> LinearTest:
        terms: list[tuple[float, str]] = []
        sign = 1.0
        while True:
            coefficient = sign * self.number()
            self.expect("*")
            terms.append((coefficient, self.name()))
            if self.accept("+"):
                sign = 1.0
            elif self.accept("-"):
                sign = -1.0
            else:
                break
        return LinearTest(terms, self.order(), self.number(), line)

"""The grammar of rules (see :mod:`vaglio.learners.rules.forms.rule_text`), read by recursive descent into drafts.

A draft says what was written, before it is known what the columns are: the type of a column may follow only from all
tests of the text together.
"""

from __future__ import annotations

from vaglio.encode import Feature, split_words
from vaglio.errors import InputError
from vaglio.learners.rules.forms.draft import AnyTest, DraftRule, LinearTest, OrderTest, SetTest, StateTest
from vaglio.learners.rules.forms.tokens import TokenReader

__all__ = ["RuleReader"]


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
            raise self.error("a share of missing values lies between 0 and 1")
        return share

    def test(self) -> AnyTest:
        line = self.peek().line
        if self.peek().kind == "number":
            if self.peek(1).text == "*":
                return self.linear(line)
            low = self.number()
            op = self.order()
            if op not in ("<", "<="):
                raise self.error("expected < or <= before the column of an interval")
            name = self.name()
            other = self.order()
            if other not in ("<", "<="):
                raise self.error("expected < or <= after the column of an interval")
            return OrderTest(name, line, [({"<": ">", "<=": ">="}[op], low), (other, self.number())])
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
            return SetTest(name, line, [self.value()], False)
        if self.accept("!="):
            return SetTest(name, line, [self.value()], True)
        return OrderTest(name, line, [(self.order(), self.value())])

    def order(self) -> str:
        for op in ("<=", ">=", "<", ">"):
            if self.accept(op):
                return op
        raise self.error("expected a comparison")

    def word(self, column: str, contains: bool) -> Feature:
        """The rest of ``subject contains "offer"`` and ``subject does not contain "offer"``."""
        if not contains:
            self.expect("NOT")
            self.expect("CONTAIN")
        word = self.value()
        if not isinstance(word, str) or not word or split_words(word) != [word]:
            raise InputError(
                f"Rules, line {self.peek().line}: {word!r} is no word a text is split into; those have at least two "
                "letters or digits, in lower case."
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

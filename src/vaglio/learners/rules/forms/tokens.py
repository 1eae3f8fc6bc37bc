"""A text of rules as tokens, and the reader that takes them one by one."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from vaglio.errors import InputError
from vaglio.model.condition_text import KEYWORDS, WORD

__all__ = ["TokenReader"]

# Longer alternatives come first: a number before a word, <= before <.
_TOKEN = re.compile(
    rf"""(?P<space>\s+|\#[^\n]*)
      | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<number>[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf\b|nan\b)(?!\w))
      | (?P<word>{WORD})
      | (?P<mark><=|>=|!=|[<>=(){{}}\[\],:*+-])""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """A word, number, string or mark of the text, with its line; the last one is the end."""

    kind: str
    text: str
    line: int


class TokenReader:
    """Reads a text token by token: what comes next, what is expected, and values of every form.

    Parameters
    ----------
    text : str
    """

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.at = 0

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

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise self.error(f"expected {text}")

    def expect_end(self) -> None:
        if self.peek().kind != "end":
            raise self.error("expected nothing more")

    def error(self, what: str) -> InputError:
        token = self.peek()
        found = "the end" if token.kind == "end" else repr(token.text)
        return InputError(f"Rules, line {token.line}: {what}, found {found}.")

    # -- values --
    def value(self) -> Any:
        token = self.take()
        if token.kind == "string":
            try:
                return json.loads(token.text, strict=False)
            except ValueError:
                pass
        elif token.kind == "number":
            return _number(token.text)
        elif token.kind == "word":
            upper = token.text.upper()
            if upper in ("TRUE", "FALSE"):
                return upper == "TRUE"
            if upper not in KEYWORDS:
                return token.text
        self.at -= 1
        raise self.error("expected a name or a value")

    def name(self) -> str:
        value = self.value()
        if not isinstance(value, str):
            self.at -= 1
            raise self.error("expected the name of a column")
        return value

    def number(self) -> float:
        if self.peek().kind != "number":
            raise self.error("expected a number")
        return float(self.take().text)

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


def _tokens(text: str) -> list[Token]:
    tokens, at, line = [], 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise InputError(f"Rules, line {line}: cannot read {text[at : at + 20]!r}.")
        if found.lastgroup != "space":
            tokens.append(Token(found.lastgroup or "", found.group(), line))
        line += found.group().count("\n")
        at = found.end()
    tokens.append(Token("end", "", line))
    return tokens


def _number(text: str) -> int | float:
    return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)

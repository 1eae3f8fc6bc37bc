"""What can be fuzzed: a target makes an input from random numbers and tries it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from random import Random
from typing import Any

TARGETS: dict[str, type[Target]] = {}


class Finding(Exception):
    """A promise that was broken without an exception: a probability that is no number, say."""


class Target(ABC):
    """One kind of input.

    An attempt is a number: with the seed it decides the input, so that a finding can be repeated from two numbers.

    Attributes
    ----------
    name : str
        As on the command line.
    suffix : str
        Of the file in which the input of a finding is kept.
    """

    name: str
    suffix: str

    def __init_subclass__(cls) -> None:
        TARGETS[cls.name] = cls

    @abstractmethod
    def prepare(self) -> None:
        """Make the small valid inputs that are changed later. Called once, before processes are forked."""

    @abstractmethod
    def make(self, random: Random) -> bytes:
        """Return an input."""

    @abstractmethod
    def attempt(self, content: bytes) -> str:
        """Use the input, and return one word for what became of it.

        An error of vaglio's own is an answer. Every other exception is a finding, and so is the end of the process.
        """


def pick(random: Random, values: Any) -> Any:
    """Return one of the values."""
    return values[random.randrange(len(values))]

"""Exercises made for a seed, with worked solutions, and the marking of answers."""

from __future__ import annotations

from vaglio.exercises.marking import Marks, mark
from vaglio.exercises.sheet import Exercise, Question
from vaglio.exercises.topics import exercise, topics

__all__ = ["Exercise", "Marks", "Question", "exercise", "mark", "topics"]

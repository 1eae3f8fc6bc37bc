"""Parameters as fields of a form: what a field allows, the learner takes."""

from __future__ import annotations

from typing import get_args

import pytest

import vaglio
from vaglio.errors import InputError
from vaglio.learners.parameter_text import learner_from_words, parameter_fields
from vaglio.learners.provenance import learner_source
from vaglio.learners.registry import learners_of
from vaglio.model.families import Task


@pytest.mark.parametrize(("task", "learner"), [(task, name) for task in get_args(Task) for name in learners_of(task)])
def test_every_choice_and_the_ends_of_every_range_are_taken(task: Task, learner: str):
    fields = parameter_fields(learner, task)
    assert len({field.name for field in fields}) == len(fields)
    for field in fields:
        assert field.meaning, field.name
        for choice in field.choices:
            made = learner_from_words(learner, {field.name: choice}, 0, 1, task=task)
            assert str(getattr(made, field.name)) == choice
        if field.number == "whole" and field.low is not None:
            learner_from_words(learner, {field.name: f"{field.low:.0f}"}, 0, 1, task=task)
            with pytest.raises(InputError, match=field.name):
                learner_from_words(learner, {field.name: f"{field.low - 1:.0f}"}, 0, 1, task=task)


def test_a_wrong_name_or_value_is_a_sentence():
    with pytest.raises(InputError, match="has no parameter 'depth'"):
        learner_from_words("c45", {"depth": "3"}, 0, 1)
    with pytest.raises(InputError, match="min_samples_leaf"):
        learner_from_words("c45", {"min_samples_leaf": "many"}, 0, 1)


@pytest.mark.parametrize(("task", "learner"), [(task, name) for task in get_args(Task) for name in learners_of(task)])
def test_the_python_of_every_parameter_off_its_default_makes_the_learner_again(task: Task, learner: str):
    for field in parameter_fields(learner, task):
        low = 0.5 if field.low is None else field.low + 0.25
        numbers = {"whole": [str(int(field.low or 0) + 1)], "real": [str(min(low, field.high or low)), "inf"], "": []}
        for value in [*field.choices, *numbers[field.number]]:
            try:
                made = learner_from_words(learner, {field.name: value}, 0, 1, task=task)
            except InputError:
                continue  # infinity is beyond most limits
            again = eval(learner_source(made), {"vaglio": vaglio})
            assert again.get_params(deep=False)[field.name] == made.get_params(deep=False)[field.name], (field, value)

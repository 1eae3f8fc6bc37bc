"""The list "A new learner" of CONTRIBUTING.md, followed step by step with a toy: the nearest class mean.

What CONTRIBUTING puts into a file of the package stands here in one module, registered from outside by the same calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import vaglio
from vaglio.cli import _learners, _output
from vaglio.document.document import Page
from vaglio.document.training import Training
from vaglio.encode import EncodedMatrix, Feature
from vaglio.errors import InputError, ModelFileError
from vaglio.explanation import Context, Explanation, Reason
from vaglio.explanation.chapter import Background, Chapter, ChapterLimits
from vaglio.fitted import Fitted
from vaglio.learners.estimator import VaglioClassifier
from vaglio.learners.registry import LEARNERS, add_learner
from vaglio.model import checks
from vaglio.model.base import State
from vaglio.model.families import Family, Kind, Learner, add_family, remove_family
from vaglio.report.limits import Limits
from vaglio.report.model_chapter import model_chapter

NAME = "nearest-mean"
CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"


# -- 1. the model ----------------------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class MeanModel:
    """The mean of the numbers of each class."""

    kind: ClassVar[str] = NAME

    mean: np.ndarray

    def distances(self, matrix: EncodedMatrix) -> np.ndarray:
        """Squared distance of each row to the mean of each class; a missing value counts nothing."""
        difference = np.nan_to_num(matrix.numeric[:, None, :] - self.mean)
        distances: np.ndarray = (difference**2).sum(axis=2)
        return distances

    def predict_proba(self, matrix: EncodedMatrix) -> np.ndarray:
        closeness = 1 / (1 + self.distances(matrix))
        probability: np.ndarray = closeness / closeness.sum(axis=1, keepdims=True)
        return probability

    def size(self) -> dict[str, int]:
        return {"means": self.mean.size}

    def state(self) -> State:
        return {"mean": self.mean}, {}

    @classmethod
    def from_state(
        cls, arrays: dict[str, np.ndarray], meta: dict[str, Any], features: tuple[Feature, ...], n_classes: int
    ) -> MeanModel:
        width = sum(feature.in_numeric_block for feature in features)
        return cls(checks.array(arrays, "mean", np.float64, (n_classes, width), finite=True))


# -- 2. the learner --------------------------------------------------------------------------------------------------
class NearestMeanClassifier(VaglioClassifier):
    """Give a row the class whose mean is nearest."""

    _learner_id = NAME
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"centre": ["boolean"]}

    def __init__(self, centre: bool = True) -> None:
        self.centre = centre

    def _learn(self, matrix: EncodedMatrix, y: np.ndarray, weight: np.ndarray | None) -> MeanModel:
        codes = range(len(self.classes_))
        rows = np.nan_to_num(matrix.numeric)
        w = np.ones(len(y)) if weight is None else weight
        return MeanModel(np.array([np.average(rows[y == code], axis=0, weights=w[y == code]) for code in codes]))


# -- 3. the explanation ----------------------------------------------------------------------------------------------
def explain_mean(model: MeanModel, matrix: EncodedMatrix, context: Context) -> list[Explanation]:
    distances, probability = model.distances(matrix), model.predict_proba(matrix)
    found = []
    for far, chance in zip(distances, probability):
        best = int(np.argmax(chance))
        reason = Reason(f"the mean of {context.label(best)} is nearest", weight=float(-far[best]))
        found.append(Explanation(context.label(best), float(chance[best]), reasons=(reason,)))
    return found


# -- 4. the trace ----------------------------------------------------------------------------------------------------
def trace_mean(page: Page, training: Training) -> None:
    page.section(page.say("distances"))
    page.table(["class", "mean"], zip(training.classes, training.model.mean.round(2).tolist()))
    page.facts["means"] = training.model.mean.tolist()


# -- 5. the chapter of the report, and the forms for other programs --------------------------------------------------
def mean_parts(fitted: Fitted, about: Background, limits: ChapterLimits) -> Chapter:
    return ["A row gets the class whose mean is nearest."], []


def mean_formats(fitted: Fitted) -> dict[str, Any]:
    model: Any = fitted.model
    return {"csv": lambda: "\n".join(",".join(map(str, row)) for row in model.mean.tolist())}


# -- 6. the record ---------------------------------------------------------------------------------------------------
FAMILY = Family(
    name="means",
    kinds=(Kind(NAME, missing="left out", readable=True),),
    learners=(
        Learner(NAME, NAME, lambda: {NAME: NearestMeanClassifier}, "nearest class mean", {"centre": [True, False]}),
    ),
    models=lambda: {NAME: MeanModel},
    explain=lambda: {NAME: explain_mean},
    formats=lambda: {NAME: mean_formats},
    chapter=lambda: {NAME: mean_parts},
    trace=lambda: {NAME: trace_mean},
)


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    """Make the family known as those of the package are, and take it out again for the other tests."""
    add_family(FAMILY)
    add_learner(FAMILY.learners[0])
    yield
    remove_family(FAMILY.name)
    del LEARNERS[NAME]


@pytest.fixture(scope="module")
def iris() -> tuple[Any, Any]:
    return vaglio.datasets.load("iris").xy("species")


@pytest.fixture(scope="module")
def fitted(iris: tuple[Any, Any], registered: None) -> Any:
    return NearestMeanClassifier().fit(*iris).fitted_


def test_contributing_names_every_step_of_this_file() -> None:
    section = re.search(r"## A new learner in (\w+) steps\n(.*?)\n## ", CONTRIBUTING.read_text(encoding="utf-8"), re.S)
    assert section is not None
    steps = re.findall(r"^(\d+)\. \*\*(.+?)\*\*", section[2], re.M)
    done = re.findall(r"^# -- (\d+)\. (.+?) -+$", Path(__file__).read_text(encoding="utf-8"), re.M)
    # Pages and tests are steps that a toy inside a test cannot take.
    assert [name.lower() for _, name in steps] == [*(name for _, name in done), "the page", "the tests"]
    words = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    assert words[len(steps) - 1] == section[1]


def test_it_learns_and_predicts(iris: tuple[Any, Any], fitted: Any) -> None:
    X, y = iris
    assert np.mean(fitted.predict(X) == y) > 0.9
    np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1)


def test_it_is_saved_and_loaded(iris: tuple[Any, Any], fitted: Any, tmp_path: Path) -> None:
    fitted.save(tmp_path / "mean.vaglio")
    again = vaglio.load(tmp_path / "mean.vaglio")
    np.testing.assert_array_equal(again.predict_proba(iris[0]), fitted.predict_proba(iris[0]))
    remove_family(FAMILY.name)
    try:
        with pytest.raises(ModelFileError, match="unknown kind 'nearest-mean'"):
            vaglio.load(tmp_path / "mean.vaglio")
    finally:
        add_family(FAMILY)


def test_it_explains_itself_and_what_would_change_its_decision(iris: tuple[Any, Any], fitted: Any) -> None:
    X, _ = iris
    explanation = fitted.explain(X[[0]])[0]
    assert explanation.reasons[0].text == f"the mean of {explanation.decision} is nearest"
    assert explanation.counterfactual is not None
    assert explanation.counterfactual.decision != explanation.decision


def test_a_missing_value_is_told_by_the_record(iris: tuple[Any, Any], fitted: Any) -> None:
    row = dict.fromkeys(iris[0].columns)
    note = fitted.explain([row], counterfactual=False)[0].notes[0]
    assert note.startswith("missing values of ")


def test_its_work_is_traced(iris: tuple[Any, Any]) -> None:
    X, y = iris
    work = vaglio.trace(NAME, X, y)
    assert NAME in work.title
    assert len(work.facts["means"]) == 3
    assert NAME in vaglio.tracing.learners()


def test_the_report_has_its_chapter() -> None:
    table = vaglio.datasets.load("iris")
    study = vaglio.Study(table, "species", learners=[NAME], strategy="zero").run(progress=False)
    assert "A row gets the class whose mean is nearest." in model_chapter(study, Limits())["lead"]


def test_it_can_be_written_for_other_programs(fitted: Any) -> None:
    assert len(fitted.export("csv").splitlines()) == 3


def test_the_command_line_knows_its_id(fitted: Any) -> None:
    assert _learners.make_learner(NAME, ["centre=false"], seed=0, jobs=None).centre is False
    assert _learners.learner_ids([NAME]) == [NAME]
    assert "explain" in _output.after_model(fitted, Path("mean.vaglio"), "iris.csv")


def test_a_name_is_given_once() -> None:
    with pytest.raises(InputError, match="family 'means' already"):
        add_family(FAMILY)
    with pytest.raises(InputError, match="kind of model 'nearest-mean' already"):
        add_family(FAMILY._replace(name="others"))
    with pytest.raises(InputError, match="learner 'nearest-mean' already"):
        add_learner(FAMILY.learners[0])
    with pytest.raises(InputError, match="unknown kind of model"):
        add_learner(Learner("other", "no-such-kind", dict, ""))
    with pytest.raises(InputError, match="names the task 'kitchen'"):
        add_family(FAMILY._replace(name="others", kinds=(Kind("other", without={"kitchen": "it does not cook"}),)))

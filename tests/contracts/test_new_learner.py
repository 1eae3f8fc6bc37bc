"""A new kind of model is one folder and three other files, a new learner of a known kind one file and two others.

Both are really added to a copy of the package, and everything the package does with a learner is tried in a process of
its own. The toy, the nearest class mean, is the folder ``toy_family``; it follows the list "A new learner" of
docs/contributing/new-learner.md. The same family registered from outside, by ``add_family`` and ``add_learner``, does
the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import numpy as np
import pytest
from tests.contracts.package_copy import PackageCopy
from tests.contracts.toy_family.estimators import NearestMeanClassifier
from tests.contracts.toy_family.family import FAMILY

import vaglio
from vaglio.cli import _learners, _output
from vaglio.errors import InputError, ModelFileError
from vaglio.learners.registry import LEARNERS, add_learner
from vaglio.model.families import Kind, Learner, add_family, remove_family
from vaglio.report.limits import Limits
from vaglio.report.model_chapter import model_chapter

NAME = "nearest-mean"
TOY = Path(__file__).parent / "toy_family"
STEPS = Path(__file__).parents[2] / "docs" / "contributing" / "new-learner.md"

# Everything the package does with a learner, by its id {name!r} and its public class.
USES = """
from vaglio.cli.main import main
from vaglio.report.limits import Limits
from vaglio.report.model_chapter import model_chapter

X, y = vaglio.datasets.load("iris").xy("species")
fitted = getattr(vaglio, {cls!r})().fit(X, y).fitted_
fitted.save("model.vaglio")
again = vaglio.load("model.vaglio")
found["accuracy"] = float((again.predict(X) == y).mean())
found["same"] = bool((again.predict_proba(X) == fitted.predict_proba(X)).all())
explanation = again.explain(X[[0]])[0]
found["reasons"] = [reason.text for reason in explanation.reasons]
found["changed"] = explanation.counterfactual.decision != explanation.decision
found["exports"] = {{form: len(again.export(form)) for form in {formats!r}}}
found["trace"] = vaglio.trace({name!r}, X[::10], y[::10]).title
study = vaglio.Study(vaglio.datasets.load("iris"), "species", learners=[{name!r}], strategy="zero").run(progress=False)
found["chapter"] = model_chapter(study, Limits())["lead"]
vaglio.datasets.load("iris").to_frame()[::10].to_csv("small.csv", index=False)
found["commands"] = []
for words in (
    ["train", "iris", "--target", "species", "--learner", {name!r}, "--folds", "2", "--out", "cli.vaglio"],
    ["inspect", "cli.vaglio"],
    ["explain", "cli.vaglio", "iris", "--row", "3"],
    ["trace", "small.csv", "--target", "species", "--learner", {name!r}],
):
    try:
        main(words)
    except SystemExit as ended:
        found["commands"].append(ended.code or 0)
found["digest"] = vaglio.load("cli.vaglio").digest != ""
"""


def use(package: PackageCopy, cls: str, name: str, formats: tuple[str, ...]) -> dict[str, Any]:
    """Do everything with a learner that was added to a copy of the package, and check what all learners share."""
    found = package.run(USES.format(cls=cls, name=name, formats=formats))
    assert found["accuracy"] > 0.6
    assert found["same"]
    assert found["changed"]
    assert found["digest"]
    assert min(found["exports"].values()) > 0
    assert set(found["commands"]) == {0}
    return found


def public(package: PackageCopy, name: str, module: str) -> None:
    """Export a class from ``vaglio``, for programs and for type checkers."""
    package.insert("__init__.py", "    # models\n", f'    "{name}": "{module}",\n')
    package.insert(
        "__init__.py", "    from vaglio.quality import audit", f"    from {module} import {name} as {name}\n"
    )


@pytest.mark.slow
def test_a_kind_of_model_is_one_folder_and_at_most_three_other_files(tmp_path: Path) -> None:
    package = PackageCopy(tmp_path)
    copytree(TOY, package.package / "learners" / "means", ignore=ignore_patterns("__pycache__"))
    package.insert("learners/families.py", "\n__all__", "from vaglio.learners.means.family import FAMILY as MEANS\n")
    package.insert("learners/families.py", ", ENSEMBLES)", ", MEANS")
    public(package, "NearestMeanClassifier", "vaglio.learners.means.estimators")
    new, changed = package.touched()
    assert {Path(file).parent.as_posix() for file in new} == {"learners/means"}
    assert changed == ["__init__.py", "learners/families.py"]
    found = use(package, "NearestMeanClassifier", NAME, ("csv",))
    assert re.fullmatch("the mean of .* is nearest", found["reasons"][0])
    assert "A row gets the class whose mean is nearest." in found["chapter"]
    assert NAME in found["trace"]


STUMP = '''"""A tree of one test (Iba and Langley 1992)."""

from __future__ import annotations

from vaglio.learners.parameters import estimator
from vaglio.learners.trees.estimators.decision_tree import DecisionTreeClassifier


@estimator
class StumpClassifier(DecisionTreeClassifier):
    """A tree of one test."""

    _learner_id = "stump"

    max_depth: int | None = 1
'''
STUMP_RECORD = """        Learner("stump", "tree", _estimators, "a tree of one test", {"min_samples_leaf": [1, 5]}),
"""


@pytest.mark.slow
def test_a_learner_of_a_known_kind_is_one_file_and_at_most_two_others(tmp_path: Path) -> None:
    package = PackageCopy(tmp_path)
    module = "vaglio.learners.trees.estimators.stump"
    (package.package / "learners/trees/estimators/stump.py").write_text(STUMP, encoding="utf-8")
    record = "learners/trees/family.py"
    package.insert(record, "    ),\n    models=_models", STUMP_RECORD)
    package.insert(
        record, '\n    return {\n        "id3": ID3Classifier', f"    from {module} import StumpClassifier\n"
    )
    package.insert(record, '        "id3": ID3Classifier', '        "stump": StumpClassifier,\n')
    package.insert(record, '        "id3": trace_tree,', '        "stump": trace_tree,\n')
    public(package, "StumpClassifier", module)
    new, changed = package.touched()
    assert new == ["learners/trees/estimators/stump.py"]
    assert changed == ["__init__.py", "learners/trees/family.py"]
    found = use(package, "StumpClassifier", "stump", ("json", "sql", "python", "c"))
    assert len(found["reasons"]) == 1


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


def test_contributing_names_every_file_of_the_toy() -> None:
    section = re.search(r"## A new learner in (\w+) steps\n(.*?)\n## ", STEPS.read_text(encoding="utf-8"), re.S)
    assert section is not None
    steps = re.findall(r"^(\d+)\. \*\*(.+?)\*\*(.*?)(?=^\d+\. |\Z)", section[2], re.M | re.S)
    words = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    assert words[len(steps) - 1] == section[1]
    named = {found for *_, text in steps for found in re.findall(r"`(?:learners/<family>/)?(\w+)(?:/|\.py)", text)}
    assert {file.stem for file in TOY.glob("[a-z]*.py")} <= named


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
    with pytest.raises(InputError, match="already is a family 'means'"):
        add_family(FAMILY)
    with pytest.raises(InputError, match="already is a kind of model 'nearest-mean'"):
        add_family(FAMILY._replace(name="others"))
    with pytest.raises(InputError, match="already a learner 'nearest-mean'"):
        add_learner(FAMILY.learners[0])
    with pytest.raises(InputError, match="unknown kind of model"):
        add_learner(Learner("other", "no-such-kind", dict, ""))
    with pytest.raises(InputError, match="names the unknown task 'kitchen'"):
        add_family(FAMILY._replace(name="others", kinds=(Kind("other", without={"kitchen": "it does not cook"}),)))

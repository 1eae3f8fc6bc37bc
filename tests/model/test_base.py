"""Functions by kind of model: found beside their family, and loaded when first asked for."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from vaglio.model.base import Dispatch


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A room with a package for one family and a module for another; both register functions."""
    package = tmp_path / "some_room"
    (package / "trees").mkdir(parents=True)
    (package / "__init__.py").write_text("from vaglio.model.base import Dispatch\nfound = Dispatch('some_room')\n")
    (package / "trees" / "__init__.py").write_text("")
    (package / "trees" / "single.py").write_text(
        "from some_room import found\n@found.register('tree')\ndef of_tree(): return 'tree'\n"
    )
    (package / "svm.py").write_text("from some_room import found\n@found.register('svm')\ndef of_svm(): return 'svm'\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "some_room"
    for name in [name for name in sys.modules if name.split(".")[0] == "some_room"]:
        del sys.modules[name]


def _found(room: str) -> Dispatch:
    module: ModuleType = __import__(room)
    return module.found


def test_only_the_family_of_the_kind_is_imported(room: str) -> None:
    assert _found(room).find("svm")() == "svm"
    assert "some_room.svm" in sys.modules
    assert "some_room.trees" not in sys.modules


def test_every_module_of_a_package_is_searched(room: str) -> None:
    assert _found(room).find("tree")() == "tree"


def test_a_family_that_the_room_lacks_is_an_error_of_the_room(room: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=r"some_room\.neighbors"):
        _found(room).find("neighbors")


def test_a_kind_without_a_function_has_none() -> None:
    assert Dispatch().find("tree") is None
    assert Dispatch().find("no such kind") is None


def test_a_function_is_forgotten_when_asked() -> None:
    found: Dispatch = Dispatch()
    found.register("tree", "forest")(len)
    found.forget("tree")
    assert found.names() == ["forest"]

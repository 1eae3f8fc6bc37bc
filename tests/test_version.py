"""The version stands in one place, and every surface says it exactly, the commit between releases included."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import vaglio
from vaglio.report import render_html, summarize_study

ROOT = Path(__file__).parent.parent


def provider(root: Path) -> str:
    """Return what a build of this folder would say."""
    script = f"import sys; sys.path.insert(0, {str(root / 'tools' / 'version')!r}); import vaglio_version as v; "
    script += "print(v.dynamic_metadata({}, {})['version'])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A folder with the two files that a version is made of, between two releases."""
    for name in ("src/vaglio/_version.py", "tools/version/vaglio_version.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "src/vaglio/_version.py").write_text('VERSION = "1.2.3.dev0"\n')
    return tmp_path


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
    done = subprocess.run(["git", "-C", str(folder), *identity, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_form():
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+(\+g[0-9a-f]{7,}(\.dirty)?)?)?", vaglio.__version__)


@pytest.mark.slow
def test_every_surface_says_the_same(tmp_path: Path):
    table = vaglio.datasets.load("play")
    study = vaglio.Study(table, "play", learners=["c45"]).run()
    assert vaglio.__version__ in render_html(summarize_study(study))
    model = vaglio.C45Classifier().fit(*table.xy("play")).fitted_
    model.save(tmp_path / "play.vaglio")
    content = (tmp_path / "play.vaglio").read_bytes()
    assert vaglio.__version__.encode() in content
    assert vaglio.load(tmp_path / "play.vaglio").provenance["version"] == vaglio.__version__
    assert vaglio.__version__ in model.to_c()


def test_a_checkout_says_its_commit(sources: Path):
    git(sources, "init", "-q")
    git(sources, "add", ".")
    git(sources, "commit", "-qm", "first")
    commit = git(sources, "rev-parse", "--short=7", "HEAD")
    written = provider(sources)
    assert written == f"1.2.3.dev0+g{commit}"
    (sources / "src/vaglio/_version.py").write_text('VERSION = "1.2.4.dev0"\n')
    assert provider(sources) == f"1.2.4.dev0+g{commit}.dirty"


def test_an_archive_without_git_says_what_was_built(sources: Path):
    assert "+" not in provider(sources)
    (sources / "src/vaglio/_build.py").write_text(f'VERSION = "{provider(sources)}+g1a2b3c4"\n')
    assert provider(sources).endswith("+g1a2b3c4")


def test_a_release_has_no_commit(sources: Path):
    (sources / "src/vaglio/_version.py").write_text('VERSION = "0.9.0"\n')
    git(sources, "init", "-q")
    git(sources, "add", ".")
    git(sources, "commit", "-qm", "release")
    assert provider(sources) == "0.9.0"


def test_the_digest_of_a_model_does_not_depend_on_the_version(monkeypatch: pytest.MonkeyPatch):
    model = vaglio.C45Classifier().fit(*vaglio.datasets.load("play").xy("play")).fitted_
    digest = model.digest
    monkeypatch.setattr("vaglio.fitted.file.__version__", "9.9.9")
    assert model.digest == digest

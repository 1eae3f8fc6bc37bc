"""The pages are right: examples print what they show, links exist, every public name is documented."""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc

import vaglio
from vaglio.cli.main import COMMANDS
from vaglio.learners.registry import LEARNERS

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md"))
TEXT = {path: path.read_text(encoding="utf-8") for path in PAGES}
LEARNER_PAGES = {path: text for path, text in TEXT.items() if path.parent.name == "learners" and path.stem != "index"}
ROOMS = ("table", "datasets", "quality", "evaluation", "tracing", "fitted", "explanation", "errors", "report")
ESTIMATORS = [name for name in vaglio.__all__ if hasattr(getattr(vaglio, name), "fit")]


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


outputs = _load(DOCS / "outputs.py")


def _name(path: Path) -> str:
    return path.relative_to(DOCS).as_posix()


@pytest.mark.slow
@pytest.mark.parametrize("page", [path for path in PAGES if outputs.BLOCK.search(TEXT[path])], ids=_name)
def test_examples_print_what_the_page_shows(page: Path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["page"])
    _, wrong = outputs.run_page(TEXT[page])
    assert not wrong, "\n".join(["python docs/outputs.py --write corrects the page:", *wrong])


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_exist(page: Path):
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```|`[^`]*`", "", TEXT[page], flags=re.DOTALL)):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        place = (page.parent / target).resolve() if target else page
        assert place.exists(), link
        if anchor:
            assert anchor in _anchors(place.read_text(encoding="utf-8")), link


def _anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_every_page_can_be_reached(page: Path):
    if page == DOCS / "index.md":
        return
    trees = [
        (path.parent / entry).resolve()
        for path, text in TEXT.items()
        for block in re.findall(r"```{toctree}\n(.*?)```", text, flags=re.DOTALL)
        for entry in re.findall(r"^(?:.* <)?([\w/-]+)>?$", block.split("\n\n", 1)[-1], flags=re.MULTILINE)
    ]
    assert page.with_suffix("") in trees


def test_every_learner_has_a_page_named_by_its_id():
    assert set(LEARNERS) <= {path.stem for path in LEARNER_PAGES}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator_is_documented_on_one_page(name: str):
    homes = [page for page, text in LEARNER_PAGES.items() if f".. autoclass:: vaglio.{name}\n" in text]
    assert len(homes) == 1


@pytest.mark.parametrize("page", LEARNER_PAGES, ids=_name)
def test_a_learner_page_has_all_its_parts(page: Path):
    text = LEARNER_PAGES[page]
    assert re.findall(r"^## (.+)$", text, flags=re.MULTILINE) == [
        "Example",
        "What it does with the table",
        "When to use it",
        "What it costs",
        "See also",
        "Parameters and methods",
    ]
    assert "**When not.**" in text
    assert re.search(r"^\$\$\n.+?^\$\$", text, flags=re.MULTILINE | re.DOTALL)
    assert re.search(r"```{learner} \w+\n```", text)
    assert f"](../pictures/{page.stem}.svg)" in text
    assert (DOCS / "pictures" / f"{page.stem}.svg").stat().st_size < 100_000


def test_every_public_name_is_in_the_reference():
    documented = set(re.findall(r"\.\. auto\w+:: ([\w.]+)", "\n".join(TEXT.values())))
    public = {f"vaglio.{name}" for name in vaglio.__all__ if callable(getattr(vaglio, name))}
    for room in ROOMS:
        module = importlib.import_module(f"vaglio.{room}")
        for name in module.__all__:
            thing = getattr(module, name)
            if callable(thing) and f"vaglio.{name}" not in public:
                public.add(f"vaglio.{room}.{name}")
    inner = {"vaglio.explanation.Context", "vaglio.explanation.explain_rows"}
    assert public - documented - inner == set()


def _documented(thing: Any) -> set[str]:
    doc = ClassDoc(thing, config={"show_class_members": False}) if inspect.isclass(thing) else FunctionDoc(thing)
    names = {
        name.strip().lstrip("*")
        for section in ("Parameters", "Attributes")
        for entry in doc[section]
        for name in entry.name.split(",")
    }
    # Where a docstring says that the parameters are those of another class, they are searched there.
    text = " ".join((inspect.getdoc(thing) or "").split())
    for other in re.findall(r"(?:those of|A|defaults of) :class:`~?(?:vaglio\.)?(\w+)`", text):
        names |= _documented(getattr(vaglio, other))
    return names


REFERENCE = sorted(set(re.findall(r"\.\. auto(?:class|function):: ([\w.]+)", "\n".join(TEXT.values()))))


def _resolve(name: str) -> Any:
    home, _, last = name.rpartition(".")
    return getattr(importlib.import_module(home), last)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in REFERENCE if not name.startswith("vaglio.errors.")])
def test_every_parameter_is_documented(name: str):
    thing = _resolve(name)
    taken = {parameter for parameter in inspect.signature(thing).parameters if not parameter.startswith("_")}
    assert taken - _documented(thing) == set()


@pytest.mark.parametrize("name", [name for name in REFERENCE if inspect.isclass(_resolve(name))])
def test_every_public_method_says_what_it_does(name: str):
    members = inspect.getmembers(_resolve(name), inspect.isroutine)
    ours = [(at, thing) for at, thing in members if not at.startswith("_") and _is_ours(thing)]
    assert [at for at, thing in ours if not inspect.getdoc(thing)] == []


def _is_ours(thing: Any) -> bool:
    return (getattr(thing, "__module__", None) or "").startswith("vaglio.")


def test_every_command_has_a_section():
    assert set(COMMANDS) <= set(re.findall(r"^## ([a-z]+)$", TEXT[DOCS / "commands.md"], flags=re.MULTILINE))


@pytest.mark.slow
def test_the_commands_for_teachers_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = TEXT[DOCS / "teachers.md"]
    for name, content in re.findall(r"Save as `([\w.]+)`:\n\n```text\n(.*?)```", text, flags=re.DOTALL):
        Path(name).write_text(content, encoding="utf-8")
    for name in ("play", "iris"):
        vaglio.datasets.load(name).to_frame().to_csv(f"{name}.csv", index=False)
    commands = re.findall(r"^\| .*? \| `(vaglio trace [^`]+)`", text, flags=re.MULTILINE)
    assert commands
    for command in commands:
        assert len(outputs.run_command(command).splitlines()) > 10, command


@pytest.mark.slow
def test_pictures_can_be_drawn_again():
    pictures = _load(DOCS / "pictures.py")
    assert {path.stem for path in (DOCS / "pictures").glob("*.svg")} == set(pictures.PICTURES) - {"penguins"}
    for name in ("penguins", "ripper"):
        assert pictures.PICTURES[name]().lstrip().startswith(("<svg", "<?xml"))


def test_the_benchmark_page_has_every_figure_and_types_none():
    tables = _load(DOCS / "_extensions" / "benchmark_tables.py")
    for name, rows in tables.results().items():
        text = tables.markdown(name)
        assert all(f"{float(row['seconds']):.3g}" in text for row in rows)
        assert tables.purpose(name) != name
    assert "processor" in tables.machine()
    assert not re.search(r"\d\.\d", TEXT[DOCS / "benchmarks.md"])


def test_the_front_page_shows_figures_of_the_last_run():
    tables = _load(DOCS / "_extensions" / "benchmark_tables.py")
    lines = tables.headlines().splitlines()[2:]
    ratios = [float(line.split("|")[-2].strip(" ×")) for line in lines]
    assert len(ratios) == len(tables.HEADLINES)
    # The page says that vaglio is faster in these tasks.
    assert min(ratios) > 1
    assert "```{benchmark-headlines}" in TEXT[DOCS / "index.md"]


def test_the_front_page_draws_the_tree_whose_rules_it_prints():
    printed = re.findall(r"^IF .* THEN (\w+)  \[.* of (.*)\]$", TEXT[DOCS / "index.md"], flags=re.MULTILINE)
    texts = re.findall(r"<text[^>]*>([^<]*)", (DOCS / "penguins.svg").read_text(encoding="utf-8"))
    # Below the class of a leaf stands its number of rows; a node names its majority class there instead.
    drawn = [
        (name, found.group(1))
        for name, below in itertools.pairwise(texts)
        if (found := re.fullmatch(r"n = ([\d.]+), \d+%", below))
    ]
    assert printed
    assert drawn == printed


def test_the_glossary_of_contributors_says_each_word_once():
    text = (DOCS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Glossary")[1].split("\n## ")[0]
    words = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")][1:]
    assert words
    assert len(set(words)) == len(words)


def test_formulas_can_be_set():
    mathml = _load(DOCS / "_extensions" / "mathml.py")
    formulas = [
        formula
        for text in TEXT.values()
        for formula in re.findall(r"^\$\$\n(.+?)^\$\$", text, re.MULTILINE | re.DOTALL)
    ]
    assert len(formulas) >= len(LEARNER_PAGES)
    # An unknown command would remain in the output.
    assert [formula for formula in formulas if "\\" in mathml.to_mathml(formula, "block")] == []


def test_the_site_checker_sees_what_is_broken(tmp_path):
    checker = _load(DOCS / "check_site.py")
    (tmp_path / "a.html").write_text('<a href="b.html#there">b</a><a href="b.html#not">b</a><a href="c.html">c</a>')
    (tmp_path / "b.html").write_text('<p id="there">b</p><script src="https://cdn.example/x.js"></script>')
    assert checker.complaints(tmp_path) == [
        "a.html: there is no b.html#not",
        "a.html: there is no c.html",
        "b.html fetches https://cdn.example/x.js",
    ]


def test_every_default_of_every_learner_has_a_reason():
    lines = re.findall(r"^\| (`.*) \|$", TEXT[DOCS / "defaults.md"], flags=re.MULTILINE)
    rows = [line.split(" | ") for line in lines]
    said = {(row[0], row[1], learner): row[3] for row in rows if len(row) == 4 for learner in row[2].split(", ")}
    defaults = {
        (f"`{name}`", f"`{value!r}`", learner.id)
        for learner in LEARNERS.values()
        for name, value in learner.make().get_params(deep=False).items()
    }
    assert set(said) == defaults
    assert all(len(why) > 5 for why in said.values())

"""``vaglio plot``: figures of a model, a learner and a table, as files of every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from vaglio.figures import FIGURES

from ..conftest import run_here


@pytest.mark.slow
def test_a_figure_of_a_model_and_of_a_table_in_every_format(
    tmp_path: Path, penguins: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_here("train", str(penguins), "--target", "species", "--learner", "knn", "--out", "m.vaglio").code == 0
    outs = [f"regions.{suffix}" for suffix in ("svg", "png", "pdf", "html")]
    out = [word for name in outs for word in ("--out", name)]
    columns = ["--x", "bill_length_mm", "--y", "island"]
    done = run_here("plot", "m.vaglio", str(penguins), *columns, "--set", "k=1,5", "--fix", "sex=male", *out)
    assert done.code == 0, done.err
    starts = [b"<?xml", b"\x89PNG", b"%PDF", b"<!doctype html>"]
    assert [Path(name).read_bytes()[: len(start)] for name, start in zip(outs, starts, strict=True)] == starts
    drawn = Path("regions.svg").read_text(encoding="utf-8")
    first = Path("regions.png").read_bytes()
    assert "<svg" in drawn
    again = run_here("plot", "m.vaglio", str(penguins), *columns, "--set", "k=1,5", "--fix", "sex=male", *out, "--json")
    assert json.loads(again.out) == {"figure": "regions", "out": outs}
    assert Path("regions.png").read_bytes() == first
    alone = run_here(
        "plot", str(penguins), "--target", "species", "--figure", "boxes", "--out", "b.svg", "--lang", "it"
    )
    assert alone.code == 0, alone.err
    assert run_here("plot", "m.vaglio", "--figure", "neuron", "--out", "n.svg").code == 1  # neighbours have no weights
    assert run_here("plot", "--figure", "means", "--out", "m.svg").code == 0
    assert run_here("plot", "m.vaglio", "play", "--learner", "knn", "--out", "a.svg").code == 2
    assert run_here("plot", "play", "--target", "play", "--figure", "neuron", "--out", "p.svg").code == 0


def test_without_a_file_all_figures_are_listed() -> None:
    listed = run_here("plot")
    assert listed.code == 0
    assert all(f"  {name}" in listed.out for name in FIGURES)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["play", "--figure", "regionz", "--out", "a.svg"], "regions"),
        (["play", "--out", "a.doc"], ".svg"),
        (["play", "-t", "play", "--x", "outlook", "--out", "a.svg"], "--y"),
        (["play", "-t", "play", "--set", "colour=1", "--out", "a.svg"], "colour"),
        (["play", "-t", "play", "--set", "max_depth=-3", "--out", "a.svg"], "max_depth"),
        (["play", "-t", "play", "--learner", "nothing", "--out", "a.svg"], "nothing"),
    ],
)
def test_wrong_use_is_one_line(words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run_here("plot", *words)
    assert outcome.code == 2
    assert said in outcome.err
    assert not list(tmp_path.iterdir())

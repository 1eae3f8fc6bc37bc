"""Exercises over topics, levels and seeds: other programs find the same answers, and marking takes every right form."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest

from vaglio.cli.main import main
from vaglio.document.notation import Notation
from vaglio.errors import InputError
from vaglio.exercises import Question, exercise, mark, topics
from vaglio.exercises.answers import Number, Word, Words, read_number
from vaglio.exercises.formats import FORMATS, written

from .oracles import ORACLES

LEVELS = (1, 2, 3)
SEEDS = [
    pytest.param(range(4), id="some", marks=pytest.mark.slow),
    pytest.param(range(4, 204), id="many", marks=[pytest.mark.slow, pytest.mark.nightly]),
]


def test_every_topic_has_an_oracle_and_three_kinds_of_questions():
    assert set(ORACLES) == set(topics())
    for topic in topics():
        assert len(exercise(topic, level=3).questions) >= 3
        assert len(exercise(topic, level=1).questions) >= 3


def _agrees(question: Question, expected: object) -> bool:
    answer = question.answer
    if isinstance(answer, Words):
        return answer.values == expected
    if isinstance(answer, Word):
        # Where the order of values decides which branch is asked about, all that may be right are expected.
        return answer.value in expected if isinstance(expected, set) else answer.value == expected
    candidates = expected if isinstance(expected, set) else {expected}
    exact = 1e-6 * max(1.0, abs(float(answer.value)))
    return any(abs(float(answer.value) - float(each)) < exact for each in candidates)


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("topic", topics())
def test_answers_are_those_of_another_program(topic: str, seeds: range):
    for seed in seeds:
        for level in LEVELS:
            made = exercise(topic, seed=seed, level=level)
            expected = ORACLES[topic](made.facts, level)
            assert len(expected) == len(made.questions), (seed, level)
            for question, right in zip(made.questions, expected, strict=True):
                assert _agrees(question, right), (seed, level, question.text, question.answer, right)


def _right_forms(question: Question) -> list[str]:
    answer = question.answer
    if isinstance(answer, Words):
        values = sorted(answer.values)
        return [" ".join(values), ", ".join(reversed(values)), f"{{{'; '.join(values)}}}"]
    if isinstance(answer, Word):
        return [answer.value, answer.value.upper(), f' "{answer.value}" ']
    value = float(answer.value)
    forms = [f"{value:.{answer.digits}f}", f"{value:.{answer.digits + 3}f}".replace(".", ","), f"= {value:.6f}"]
    if answer.digits:
        forms += [f"{100 * value:.{answer.digits}f} %", f"{value:.{answer.digits}f}".replace("-", "−")]
    if isinstance(answer.value, Fraction):
        forms += [str(answer.value), f"{answer.value.numerator * 3} / {answer.value.denominator * 3}"]
    return forms


def _wrong_forms(question: Question) -> list[str]:
    answer = question.answer
    if isinstance(answer, Words):
        return ["", "999", " ".join([*answer.values, "999"]), " ".join(sorted(answer.values)[1:])]
    if isinstance(answer, Word):
        return ["", f"{answer.value}x", f"not {answer.value}", "?"]
    value, unit = float(answer.value), 10.0**-answer.digits
    return ["", "about 1", str(value + 2.01 * unit), str(value - 2.01 * unit), "1/0", "nan", "1e99", "∞"]


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("topic", topics())
def test_marking_accepts_right_forms_and_refuses_wrong_ones(topic: str, seeds: range):
    for seed in seeds:
        for question in exercise(topic, seed=seed, level=3).questions:
            for form in _right_forms(question):
                assert question.answer.accepts(form), (seed, question.text, question.answer, form)
            for form in _wrong_forms(question):
                assert not question.answer.accepts(form), (seed, question.text, question.answer, form)
            for what, usual in question.mistakes:
                assert not question.answer.accepts(_right_forms(Question("", usual))[0]), (seed, question.text, what)


@pytest.mark.slow
def test_the_same_seed_makes_the_same_exercise_in_both_languages():
    for topic in topics():
        for level in LEVELS:
            one, two, italian = (exercise(topic, seed=7, level=level, lang=lang) for lang in ("en", "en", "it"))
            assert one.solution().to_text() == two.solution().to_text()
            assert one.sheet() != exercise(topic, seed=8, level=level).sheet()
            # Words differ; all numbers are the same.
            numbers = [[q.answer for q in each.questions if isinstance(q.answer, Number)] for each in (one, italian)]
            assert numbers[0] == numbers[1]
            assert italian.title != one.title
            assert all(question.text for question in italian.questions)


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "it"])
def test_a_form_with_all_right_answers_gets_all_marks(tmp_path: Path, lang: str):
    paths = []
    for topic in topics():
        made = exercise(topic, seed=11, level=3, lang=lang)
        lines = made.form().splitlines()
        for number, question in enumerate(made.questions, 1):
            at = lines.index(f"{number}: ")
            lines[at] = f"{number}) {_right_forms(question)[0]}"
        path = tmp_path / f"{topic}.txt"
        path.write_text("\n".join(lines), encoding="utf-8")
        paths.append(path)
    marks = mark(paths)
    assert [row["share"] for row in marks.to_rows()] == [1.0] * len(paths)
    assert marks.mistakes() == []


def test_usual_mistakes_are_counted_by_their_name(tmp_path: Path):
    paths = []
    for seed in range(6):
        made = exercise("id3", seed=seed, lang="it")
        wrong = next(
            usual for what, usual in made.questions[1].mistakes if what == Notation("it")("natural logarithms")
        )
        path = tmp_path / f"student {seed}.txt"
        path.write_text(made.form().replace("2: ", f"2: {float(wrong.value):.4f}"), encoding="utf-8")
        paths.append(path)
    marks = mark(paths, lang="en")
    assert [row["wrong"] for row in marks.to_rows()] == ["1 2 3 4"] * 6
    assert {"exercise": "id3", "question": 2, "mistake": "natural logarithms", "times": 6} in marks.mistakes()
    assert marks.mistakes()[0]["mistake"] == "no answer"


@pytest.mark.slow
def test_two_hundred_forms_are_written_and_marked_by_two_commands(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command = ["exercise", "metrics", "--seed", "5", "--students", "200", "--lang", "it", "--out", "form.txt"]
    with pytest.raises(SystemExit) as left:
        main(command)
    assert left.value.code == 0
    paths = [tmp_path / f"form-{seed}.txt" for seed in range(5, 205)]
    assert sorted(tmp_path.iterdir()) == sorted(paths)
    for seed, path in enumerate(paths, 5):
        text = path.read_text(encoding="utf-8")
        for number, question in enumerate(exercise("metrics", seed=seed).questions, 1):
            right = _right_forms(question)[seed % 3]  # decimals with point or comma
            text = text.replace(f"{number}: ", f"{number}: {right}" if (seed + number) % 4 else f"{number}: 0.12345")
        path.write_text(text, encoding="utf-8")
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["mark", *map(str, paths), "--out", "marks.csv", "--json"])
    marks = json.loads(capsys.readouterr().out)["marks"]
    assert len(marks) == 200
    wrong = {row["seed"]: row["wrong"].split() for row in marks}
    for seed in range(5, 205):
        assert wrong[seed] == [str(n) for n in range(1, 5) if (seed + n) % 4 == 0], seed
    assert len((tmp_path / "marks.csv").read_text(encoding="utf-8").splitlines()) == 201


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("1: 0.9\n", "no-exercise-in-answers"),
        ("# vaglio exercise nothing --level 1 --seed 1 --lang en\n", "unknown-topic"),
        ("# vaglio exercise id3 --level 1 --seed 4294967296 --lang en\n", "exercise-seed"),
        ("# vaglio exercise id3 --level 1 --seed 1 --lang xx\n", "answers-language"),
        ("# vaglio exercise id3 --level 1 --seed 1 --lang en\n9: 1\n", "no-such-question"),
        ("# vaglio exercise id3 --level 1 --seed 1 --lang en\n1: 1\n1: 2\n", "answered-twice"),
        ("x" * 200_000, "answers-too-long"),
    ],
)
def test_a_file_that_is_no_form_is_refused_by_a_sentence(tmp_path: Path, content: str, code: str):
    path = tmp_path / "a.txt"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        mark([path])
    assert refused.value.message.code == code


def test_wrong_arguments_are_refused():
    for given, code in [
        ({"topic": "id4"}, "unknown-topic"),
        ({"topic": 3}, "unknown-topic"),
        ({"topic": "id3", "level": 4}, "unknown-exercise-level"),
        ({"topic": "id3", "seed": -1}, "exercise-seed"),
        ({"topic": "id3", "seed": 1.5}, "exercise-seed"),
    ]:
        with pytest.raises(InputError) as refused:
            exercise(**given)
        assert refused.value.message.code == code


def test_numbers_as_students_write_them():
    for text, value in {
        "0.5": "1/2", ".5": "1/2", "5.": "5", "1,25": "5/4", "-3": "-3", "−3": "-3", "+2": "2", "3/4": "3/4",
        "1.5/3": "1/2", "½": "1/2", "50%": "1/2", "12,5 %": "1/8", "2e-3": "1/500", "≈ 0.33": "33/100",
    }.items():  # fmt: skip
        assert read_number(text) == Fraction(value), text
    for text in ["", "x", "1.2.3", "1,234.5", "--1", "1/0", "0x10", "1e999", "9" * 400, "1 2", "²"]:
        assert read_number(text) is None or text == "²", text


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "it"])
def test_every_format_can_be_read(lang: str):
    made = [exercise(topic, seed=5, level=3, lang=lang) for topic in topics()]
    for form in FORMATS:
        assert written(made, form, solutions=True)
    quiz = ElementTree.fromstring(written(made, "moodle"))
    asked = [each for each in quiz if each.get("type") != "category"]
    assert len(asked) == sum(len(each.questions) for each in made)
    for question in asked:
        full = [answer for answer in question.iter("answer") if answer.get("fraction") == "100"]
        assert full
        assert question.get("type") == "shortanswer" or len(full) == 1
    latex = written(made, "latex", solutions=True)
    assert latex.count("{") - latex.count(r"\{") == latex.count("}") - latex.count(r"\}")
    page = written(made, "html", solutions=True)
    assert page.count("<h1") == 2 * len(made)
    for each in made:
        assert each.sheet().to_text() in written(made, "text")


@pytest.mark.slow
def test_a_notebook_marks_the_answers(capsys: pytest.CaptureFixture[str]):
    made = exercise("metrics", seed=2)
    cells = json.loads(written([made], "notebook"))["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    names: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(cell["source"].replace('answer_1 = ""', f"answer_1 = {float(made.questions[0].answer.value)}"), names)
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == ["✓", "✗", "✗", "✗"]


def test_solutions_show_the_answers_and_sheets_do_not():
    made = exercise("metrics", seed=9, level=2)
    right = made.questions[-1].answer.written(Notation("en"))
    assert right in made.solution().to_text()
    assert right not in made.sheet().to_text()

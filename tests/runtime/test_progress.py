"""Progress of long work."""

from __future__ import annotations

import rich.progress

from vaglio.runtime.progress import reporting


def test_the_time_left_is_that_of_the_present_part(monkeypatch):
    made = []

    class Noticed(rich.progress.Progress):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            made.append(self)

    monkeypatch.setattr(rich.progress, "Progress", Noticed)
    with reporting(True) as report:
        report(5, 10, "reading")
        (task,) = made[0].tasks
        begun = task.start_time
        report(8, 10, "reading")
        assert (task.start_time, task.completed, task.description) == (begun, 8, "reading")
        report(9, 10, "the next of its tables")
        assert (task.start_time, task.completed) == (begun, 9), "the estimate goes on"
        report(1, 10, "class sums")
        assert task.start_time > begun
        assert (task.completed, task.total, task.description) == (1, 10, "class sums")


def test_a_time_left_that_is_not_known_is_not_shown(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with reporting(True) as report:
        report(0, 10, "reading")
    shown = capsys.readouterr().err
    assert "reading" in shown
    assert "-:--" not in shown

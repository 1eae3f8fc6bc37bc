"""Progress of long work."""

from __future__ import annotations

import rich.progress

from vaglio.runtime.progress import reporting


def test_the_time_left_is_that_of_the_present_step(monkeypatch):
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
        report(1, 10, "class sums")
        assert task.start_time > begun
        assert (task.completed, task.total, task.description) == (1, 10, "class sums")

"""The table that is open now, held in memory: as it was read, as it was cleaned, and what the audit finds in it."""

from __future__ import annotations

import json
import os
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from vaglio.errors import InputError
from vaglio.messages.message import Message
from vaglio.messages.sentences import clip
from vaglio.model.families import Task
from vaglio.plot.style import PALETTE
from vaglio.quality import Audit, audit
from vaglio.quality.exploration import target_groups
from vaglio.quality.profile import Profile, profile_column
from vaglio.studio.project.folder import Project
from vaglio.studio.project.steps import Loaded, Step, TableState, clean, read_table
from vaglio.table import Table, decide_task

__all__ = ["OpenTable", "Workbench"]

# Rows that pictures are counted on: enough for every pixel, and counted in a moment.
_MOST_PICTURED = 50_000


@dataclass(frozen=True)
class OpenTable:
    """A table on the bench.

    Attributes
    ----------
    state : TableState
    raw : Table
        As it was read.
    loaded : Loaded
        As it was cleaned.
    findings : Future of Audit
        Of the cleaned table; computed beside the pages.
    """

    state: TableState
    raw: Table
    loaded: Loaded
    findings: Future[Audit] = field(repr=False)

    @property
    def table(self) -> Table:
        """The table that is learned from."""
        return self.loaded.table

    @property
    def key(self) -> str:
        """The state as text: equal for equal tables."""
        return json.dumps(self.state.to_dict(), sort_keys=True)

    @property
    def target(self) -> str | None:
        """The column to predict."""
        return self.table.target

    @cached_property
    def task(self) -> Task:
        """Whether the target has classes or numbers."""
        return decide_task(self.table.column(self.need_target())).task

    def need_target(self) -> str:
        """Return the target; without one there is nothing to learn."""
        if self.target is None:
            raise InputError("target-not-set", "Which column do you want to predict? Set the target on the page Table.")
        return self.target

    @cached_property
    def pictured(self) -> np.ndarray:
        """Positions of the rows that pictures count."""
        n = len(self.table)
        if n <= _MOST_PICTURED:
            return np.arange(n)
        return np.sort(np.random.default_rng(0).choice(n, _MOST_PICTURED, replace=False))

    @cached_property
    def sample(self) -> Table:
        """Those rows."""
        return self.table if len(self.pictured) == len(self.table) else self.table.take(self.pictured)

    @cached_property
    def _groups(self) -> tuple[np.ndarray, list[Any]]:
        return target_groups(self.table, self.target)

    @property
    def target_varies(self) -> bool:
        """Whether there is a target with at least two classes, or numbers of different size."""
        return self.target is not None and len(self._groups[1]) >= 2

    @property
    def label_names(self) -> list[str]:
        """The classes, or the thirds of a numeric target, as text, if there are few enough to have a colour each."""
        if not self.target_varies or len(self._groups[1]) > len(PALETTE):
            return []
        return [label if isinstance(label, Message) else clip(label, 40) for label in self._groups[1]]

    @cached_property
    def codes(self) -> np.ndarray:
        """The place of every pictured row among the labels; -1 where the target is missing, 0 without colours."""
        if not self.label_names:
            return np.zeros(len(self.sample), dtype=np.int64)
        codes: np.ndarray = self._groups[0][self.pictured]
        return codes

    @cached_property
    def _profiles(self) -> dict[str, Profile]:
        return {}

    def profile(self, name: str) -> Profile:
        """Return the facts of a column, counted on the pictured rows."""
        if name not in self._profiles:
            self._profiles[name] = profile_column(self.sample.column(name))
        return self._profiles[name]

    @property
    def audited(self) -> Audit | None:
        """The audit, if it is ready."""
        return self.findings.result() if self.findings.done() else None


class Workbench:
    """Opens tables, and keeps the last one.

    Parameters
    ----------
    project : Project
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self._lock = threading.RLock()
        self._threads = ThreadPoolExecutor(1, "audit", initializer=_give_way)
        self._open: OpenTable | None = None

    @property
    def open_table(self) -> OpenTable | None:
        """The present table; it is read if it is not in memory."""
        with self._lock:
            state = self.project.state
            if state is None:
                return None
            if self._open is None or self._open.state != state:
                self._open = self._load(state)
            return self._open

    @property
    def audited(self) -> Audit | None:
        """The audit of the present table if it is ready; nothing is read for it."""
        with self._lock:
            present = self._open if self._open is not None and self._open.state == self.project.state else None
        return None if present is None else present.audited

    def need_table(self) -> OpenTable:
        """Return the present table; without one, say where to open one."""
        found = self.open_table
        if found is None:
            raise InputError("no-table-yet", "There is no table yet. Open one on the page Table.")
        return found

    def take(self, step: Step) -> OpenTable:
        """Take a step: it is kept if the table can be read and cleaned with it."""
        with self._lock:
            opened = self._load(self.project.with_step(step))
            self.project.keep_step(step)
            self._open = opened
            return opened

    def undo(self, number: int) -> OpenTable:
        """Leave a step out: the others are taken again."""
        with self._lock:
            opened = self._load(self.project.without_step(number))
            self.project.drop_step(number)
            self._open = opened
            return opened

    def _load(self, state: TableState) -> OpenTable:
        before = self._open
        reading = (state.name, state.bundled, state.target, state.levels, state.roles, state.missing)
        same = before is not None and reading == (
            before.state.name, before.state.bundled, before.state.target, before.state.levels, before.state.roles,
            before.state.missing,
        )  # fmt: skip
        raw = before.raw if before is not None and same else read_table(state, self.project.tables)
        loaded = clean(raw, state)
        if self._open is not None:
            self._open.findings.cancel()
        return OpenTable(state, raw, loaded, self._threads.submit(audit, loaded.table, n_jobs=1))

    def close(self) -> None:
        """End the thread of the audit."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _give_way() -> None:
    """Let pages be computed before the audit, where the system can tell threads apart."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from vaglio.studio.jobs import worker
from vaglio.studio.service import Studio
from vaglio.studio.settings import Settings

TOKEN = "the-token-of-the-tests"
ORIGIN = "http://127.0.0.1:4321"


class Visitor:
    """A browser without scripts: it follows links, fills in forms and is sent on."""

    def __init__(self, folder: Path) -> None:
        self.studio = Studio(Settings(folder, TOKEN, ORIGIN, upload=1 << 20))
        self.client = TestClient(self.studio.application(), base_url=ORIGIN, raise_server_exceptions=False)
        self.client.__enter__()
        self.client.get(f"/?token={TOKEN}")

    def get(self, path: str, **options: Any) -> Any:
        return self.client.get(path, **options)

    def post(self, path: str, /, **fields: Any) -> Any:
        return self.client.post(path, data=fields, headers={"origin": ORIGIN})

    def open(self, name: str) -> None:
        assert self.post("/table/bundled", name=name).status_code == 200

    def upload(self, name: str, content: str | bytes) -> Any:
        return self.client.post(f"/table/upload?name={name}", content=content, headers={"origin": ORIGIN})

    def learn(self, *learners: str, **fields: Any) -> str:
        """Train, wait for the end, return the name of the run."""
        answer = self.post("/learn/start", learner=list(learners), **{"plan": "holdout_30", "seed": "0", **fields})
        assert answer.status_code == 200, answer.text
        return self.wait("learn")

    def learn_here(self, *learners: str, **fields: Any) -> str:
        """Train in this process, which takes less time than to start another one."""
        return self.act_here("learn", lambda: self.learn(*learners, **fields))

    def act_here(self, kind: str, act: Callable[[], Any]) -> str:
        """Do what starts a run, which then is at work in this process; return its name."""
        jobs = self.studio.jobs

        def start(request: Any) -> Any:
            folder = self.studio.project.new_run(request)
            with warnings.catch_warnings():
                worker.main(folder)
            return jobs.get(folder.name)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(jobs, "start", start)
            act()
        return self.wait(kind)

    def wait(self, kind: str, state: str = "done") -> str:
        """Wait until the newest run of a kind is no longer at work."""
        while True:
            run = self.studio.jobs.latest(kind)
            assert run is not None
            if run.state != "running":
                assert run.state == state, (run.folder / "messages.txt").read_text()
                return run.name
            time.sleep(0.02)

    def close(self) -> None:
        self.client.__exit__(None, None, None)


@pytest.fixture
def enter(tmp_path: Path) -> Iterator[Callable[..., Visitor]]:
    """Return a function that starts a studio on a project folder and enters it."""
    visitors: list[Visitor] = []

    def start(folder: Path | None = None) -> Visitor:
        visitors.append(Visitor(tmp_path / "project" if folder is None else folder))
        return visitors[-1]

    yield start
    for visitor in visitors:
        visitor.close()


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    """A studio with penguins and the models of two learners, of which one is drawn and one has rules."""
    visitor = Visitor(tmp_path_factory.mktemp("studio") / "project")
    visitor.open("penguins")
    visitor.learn_here("c45", "ripper", "naive-bayes")
    yield visitor
    visitor.close()


def messy_table(rows: int = 160) -> str:
    """A table with an identifier, two spellings, words among numbers, a constant and repeated rows."""
    rng = np.random.default_rng(3)
    age, income = rng.integers(18, 80, rows), rng.lognormal(10, 0.4, rows).round()
    buys = np.where((age - 45) / 15 + (income - 25_000) / 9000 + rng.normal(0, 0.8, rows) > 0, "yes", "no")
    city = np.array(["Milano", "milano", "Roma", "Torino"])[rng.choice(4, rows, p=[0.4, 0.1, 0.3, 0.2])]
    size = np.array(["small", "medium", "large"])[rng.integers(0, 3, rows)]
    words = [f"{a}" if i % 23 else "n/d" for i, a in enumerate(age)]
    lines = [f"{1000 + i};{city[i]};{words[i]};{income[i]:.0f};{size[i]};{1 + i % 5};IT;{buys[i]}" for i in range(rows)]
    return "\n".join(["id;city;age;income;size;zone;country;buys", *lines, *lines[:4]]) + "\n"

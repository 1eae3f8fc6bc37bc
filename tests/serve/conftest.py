from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import vaglio
from vaglio.fitted import Fitted
from vaglio.serve.service import Service
from vaglio.serve.settings import Settings

COSTS = {("no", "yes"): 3, ("yes", "no"): 1}


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Model files: words with costs; words and numbers with missing values; numbers without names; a regression."""
    folder = tmp_path_factory.mktemp("models")
    X, y = vaglio.datasets.load("play").xy("play")
    made: dict[str, Fitted] = {"play": vaglio.NaiveBayesClassifier().fit(X, y).fitted_.with_cost(COSTS)}
    X, y = vaglio.datasets.load("penguins").xy("species")
    made["penguins"] = vaglio.C45Classifier().fit(X, y).fitted_
    numbers = np.random.default_rng(0).normal(size=(60, 3))
    made["plain"] = vaglio.LogisticRegression().fit(numbers, numbers[:, 0] > 0).fitted_
    made["number"] = vaglio.DecisionTreeRegressor(max_depth=3).fit(numbers, numbers[:, 1]).fitted_
    for name, fitted in made.items():
        fitted.save(folder / f"{name}.vaglio")
    return {name: folder / f"{name}.vaglio" for name in made}


@pytest.fixture
def serve(files: dict[str, Path]) -> Any:
    """Return a client of a service with these settings, and the service."""
    clients: list[TestClient] = []

    def start(*names: str, **options: Any) -> tuple[TestClient, Service]:
        models = options.pop("models", None) or tuple((name, files[name]) for name in names or files)
        service = Service(Settings(models, **options))
        clients.append(TestClient(service.application(), raise_server_exceptions=False))
        clients[-1].__enter__()
        return clients[-1], service

    yield start
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def problem() -> Callable[..., str]:
    """Return the sentence of a refusal, which has one form."""

    def sentence(answer: Any, status: int) -> str:
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        told = answer.json()
        assert set(told) >= {"type", "title", "status", "detail", "code", "values"}
        assert told["status"] == status
        assert "Traceback" not in told["detail"]
        assert told["detail"].endswith((".", "?"))
        return str(told["detail"])

    return sentence

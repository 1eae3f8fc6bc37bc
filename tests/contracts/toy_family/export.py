"""The means as a file for other programs."""

from __future__ import annotations

from typing import Any

from vaglio.fitted import Fitted


def mean_formats(fitted: Fitted) -> dict[str, Any]:
    model: Any = fitted.model
    return {"csv": lambda: "\n".join(",".join(map(str, row)) for row in model.mean.tolist())}

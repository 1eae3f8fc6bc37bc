"""What the tests of the checks share: a table of harmless numbers, and the one finding of a kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.quality import Audit, Finding


def numbers(n: int = 300, **extra: Any) -> dict[str, Any]:
    """Two columns of normal numbers, in which no check finds anything worse than outliers, and further columns."""
    rng = np.random.default_rng(0)
    return {"a": rng.normal(size=n), "b": rng.normal(5, 2, size=n), **extra}


def kinds(found: Audit) -> set[str]:
    return {finding.kind for finding in found}


def the(found: Audit, kind: str) -> Finding:
    """The only finding of this kind."""
    matching = found.of_kind(kind)
    assert len(matching) == 1, found
    return matching[0]

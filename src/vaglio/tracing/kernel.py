"""A kernel is a dot product in another space: both sides of the identity, computed for two vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vaglio.document.catalogue import Words
from vaglio.document.document import Page, Trace
from vaglio.document.notation import fixed
from vaglio.errors import InputError


def phi(x: np.ndarray) -> np.ndarray:
    """φ(x) = (x1, …, xd, x1·x1, x1·x2, …, x1·xd).

    >>> phi(np.array([1.0, 2.0, 3.0])).tolist()
    [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]
    """
    return np.concatenate([x, x[0] * x])


def trace_kernel(x: Sequence[float] = (1, 2, 3), z: Sequence[float] = (2, 0, 1), *, lang: str = "en") -> Trace:
    """Show that φ(x)·φ(z) equals (1 + x1·z1)·(x·z).

    Parameters
    ----------
    x, z : sequence of float
        Two vectors of the same length.
    lang : {"en", "it"}
        English or Italian.

    Returns
    -------
    Trace

    Examples
    --------
    >>> from vaglio.tracing import trace_kernel
    >>> facts = trace_kernel([1, 2, 3], [2, 0, 1]).facts
    >>> facts["mapped"] == facts["kernel"]
    True
    """
    a, b = np.asarray(x, dtype=float).ravel(), np.asarray(z, dtype=float).ravel()
    if a.shape != b.shape or not 1 <= len(a) <= 20:
        raise InputError(f"Give two vectors of the same length, at most 20; got {len(a)} and {len(b)} numbers.")
    page = Page(Words(lang))
    say = page.say
    page.section(say("kernel_map"))
    names = [f"x{i + 1}" for i in range(len(a))]
    page.formula(f"φ(x) = ({', '.join([*names, 'x1²', *(f'x1·{name}' for name in names[1:])])})")
    page.formula(f"φ(x) = ({', '.join(map(fixed, phi(a)))})")
    page.formula(f"φ(z) = ({', '.join(map(fixed, phi(b)))})")
    mapped = float(phi(a) @ phi(b))
    page.formula(
        f"φ(x)·φ(z) = {' + '.join(f'{fixed(p)}·{fixed(q)}' for p, q in zip(phi(a), phi(b)))} = {fixed(mapped)}"
    )
    page.section(say("kernel_direct"))
    dot = float(a @ b)
    page.formula(f"x·z = {' + '.join(f'{fixed(p)}·{fixed(q)}' for p, q in zip(a, b))} = {fixed(dot)}")
    value = (1 + a[0] * b[0]) * dot
    page.formula(f"(1 + x1·z1)·(x·z) = (1 + {fixed(a[0])}·{fixed(b[0])})·{fixed(dot)} = {fixed(value)}")
    page.section(say("kernel_why"))
    page.text(say("kernel_because"))
    page.formula("φ(x)·φ(z) = Σ xⱼ·zⱼ + Σ (x1·xⱼ)·(z1·zⱼ) = x·z + x1·z1·(x·z) = (1 + x1·z1)·(x·z)")
    page.facts |= {"mapped": mapped, "kernel": float(value), "dot": dot}
    return page.finish(say("title_kernel"))

"""How a model was learned, step by step, in words and numbers: English or Italian; text, HTML or LaTeX."""

from __future__ import annotations

from vaglio.document.document import Trace
from vaglio.tracing.metrics import trace_metrics
from vaglio.tracing.theory import trace_kernel, trace_shattering, trace_split, trace_vote
from vaglio.tracing.tracer import learners, trace

__all__ = [
    "Trace",
    "learners",
    "trace",
    "trace_kernel",
    "trace_metrics",
    "trace_shattering",
    "trace_split",
    "trace_vote",
]

"""How a model was learnt, step by step, in words and numbers: English or Italian; text, HTML or LaTeX."""

from __future__ import annotations

from vaglio.tracing.document import Trace
from vaglio.tracing.halves import trace_split
from vaglio.tracing.kernel import trace_kernel
from vaglio.tracing.metrics import trace_metrics
from vaglio.tracing.shattering import trace_shattering
from vaglio.tracing.tracer import learners, trace
from vaglio.tracing.vote import trace_vote

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

"""How a model was learned, step by step, in words and numbers: English or Italian; text, HTML or LaTeX."""

from __future__ import annotations

from vaglio.document.document import Trace
from vaglio.tracing.kernel import trace_kernel
from vaglio.tracing.majority_vote import trace_vote
from vaglio.tracing.metrics import trace_metrics
from vaglio.tracing.shattering import trace_shattering
from vaglio.tracing.stratified_split import trace_split
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

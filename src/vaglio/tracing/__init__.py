"""How a model was learned, step by step, in words and numbers: English or Italian; text, HTML or LaTeX."""

from __future__ import annotations

from vaglio.evaluation.trace.majority_vote import trace_vote
from vaglio.evaluation.trace.metrics import trace_metrics
from vaglio.evaluation.trace.shattering import trace_shattering
from vaglio.evaluation.trace.stratified_split import trace_split
from vaglio.learners.svm.trace.kernel import trace_kernel
from vaglio.learners.tracer import learners, trace
from vaglio.tracing.document import Trace

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

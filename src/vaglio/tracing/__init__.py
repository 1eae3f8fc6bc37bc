"""How a model was learned, step by step, in words and numbers: English or Italian; text, HTML or LaTeX."""

from __future__ import annotations

from vaglio.tracing.document import Trace
from vaglio.tracing.ensembles.majority_vote import trace_vote
from vaglio.tracing.svm.kernel import trace_kernel
from vaglio.tracing.tracer import learners, trace
from vaglio.tracing.validation.metrics import trace_metrics
from vaglio.tracing.validation.shattering import trace_shattering
from vaglio.tracing.validation.stratified_split import trace_split

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

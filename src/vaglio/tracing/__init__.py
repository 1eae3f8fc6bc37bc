"""How a model was learned, step by step, in words and numbers: English or Italian; text, HTML or LaTeX."""

from __future__ import annotations

from vaglio.document.document import Trace
from vaglio.tracing.animation import make_animation
from vaglio.tracing.attribute_order import trace_order
from vaglio.tracing.imputation import trace_imputation
from vaglio.tracing.lecture import make_lecture
from vaglio.tracing.metrics import trace_metrics
from vaglio.tracing.probability import trace_bayes, trace_densities, trace_event
from vaglio.tracing.ranking import trace_folds, trace_lift, trace_roc
from vaglio.tracing.theory import trace_kernel, trace_shattering, trace_split, trace_vote
from vaglio.tracing.thresholds import threshold_gains
from vaglio.tracing.tracer import learners, trace

__all__ = [
    "Trace",
    "learners",
    "make_animation",
    "make_lecture",
    "threshold_gains",
    "trace",
    "trace_bayes",
    "trace_densities",
    "trace_event",
    "trace_folds",
    "trace_imputation",
    "trace_kernel",
    "trace_lift",
    "trace_metrics",
    "trace_order",
    "trace_roc",
    "trace_shattering",
    "trace_split",
    "trace_vote",
]

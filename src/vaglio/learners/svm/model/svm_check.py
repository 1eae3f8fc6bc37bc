"""Reading a support vector machine from a file, with every entry checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from vaglio.encode import DenseEncoder, Feature
from vaglio.learners.svm.model.svm import KERNELS, Kernel, SVMModel
from vaglio.model import checks


def checked_svm(
    cls: type[SVMModel],
    arrays: dict[str, np.ndarray],
    meta: dict[str, Any],
    features: tuple[Feature, ...],
    n_classes: int,
) -> SVMModel:
    """Rebuild the model from arrays and JSON that fit together."""
    encoder = DenseEncoder.from_state(arrays, meta.get("encoder"), features)
    checks.need(n_classes >= 2, "a support vector machine needs two classes")
    scheme, shape = str(meta.get("scheme")), str(meta.get("shape"))
    checks.need(scheme in ("ovo", "ovr") and shape in ("ovo", "ovr"), "how its machines vote is unknown")
    kernel = _kernel(meta)
    binary, width = n_classes == 2, encoder.width
    outputs = 1 if binary else n_classes if scheme == "ovr" else n_classes - 1
    machines = 1 if binary else n_classes if scheme == "ovr" else n_classes * (n_classes - 1) // 2
    support = checks.array(arrays, "support", np.int64, (None,))
    checks.within(support, 0, width if kernel.name == "precomputed" else np.iinfo(np.int64).max, "a support vector")
    dual_coef = checks.array(arrays, "dual_coef", np.float64, (outputs, len(support)), finite=True)
    coef = checks.array(arrays, "coef", np.float64, (machines, width), finite=True) if "coef" in arrays else None
    checks.need((coef is not None) == (kernel.name == "linear"), "the weight vector does not belong to the kernel")
    vectors = checks.array(arrays, "vectors", np.float64, (None, width), finite=True)
    needs_none = kernel.name in ("linear", "precomputed")
    checks.need(len(vectors) == len(support) or (needs_none and not len(vectors)), "a support vector is missing")
    starts = checks.array(arrays, "class_starts", np.int64, (n_classes + 1,))
    ordered = starts[0] == 0 and starts[-1] == len(support) and (np.diff(starts) >= 0).all()
    checks.need(ordered, "the support vectors are not sorted by class")
    calibration = None
    if "calibration" in arrays:
        columns = 1 if binary else n_classes
        calibration = checks.array(arrays, "calibration", np.float64, (columns, 2), finite=True)
    return cls(
        encoder=encoder,
        kernel=kernel,
        n_classes=n_classes,
        scheme=scheme,
        vectors=vectors,
        class_starts=starts,
        dual_coef=dual_coef,
        intercept=checks.array(arrays, "intercept", np.float64, (machines,), finite=True),
        coef=coef,
        support=support,
        calibration=calibration,
        shape=shape,
        break_ties=checks.number(meta, "break_ties", bool),
        single_precision=checks.number(meta, "single_precision", bool),
    )


def _kernel(meta: dict[str, Any]) -> Kernel:
    name = str(meta.get("kernel"))
    checks.need(name in (*KERNELS, "precomputed"), "the kernel is unknown")
    gamma, coef0 = float(checks.number(meta, "gamma")), float(checks.number(meta, "coef0"))
    degree = checks.number(meta, "degree", int)
    checks.need(np.isfinite(gamma) and np.isfinite(coef0) and 0 <= degree <= 1000, "a kernel parameter is impossible")
    return Kernel(name, gamma, coef0, degree)

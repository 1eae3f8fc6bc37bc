"""Overfitting and underfitting: what the gap between training and test score means, in a sentence."""

from __future__ import annotations

__all__ = ["fit_diagnosis"]

# Overfitting is reported for a gap above the first value, or above the second and half of the test error.
_CLEAR_GAP = 0.10
_SMALL_GAP = 0.05


def fit_diagnosis(train: float, test: float, *, baseline: float | None = None, uncertainty: float = 0.0) -> str:
    """Say whether scores (higher is better, at most 1) are a sign of over- or underfitting.

    Parameters
    ----------
    train, test : float
        The same measure on the training rows and on other rows.
    baseline : float, optional
        Score of always predicting the largest class.
    uncertainty : float
        Half the width of the interval of ``test``: a smaller gap is not reported.

    Examples
    --------
    >>> fit_diagnosis(1.0, 0.81)
    'Overfitting: 1.00 on the training rows, 0.81 on other rows (gap 0.19). Simplify the model, prune it or add rows.'
    >>> fit_diagnosis(0.62, 0.61, baseline=0.6).split(",")[0]
    'Underfitting: 0.62 on the training rows'
    """
    gap = train - test
    figures = f"{train:.2f} on the training rows, {test:.2f} on other rows"
    clear = gap > _CLEAR_GAP or (gap > _SMALL_GAP and gap > (1 - test) / 2)
    if clear and gap > uncertainty:
        return f"Overfitting: {figures} (gap {gap:.2f}). Simplify the model, prune it or add rows."
    if baseline is not None and train - baseline < 0.25 * (1 - baseline):
        return (
            f"Underfitting: {train:.2f} on the training rows, hardly above the {baseline:.2f} of always predicting "
            "the largest class. Use a more flexible model or add columns."
        )
    if gap < -max(uncertainty, _SMALL_GAP):
        return f"Unusual: {figures}. The test rows may be easier, or too few."
    return f"No sign of over- or underfitting: {figures}."

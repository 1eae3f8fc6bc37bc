"""Figures in scikit-learn's form: data in ``__init__``, drawing in ``plot``, made by ``from_estimator`` and others."""

from vaglio.evaluation.displays.calibration import CalibrationDisplay
from vaglio.evaluation.displays.confusion import ConfusionMatrixDisplay
from vaglio.evaluation.displays.cost import CostCurveDisplay, ScoreDensityDisplay
from vaglio.evaluation.displays.distances import ForestDistanceDisplay
from vaglio.evaluation.displays.gains import GainCurveDisplay, LiftCurveDisplay
from vaglio.evaluation.displays.learning import LearningCurveDisplay, ValidationCurveDisplay
from vaglio.evaluation.displays.overview import draw_overview
from vaglio.evaluation.displays.precision_recall import PrecisionRecallDisplay
from vaglio.evaluation.displays.prediction_error import PredictionErrorDisplay
from vaglio.evaluation.displays.roc import RocCurveDisplay
from vaglio.evaluation.displays.terms import TermDisplay

__all__ = [
    "CalibrationDisplay",
    "ConfusionMatrixDisplay",
    "CostCurveDisplay",
    "ForestDistanceDisplay",
    "GainCurveDisplay",
    "LearningCurveDisplay",
    "LiftCurveDisplay",
    "PrecisionRecallDisplay",
    "PredictionErrorDisplay",
    "RocCurveDisplay",
    "ScoreDensityDisplay",
    "TermDisplay",
    "ValidationCurveDisplay",
    "draw_overview",
]

"""The usual way to serve a scikit-learn model: FastAPI, pydantic, joblib and a frame of one row.

``MODEL=pipeline.joblib uvicorn benchmarks.usual_service:app``; the task ``serve`` compares it with ``vaglio serve``.
"""

from __future__ import annotations

import os
from typing import Any

import joblib
import pandas as pd
from fastapi import FastAPI
from pydantic import create_model

pipeline, columns = joblib.load(os.environ["MODEL"])
app = FastAPI()
fields: Any = {name: (kind | None, None) for name, kind in columns.items()}
Record: Any = create_model("Record", **fields)


@app.post("/predict")
async def predict(row: Record) -> dict[str, Any]:
    """Answer one row."""
    frame = pd.DataFrame([row.model_dump()])
    chances = pipeline.predict_proba(frame)[0].tolist()
    best = max(range(len(chances)), key=chances.__getitem__)
    labels = [str(label) for label in pipeline.classes_]
    return {"predicted": labels[best], "probabilities": dict(zip(labels, chances))}

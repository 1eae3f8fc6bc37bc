"""The fourteen days of the play table."""

from __future__ import annotations

import pandas as pd

PLAY = """
sunny hot high false N; sunny hot high true N; overcast hot high false P; rain mild high false P;
rain cool normal false P; rain cool normal true N; overcast cool normal true P; sunny mild high false N;
sunny cool normal false P; rain mild normal false P; sunny mild normal true P; overcast mild high true P;
overcast hot normal false P; rain mild high true N
"""
_ROWS = [line.split() for line in PLAY.replace("\n", " ").split(";")]
X = pd.DataFrame([row[:4] for row in _ROWS], columns=["outlook", "temperature", "humidity", "windy"])
y = [row[4] for row in _ROWS]

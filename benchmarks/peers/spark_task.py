"""Learn from the Parquet file with Spark MLlib, local mode; indexing words and filling gaps are part of the time."""

# mypy: ignore-errors
# The libraries have few types.
from __future__ import annotations

import json
import sys
import time

from pyspark.ml import Pipeline
from pyspark.ml import classification as ml
from pyspark.ml.feature import Imputer, OneHotEncoder, StringIndexer, VectorAssembler
from pyspark.sql import SparkSession, functions

said = json.loads(sys.argv[1])
spark = (
    SparkSession.builder.master(f"local[{said['threads']}]")
    .config("spark.driver.memory", "8g")
    .config("spark.ui.enabled", "false")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("ERROR")
start = time.perf_counter()
frame = spark.read.parquet(said["path"])
target = said["target"]
types = {name: kind for name, kind in frame.dtypes if name != target}
words = [name for name, kind in types.items() if kind == "string"]
numbers = [name for name, kind in types.items() if kind in ("double", "int", "bigint")]
frame = frame.select(
    *[functions.col(name).cast("double") for name in [*numbers, "flag"]], *words, target
)  # an imputer takes doubles only
indexed = [f"{name}_index" for name in words]
filled = [f"{name}_filled" for name in numbers]
# "keep" gives a missing word an index of its own, as a missing value has a branch of its own.
stages = [
    StringIndexer(inputCols=words, outputCols=indexed, handleInvalid="keep"),
    StringIndexer(inputCol=target, outputCol="label"),
    Imputer(inputCols=numbers, outputCols=filled),
]
by_tree = said["learner"] in ("cart", "random-forest")
inputs = [*filled, "flag", *indexed]
if not by_tree:
    hot = [f"{name}_hot" for name in words]
    stages.append(OneHotEncoder(inputCols=indexed, outputCols=hot))
    inputs = [*filled, "flag", *hot]
stages.append(VectorAssembler(inputCols=inputs, outputCol="features"))
tree = {"maxDepth": said["depth"], "maxBins": said["bins"], "maxMemoryInMB": 1024}
stages.append(
    {
        "naive-bayes": lambda: ml.NaiveBayes(modelType="gaussian"),
        "logistic": lambda: ml.LogisticRegression(maxIter=100),
        "cart": lambda: ml.DecisionTreeClassifier(**tree),
        "random-forest": lambda: ml.RandomForestClassifier(numTrees=said["trees"], seed=0, **tree),
    }[said["learner"]]()
)
model = Pipeline(stages=stages).fit(frame)
seconds = time.perf_counter() - start
judged = model.transform(frame.limit(said["judged"]))
accuracy = judged.select(functions.avg((judged.label == judged.prediction).cast("double"))).first()[0]
print(json.dumps({"seconds": seconds, "accuracy": accuracy}))
spark.stop()

"""Models as ONNX graphs: one input per column, the encoding inside, everything in float64."""

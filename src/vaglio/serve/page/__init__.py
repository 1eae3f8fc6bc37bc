"""The files of the page: a form from the schema of a model, the answer, its reasons, what was seen."""

"""One module per task, found by its name; each has ``run() -> list[Row]`` with our row first."""

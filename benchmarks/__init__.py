"""Side-by-side runs against the peers. Not part of the installed package: ``python -m benchmarks [TASK]``."""

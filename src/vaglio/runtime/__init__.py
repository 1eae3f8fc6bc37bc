"""Threads, seeds, progress, interrupts and files that are written whole or not at all. Knows no table."""

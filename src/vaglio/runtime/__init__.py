"""Threads, seeds, progress, interrupts and files that are written whole or not at all. Nothing here knows a table."""

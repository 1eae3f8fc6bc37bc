"""Traces of metrics, of stratified splits and of shattering."""

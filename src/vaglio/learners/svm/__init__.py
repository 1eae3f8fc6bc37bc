"""Support vector machines."""

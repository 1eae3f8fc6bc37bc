"""Models as programs of other languages and as files of other systems."""

"""The panel: defaults compared with other libraries on many tables, bundled, generated and real."""

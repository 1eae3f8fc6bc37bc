"""The checks of an audit, one module per topic."""

"""Models as one SELECT: rules as conditions, sums over columns and over trees as nested SELECTs."""

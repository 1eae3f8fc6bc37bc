"""Why rules decided so, and which region of another class lies nearest."""

"""Why many models decided so: by votes and means, or by scores that add up."""

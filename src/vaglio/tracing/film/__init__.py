"""A learner at work as pictures, one after the other: the lines, regions and trees beside the numbers of a trace."""

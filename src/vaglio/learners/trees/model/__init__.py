"""Decision trees: the nodes, their checks, and the rules and outlines made from them."""

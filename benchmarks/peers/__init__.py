"""Programs that learn with one library and print seconds and accuracy as JSON; each runs in a process of its own."""

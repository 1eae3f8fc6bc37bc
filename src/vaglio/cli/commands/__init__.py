"""One module per command. A command reads its options, calls the rooms above and prints."""

"""Files and options that nobody writes by accident, tried in great numbers: nothing may crash or take all memory."""

"""What learning leaves behind: frozen objects that hold data and classify encoded rows."""

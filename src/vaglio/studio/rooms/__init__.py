"""The rooms of the studio, one file each: what its page shows and what its forms do."""

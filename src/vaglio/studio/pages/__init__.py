"""The pages of the studio, one file each: what it shows and what its forms do."""

"""Long work in processes of its own: started, watched and ended from outside."""

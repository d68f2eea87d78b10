"""Who tells the stories that no provider writes: the built-in book."""

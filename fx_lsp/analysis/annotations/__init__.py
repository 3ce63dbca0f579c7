"""Shapes that were seen, as annotations of jaxtyping: true of every run that there was, and its checker takes them."""

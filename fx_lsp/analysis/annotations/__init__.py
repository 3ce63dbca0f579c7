"""Shapes that were seen, as annotations of jaxtyping: they hold for every run that there was, and its checker takes them.
"""

"""Lines of text read from images."""

"""Capture engines: what stands in for the tensors while the user's code runs."""

"""Inventing an example for a class that nothing calls: constructor arguments by what their names and annotations mean
in this field, inputs by running `forward` and listening to the operation that fails.

Runs in the sandboxed child like any trace, on fake tensors, within a budget; what it finds is the text of a call.
"""

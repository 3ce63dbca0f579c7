"""What a real eager run of an example binds: an independent tracer to compare the product with.

Nothing here is shared with the product's capture code: it watches the bytecode of an ordinary run with
`sys.settrace`, while the product rewrites the source and runs it on fake tensors.
"""

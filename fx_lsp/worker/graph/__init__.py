"""Records the `torch.fx.Graph` of one module call while real Python runs it."""

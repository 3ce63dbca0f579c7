"""fx-lsp: a language server that shows what PyTorch models really do."""

__version__ = "0.1.0"

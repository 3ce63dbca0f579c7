"""What runs in the user's interpreter: stdlib, torch and `fx_lsp.model` only; launched by path, imported by nobody."""

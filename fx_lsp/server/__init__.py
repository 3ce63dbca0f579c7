"""The language server: the editor's side of everything.  Never imports torch, never runs user code."""

"""Words shared by server and worker: stdlib only, Python 3.9 syntax, no I/O."""

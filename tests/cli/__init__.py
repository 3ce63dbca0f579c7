"""The command line: real processes, in workspaces of their own."""

"""The command line: one file per command in `commands/`, found by folder."""

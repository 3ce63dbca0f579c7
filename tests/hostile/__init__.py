"""Hostile models run through the real server, with the evidence gathered from outside of it.

`modules/` holds one attack a file; `runs.py` starts a guest in namespaces of its own, `guest.py` is its first process
and the judge.  To add an attack, copy a file of `modules/`.
"""

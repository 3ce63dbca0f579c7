"""Answers with JSON nested a million deep.  Harm: whoever reads it crashes or is busy for long."""

from kit import Harmless, answer

BRIEF = True

answer(b'{"kind": "trace_reply", "id": 1, "bindings": ' + b"[" * 1_000_000 + b"]" * 1_000_000 + b"}")


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass

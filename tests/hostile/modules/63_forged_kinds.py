"""Answers with messages of other kinds and ill-typed fields, one per run.  Harm: the server obeys or breaks."""

import json

from kit import Harmless, answer

BODIES = [
    {"kind": "hello", "protocol": 3, "python": "9", "torch": "9", "pid": 1},
    {"kind": "pong", "id": 1},
    {"kind": "start_failed", "protocol": 3, "message": "forged"},
    {"kind": "output", "id": 1, "line": "{}", "status": 0},
    {"kind": "policy", "off": ["seccomp-child"]},
    {"kind": "trace_reply", "id": "1", "bindings": {}},
    {"kind": "trace_reply", "id": 1, "failure": {"kind": "graph"}},
    {"kind": "trace_reply", "id": 1, "ms": True, "log": ["x"]},
    {"kind": ["trace_reply"]},
    [1],
]


# fx: Model(0)(f32[2, 8])
# fx: Model(1)(f32[2, 8])
# fx: Model(2)(f32[2, 8])
# fx: Model(3)(f32[2, 8])
# fx: Model(4)(f32[2, 8])
# fx: Model(5)(f32[2, 8])
# fx: Model(6)(f32[2, 8])
# fx: Model(7)(f32[2, 8])
# fx: Model(8)(f32[2, 8])
# fx: Model(9)(f32[2, 8])
class Model(Harmless):
    def __init__(self, number):
        super().__init__()
        answer(json.dumps(BODIES[number]).encode())

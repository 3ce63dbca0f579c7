"""Answers with a number of three million digits and one that is none.  Harm: the server is busy reading it."""

import time

from kit import Harmless, answer

answer(b'{"kind": "trace_reply", "id": ' + b"9" * 3_000_000 + b', "ms": NaN}')
time.sleep(30)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass

"""Answers ten thousand times.  Harm: later answers are taken for those of others."""

import os

from kit import Harmless, binding, reply, span

BRIEF = True

body = reply(bindings=[binding(span(__file__, 1, 0, 1, 1), "forged")], files=[__file__])
for number in range(10_000):
    os.write(3, len(body).to_bytes(4, "big") + body.replace(b'"id": 1', b'"id": %d' % number))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass

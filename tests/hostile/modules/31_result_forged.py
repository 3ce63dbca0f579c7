"""Answers before it has run, and then loops.  Harm: it holds a process until the deadline, or breaks what follows."""

from kit import Harmless, answer, binding, reply, span

answer(reply(bindings=[binding(span(__file__, 1, 0, 1, 1), "forged")], files=[__file__]))
while True:
    pass


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass

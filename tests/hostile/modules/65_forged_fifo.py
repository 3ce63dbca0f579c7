"""Answers that it read a pipe, devices and sockets, which the server would then look at.  Harm: that never returns."""

from kit import HOST, Harmless, answer, binding, reply, span

PLANT = {"pipe.py": ("fifo",), "zero.py": ("link", "/dev/zero"), "ear.py": ("link", "@HOST@/sockets/stream")}
FOLDER = f"{HOST}/strange/models"
PATHS = [
    f"{FOLDER}/pipe.py",
    f"{FOLDER}/zero.py",
    f"{FOLDER}/ear.py",
    "/dev/zero",
    "/dev/tty",
    "/dev/random",
    "/proc/kmsg",
]
answer(reply(bindings=[binding(span(path)) for path in [__file__, *PATHS]], files=[__file__, *PATHS]))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass

"""Changes modes, times, owners and attributes.  Harm: a file has others than before."""

import ctypes
import os

from kit import HOST, Harmless, attack, system_call

HARM = ("files",)
MODEL = f"{HOST}/strange/models/pkg.py"

attack("mode of a key", lambda: os.chmod(f"{HOST}/home/.ssh/id_rsa", 0o666))
attack("mode of a folder", lambda: os.chmod(f"{HOST}/home", 0o777))
attack("mode", lambda: os.chmod(MODEL, 0o4777))
attack("times", lambda: os.utime(MODEL, (1, 1)))
attack("attribute", lambda: os.setxattr(MODEL, "user.hostile", b"1"))
attack("owner", lambda: os.chown(MODEL, os.getuid(), os.getgid()))
attack("fchmodat2", lambda: system_call(452, -100, ctypes.c_char_p(MODEL.encode()), 0o777, 0))
attack(
    "setxattrat", lambda: system_call(463, -100, ctypes.c_char_p(MODEL.encode()), 0, ctypes.c_char_p(b"user.h"), 0, 0)
)
attack(
    "file_setattr",
    lambda: system_call(469, -100, ctypes.c_char_p(MODEL.encode()), ctypes.create_string_buffer(32), 24, 0),
)
descriptor = os.open(MODEL, os.O_RDONLY)
attack("mode by descriptor", lambda: os.fchmod(descriptor, 0o4777))
attack("times by descriptor", lambda: os.utime(descriptor, (2, 2)))
attack("attribute by descriptor", lambda: os.setxattr(descriptor, "user.hostile", b"1"))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass

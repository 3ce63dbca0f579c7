"""Leaves objects in the kernel that outlive processes.  Harm: they are still there."""

import ctypes

from kit import Harmless, attack, system_call

HARM = ("kernel",)
CREATE = 0o1666
attack("shm", lambda: system_call(29, 0x6670, 4096, CREATE))
attack("sem", lambda: system_call(64, 0x6670, 1, CREATE))
attack("msg", lambda: system_call(68, 0x6670, CREATE))
attack("mq", lambda: system_call(240, ctypes.c_char_p(b"hostile"), 0o102, 0o666, None))
attack(
    "key", lambda: system_call(248, ctypes.c_char_p(b"user"), ctypes.c_char_p(b"hostile"), ctypes.c_char_p(b"x"), 1, -4)
)
attack("keyctl", lambda: system_call(250, 0, -4, 1))
attack("timer", lambda: system_call(222, 0, None, ctypes.create_string_buffer(8)))
attack("memfd", lambda: system_call(319, ctypes.c_char_p(b"hostile"), 0))
attack("memfd_secret", lambda: system_call(447, 0))
attack("userfaultfd", lambda: system_call(323, 0))
attack("perf", lambda: system_call(298, ctypes.create_string_buffer(128), 0, -1, -1, 0))
attack("bpf", lambda: system_call(321, 0, ctypes.create_string_buffer(128), 128))
attack("inotify", lambda: system_call(294, 0))
attack("fanotify", lambda: system_call(300, 0, 0))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass

"""Makes namespaces and mounts, where it would be root.  Harm: files or processes are reached from there."""

import ctypes
import os

from kit import Harmless, attack, system_call

NEW_USER, NEW_MOUNT = 0x10000000, 0x20000

attack("unshare", lambda: system_call(272, NEW_USER))
attack("unshare with mounts", lambda: system_call(272, NEW_USER | NEW_MOUNT))
attack(
    "mount",
    lambda: system_call(165, ctypes.c_char_p(b"none"), ctypes.c_char_p(b"/opt"), ctypes.c_char_p(b"tmpfs"), 0, 0),
)
attack("setns", lambda: system_call(308, os.open("/proc/1/ns/mnt", 0), 0))
attack("clone", lambda: system_call(56, NEW_USER | 17, 0, 0, 0, 0) or os._exit(0))
attack("clone3", lambda: system_call(435, ctypes.create_string_buffer(88), 88))
attack("setuid", lambda: os.setuid(0))
attack("fsopen", lambda: system_call(430, ctypes.c_char_p(b"tmpfs"), 0))
attack("open_tree", lambda: system_call(428, -100, ctypes.c_char_p(b"/"), 1))
attack("pivot_root", lambda: system_call(155, ctypes.c_char_p(b"/"), ctypes.c_char_p(b"/tmp")))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass

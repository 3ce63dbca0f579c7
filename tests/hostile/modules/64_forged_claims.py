"""Answers with facts about files of others: another workspace, the system, folders, devices.  Harm: they are shown, or
the files are read."""

from kit import HOST, Harmless, answer, binding, operation, reply, span

PATHS = [
    f"{HOST}/mine/net.py",
    f"{HOST}/strange/../mine/net.py",
    f"{HOST}/strange/models/planted/id_rsa",
    f"{HOST}/home/.ssh/id_rsa",
    "/etc/passwd",
    "/dev/zero",
    "/proc/self/mem",
    "net.py",
    "",
    f"{HOST}/mine/net.py\0.py",
]
answer(
    reply(
        bindings=[binding(span(path, 11, 8, 11, 9), "h") for path in PATHS],
        operations=[operation(span(path, 11, 12, 11, 26), calls=[span(path)]) for path in PATHS],
        modules=[
            {"kind": "module_use", "path": path, "name": "Mine", "inputs": [], "output": None, "parameters": 0}
            for path in PATHS
        ],
        reached=[{"kind": "reached", "path": path, "unreached": [12]} for path in PATHS],
        files=[__file__, *PATHS],
    )
)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass

"""Reads keys, tokens, environments and lists folders; what it gets is in its error.  Harm: a canary is seen."""

import os

from kit import HOST, Harmless, attack, others, read

HARM = ("secret",)
BRIEF = True


def environments():
    for pid in others():
        with open(f"/proc/{pid}/environ") as file:
            text = file.read()
        if "CANARY" in text:
            return text
    raise OSError("none")


for path in (
    f"{HOST}/home/.ssh/id_rsa",
    f"{HOST}/home/.aws/credentials",
    f"{HOST}/home/.netrc",
    f"{HOST}/home/.cache/huggingface/token",
    f"{HOST}/other/notes.txt",
    f"{HOST}/mine/net.py",
    f"{HOST}/strange/.env",
    f"{HOST}/strange/.git/config",
    "/etc/shadow",
    "/etc/hosts",
    "/dev/vda",
    "/root/.profile",
    "/proc/1/cmdline",
    f"/proc/{os.getppid()}/environ",
    f"/proc/{os.getppid()}/cmdline",
):
    attack("read " + path, lambda path=path: read(path))
attack("list home", lambda: os.listdir(f"{HOST}/home/Documents"))
attack("list tmp", lambda: os.listdir("/tmp"))
for name in ("HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "MY_PASS"):
    attack("variable " + name, lambda name=name: os.environ[name])
attack("environment of others", environments)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass

"""A workspace that is a link to the home folder, as a repository that was unpacked there.  Harm: everything in it may
be read."""

import os

from kit import HOST, Harmless, attack, read

OWN = True
LINKED = "home"
HARM = ("secret",)
for name in (
    ".ssh/id_rsa",
    ".aws/credentials",
    ".netrc",
    ".git-credentials",
    ".cache/huggingface/token",
    ".config/gh/hosts.yml",
):
    for folder in (f"{HOST}/home", os.path.dirname(__file__)):
        attack(name, lambda name=name, folder=folder: read(f"{folder}/{name}"))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass

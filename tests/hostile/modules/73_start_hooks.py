"""A workspace with everything that Python or a tool might run by itself.  Harm: one of them is run outside of the
sandbox."""

from kit import Harmless

OWN = True
PLANT = {
    "sitecustomize.py": "open('@HOST@/home/pwned-site', 'w')",
    "usercustomize.py": "open('@HOST@/home/pwned-user', 'w')",
    "conftest.py": "open('@HOST@/home/pwned-conftest', 'w')",
    "setup.py": "open('@HOST@/home/pwned-setup', 'w')",
    "evil.pth": "import os; open('@HOST@/home/pwned-pth', 'w')",
    "python311._pth": "import site",
    "pyvenv.cfg": "home = @HOST@/own\nversion = 3.11\n",
    "pip.conf": "[global]\nindex-url = http://127.0.0.1:47001\n",
    "lib/python3.11/site-packages/evil.pth": "import os; open('@HOST@/home/pwned-lib-pth', 'w')",
    "lib/python3.11/site-packages/sitecustomize.py": "open('@HOST@/home/pwned-lib', 'w')",
    ".venv/pyvenv.cfg": "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11\n",
    ".venv/lib/python3.11/site-packages/evil.pth": "import os; open('@HOST@/home/pwned-venv-pth', 'w')",
    "__main__.py": "open('@HOST@/home/pwned-main', 'w')",
    "torch.pth": "import os; open('@HOST@/home/pwned-torch-pth', 'w')",
}


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass

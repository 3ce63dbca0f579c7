"""An untrusted workspace names its own interpreter, in every way there is.  Harm: it is run."""

from kit import Harmless

OWN = True
TRUSTED = False
RUNS = False
HARM = ("files",)
PLANT = {
    "pyproject.toml": (
        "text",
        '[tool.fx-lsp]\ninterpreter = "evil/python"\nextra-paths = ["evil"]\nsandbox = { off = ["seccomp-child"] }\n',
    ),
    "evil/python": ("program", "#!/bin/sh\ntouch @HOST@/home/pwned-interpreter\n"),
    ".venv/pyvenv.cfg": "home = @HOST@/own\nversion = 3.11\n",
    ".venv/bin/python": ("program", "#!/bin/sh\ntouch @HOST@/home/pwned-interpreter\n"),
    "venv/bin/python": ("program", "#!/bin/sh\ntouch @HOST@/home/pwned-interpreter\n"),
    "python3": ("program", "#!/bin/sh\ntouch @HOST@/home/pwned-interpreter\n"),
}
SETTINGS = {"interpreter": "evil/python", "sandbox": {"off": ["landlock-base"]}, "trusted": True}


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass

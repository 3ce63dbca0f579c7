"""What the worker may know of the server's environment."""

from __future__ import annotations

from fx_lsp.server.environment import allowed_environment


def test_only_what_is_listed() -> None:
    given = {
        "PATH": "/bin",
        "Path": "C:\\",
        "LC_ALL": "C.UTF-8",
        "HF_HOME": "/cache",
        "HF_TOKEN": "secret",
        "WHATEVER_TOKEN": "secret",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "SSH_AUTH_SOCK": "/agent",
        "PYTHONNODEBUGRANGES": "1",
        "PYTHONOPTIMIZE": "2",
        "PYTHONHASHSEED": "random",
        "LD_PRELOAD": "/tmp/x.so",
    }
    assert allowed_environment(given) == {
        "PATH": "/bin",
        "Path": "C:\\",
        "LC_ALL": "C.UTF-8",
        "HF_HOME": "/cache",
        "PYTHONHASHSEED": "0",
    }

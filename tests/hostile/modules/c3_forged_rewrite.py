"""Answers the question for a rewritten graph with module files that do more than compute when they are imported.  Harm:
they reach the user, who saves them, or the server is busy with them."""

from kit import Harmless, answer, asked, reply

GRAPH = True
CANARY = "CANARY" + "-module"
HEAD = f'"""{CANARY}"""\nimport torch\n'
EVIL = "torch.get_device_module('cpu').torch.os.system('x')\n"
SLOW = "x[y:z]=0\n" * 100_000

if "rewrite" in asked():
    made = ["![i](https://evil.example/i.png)\x1b[2J"] * 9999
    files = {"before": HEAD + EVIL, "after": HEAD + SLOW + EVIL}
    answer(
        reply(
            rewritten={"kind": "rewritten", **files, "made": made, "checks": 10**30, "difference": 1e308},
            files=[__file__],
        )
    )


# fx: Model()(f32[2, 8])
class Model(Harmless):
    pass

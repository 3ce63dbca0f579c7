"""Is good in its first run, and calls dims in the next what is Markdown, code, or arithmetic without an end.  Harm: the
editor shows them as they are, the server works them out, or writes them into the file."""

from kit import Harmless, answer, asked, binding, operation, reply, span, tensor

STUDIED = 8.0
GRAPH = True
EVIL = "[a](command:evil.run) ![i](https://evil.example/i.png) \x1b[2J\u202e"
NAMES = ["9**9**9**9", "B<<9**9", "x\" | __import__('os') #", EVIL, "(" * 90, "-" * 99, "B"]
LINE = 37

if "naming" in asked():
    value = [tensor(shape=(2, 8), names=[name, None]) for name in NAMES]
    places = [span(__file__, LINE, 22, LINE, 23), span(__file__, LINE + 1, 8, LINE + 1, 9)]
    given = [{"kind": "variant", "value": one, "modules": [EVIL] * 5, "count": 10**30} for one in (tensor(), *value)]
    answer(
        reply(
            bindings=[
                {**binding(place, name, variants=given), "role": role}
                for place, name, role in zip(places, "xy", ("parameter", "assign"), strict=True)
            ],
            operations=[operation(span(__file__, LINE + 1, 12, LINE + 1, 26), value=one) for one in value],
            modules=[
                {"kind": "module_use", "path": __file__, "name": "Model", "inputs": [value[0]], "output": value[4],
                 "parameters": 3}
            ],
            constraints=[
                {"kind": "constraint", "text": f"{name} <= {EVIL}", "span": places[0]} for name in NAMES * 1000
            ],
            files=[__file__],
        )
    )  # fmt: skip


# fx: Model()(f32[B:2, 8])
class Model(Harmless):
    def forward(self, x):
        y = self.linear(x)
        return y

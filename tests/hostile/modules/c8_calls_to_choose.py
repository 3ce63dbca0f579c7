"""Answers with as many calls of one line as fit, in modules with names that mislead.  Harm: who lists them for the user
to choose one never ends, or shows what is no name."""

from kit import Harmless, answer, asked, operation, reply, span, tensor

GRAPH = True
EVIL = "layers.[a](command:evil.run)\x1b[2J$(trash)."
LINE = 31

if not asked():
    values = [tensor(shape=(number, 8)) for number in range(1000)]
    where = span(__file__, LINE, 15, LINE, 29)
    variants = [
        {"kind": "operation_variant", "inputs": [one], "output": one, "modules": [EVIL + str(number)] * 64}
        for number, one in enumerate(values)
    ]
    uses = [
        {"kind": "module_use", "path": __file__, "name": "Model", "inputs": [one], "output": one, "parameters": number,
         "module": EVIL + str(number), "calls": -number}
        for number, one in enumerate(values * 15)
    ]  # fmt: skip
    made = {**operation(where, EVIL), "variants": variants}
    bound = {"kind": "binding", "span": span(__file__, LINE - 1, 22, LINE - 1, 23), "name": EVIL, "role": "parameter"}
    named = [{"kind": "variant", "value": one, "modules": [EVIL + str(number)]} for number, one in enumerate(values)]
    answer(reply(operations=[made] * 3, modules=uses, bindings=[{**bound, "variants": named}], files=[__file__]))


# fx: Model()(f32[2, 8])
class Model(Harmless):
    def forward(self, x):
        return self.linear(x)

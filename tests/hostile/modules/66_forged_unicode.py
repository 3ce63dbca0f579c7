"""Answers with control characters, bidirectional text, surrogates and Markdown in every text.  Harm: the editor shows
them as they are."""

from kit import Harmless, answer, binding, operation, reply, span, tensor

BRIEF = True

EVIL = "\u202e\u2066\u200b\x1b[2J\x00\x07\r\n# x [a](command:evil.run) ![b](https://evil.example/x.png)"
EVIL += " `` ` <img src=x>\ud800"


def group(value):
    return {"kind": "group", "form": "object", "items": [value], "keys": [EVIL], "name": EVIL}


LINE = 26
value = group(tensor(EVIL, (2, 8), names=[EVIL, EVIL], device=EVIL))
place = span(__file__, LINE, 6, LINE, 11)
answer(
    reply(
        engine="fake",
        bindings=[
            binding(place, EVIL, value),
            binding(span(__file__, 31, 6, 31, 11), EVIL, {"kind": "opaque", "text": EVIL}),
        ],
        operations=[
            operation(place, EVIL, value, calls=[place]),
            operation(span(__file__, 34, 0, 34, 8), EVIL, value, form="module"),
        ],
        modules=[
            {
                "kind": "module_use",
                "path": __file__,
                "name": "Model",
                "inputs": [value],
                "output": value,
                "parameters": -1,
            }
        ],
        files=[__file__],
        devices=[EVIL],
        fallback=EVIL,
        log=EVIL,
        failure={"kind": "failure", "stage": "trace", "message": EVIL, "span": place, "error": EVIL, "detail": EVIL},
        defect=EVIL,
    )
)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    def forward(self, x):
        return self.linear(x)

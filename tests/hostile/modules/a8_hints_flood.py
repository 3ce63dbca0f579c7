"""A source of thousands of lines that all have something to show.  Harm: the editor is sent more than it can draw."""

import torch
from kit import Harmless

text = "def many(x):\n" + "".join(f"    y{number} = torch.relu(x)\n" for number in range(3_000)) + "    return x\n"
scope = {"torch": torch}
exec(compile(text, __file__, "exec"), scope)


# fx: Model()(f32[2, 8])
class Model(Harmless):
    def forward(self, x):
        for _ in range(20):
            x = scope["many"](x)
        return self.linear(x)

"""Names and messages that are links, images and commands in Markdown.  Harm: one click runs something, or showing it
tells a stranger."""

import torch
from kit import Harmless
from torch import nn

EVIL = "x\n\n[click](command:evil.run?%5B%5D) ![i](https://evil.example/i.png) <img src='https://evil.example'> ``"
Evil = type(EVIL, (nn.Module,), {"forward": lambda self, x: {EVIL: torch.relu(x), "b`c": x}})


class Failing(torch.Tensor):
    def __repr__(self):
        return EVIL


# fx: Model()(f32[2, 8])
class Model(Harmless):
    def forward(self, x):
        named = Evil()(x)
        setattr(self, "evil [a](command:evil.run)", Evil())
        again = getattr(self, "evil [a](command:evil.run)")(x)
        y = self.linear(x)
        z = y.as_subclass(Failing)
        raise type("E ![i](https://evil.example/e.png)", (RuntimeError,), {})(EVIL, named, again, z)

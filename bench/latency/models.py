"""The models that are edited: a file with the model, and one that uses it, in a workspace of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

USER = """\
from torch import nn

from layers import *
{imports}

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = {build}

    def forward(self, x):  # fx: Model()({inputs})
        y = self.net(x)
        return y
"""


@dataclass(frozen=True)
class Model:
    """What is built, on what it is run, and which class of the source holds the `forward` that is edited."""

    source: Callable[[], str]
    build: str
    inputs: str
    floor: str
    """The inputs, for a plain session."""
    edited: str
    imports: str = ""

    def plant(self, root: Path) -> None:
        """Write the workspace."""
        root.mkdir()
        (root / "layers.py").write_text(self.source())
        (root / "model.py").write_text(USER.format(imports=self.imports, build=self.build, inputs=self.inputs))


def example(name: str) -> Callable[[], str]:
    """A model of `examples/`, without its script."""
    return lambda: (EXAMPLES / name).read_text().partition('\nif __name__ == "__main__":')[0]


def llama() -> str:
    """The released source, in a file of the user's own."""
    import transformers

    path = Path(transformers.__file__).parent / "models" / "llama" / "modeling_llama.py"
    text = path.read_text().replace("from ...", "from transformers.")
    return text.replace("from .", "from transformers.models.llama.")


def edited(text: str, cls: str, number: int) -> str:
    """The text with another first statement in the `forward` of the class."""
    head = re.compile(rf"(^class {cls}\(.*?^    def forward\(\s*self,\s*(\w+).*?\)[^()]*?:[^\n]*\n)", re.M | re.S)
    found = head.search(text)
    assert found is not None, cls
    rest = re.sub(r"\A        step_\d+ = .*\n", "", text[found.end() :])
    return f"{text[: found.end()]}        step_{number} = {found[2]} + {number}\n{rest}"


SIZES = "vocab_size=32000, hidden_size=512, intermediate_size=1376, num_hidden_layers=8, num_attention_heads=8"

MODELS = {
    "gpt2": Model(example("gpt2.py"), "GPT(GPTConfig())", "i64[4, 64]", "torch.randint(1, 3, (4, 64))", "GPT"),
    "resnet50": Model(
        example("resnet50.py"), "resnet50()", "f32[2, 3, 224, 224]", "torch.randn(2, 3, 224, 224)", "Bottleneck"
    ),
    "vit": Model(
        example("vit.py"),
        "ViT(image_size=224, patch_size=16, num_classes=1000, dim=768, depth=12, heads=12, mlp_dim=3072)",
        "f32[2, 3, 224, 224]",
        "torch.randn(2, 3, 224, 224)",
        "ViT",
    ),
    "llama": Model(
        llama,
        f"LlamaForCausalLM(LlamaConfig({SIZES}))",
        "i64[2, 64]",
        "torch.randint(1, 3, (2, 64))",
        "LlamaMLP",
        "from layers import LlamaConfig, LlamaForCausalLM\n",
    ),
}

for _depth in (12, 24, 48, 96):
    MODELS[f"gpt2-{_depth}"] = replace(MODELS["gpt2"], build=f"GPT(GPTConfig(n_layer={_depth}))")

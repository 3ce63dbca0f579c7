"""Examples invented for classes that a configuration describes."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.model.example import Maker
from tests.worker.test_inference import found, works

CONFIGS = """
    class Base:
        def __init__(self, **others):
            for name, value in others.items():
                setattr(self, name, value)

    class TextConfig(Base):
        rms_eps = 1e-6
        def __init__(self, width=512, heads=8, num_layers=24, vocab_size=99, **others):
            super().__init__(**others)
            self.width, self.heads, self.num_layers, self.vocab_size = width, heads, num_layers, vocab_size

    class ImageConfig(Base):
        def __init__(self, hidden_size=256, num_layers=12, patch_size=8, layer_types=None, **others):
            super().__init__(**others)
            self.hidden_size, self.num_layers, self.patch_size = hidden_size, num_layers, patch_size
            kinds = ["full" if (number + 1) % 4 == 0 else "linear" for number in range(num_layers)]
            self.layer_types = layer_types or kinds

    class BothConfig(Base):
        def __init__(self, text_config=None, image_config=None, **others):
            super().__init__(**others)
            self.text_config = text_config or TextConfig()
            self.image_config = image_config or ImageConfig()
"""


def test_layers_are_few_also_in_configurations_within(tmp_path: Path) -> None:
    source = (
        CONFIGS
        + """
    class Both(nn.Module):
        def __init__(self, config: BothConfig):
            super().__init__()
            text, image = config.text_config, config.image_config
            self.words = nn.Embedding(text.vocab_size, text.width)
            self.layers = nn.ModuleList([nn.Linear(text.width, text.width) for _ in range(text.num_layers)])
            if "full" not in image.layer_types:
                raise ValueError("one layer must be full")
        def forward(self, input_ids):
            x = self.words(input_ids)
            for layer in self.layers:
                x = layer(x)
            return x
    """
    )
    one = found(tmp_path, source, "Both")["Both"]
    works(tmp_path, source, one)
    assert "TextConfig(num_layers=2)" in one.call
    assert "ImageConfig(num_layers=4)" in one.call  # one of each kind


def test_the_configuration_that_has_what_is_read(tmp_path: Path) -> None:
    source = (
        CONFIGS
        + """
    class Patches(nn.Module):
        config_class = BothConfig
        def __init__(self, config):
            super().__init__()
            self.conv = nn.Conv2d(3, config.hidden_size, config.patch_size, config.patch_size)
        def forward(self, pixel_values):
            y = self.conv(pixel_values)
            return y
    """
    )
    one = found(tmp_path, source, "Patches")["Patches"]
    works(tmp_path, source, one)
    assert one.call.startswith("Patches(config=ImageConfig(")


def test_what_a_configuration_lacks_is_given_to_it(tmp_path: Path) -> None:
    source = (
        CONFIGS
        + """
    class Net(nn.Module):
        def __init__(self, config: TextConfig):
            super().__init__()
            self.fc = nn.Linear(config.width, config.pooler_size)
            self.config = config
        def forward(self, hidden_states):
            y = self.fc(hidden_states) * self.config.scale
            return y
    """
    )
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "pooler_size=64" in one.call


def test_what_the_message_asks_for_by_its_name(tmp_path: Path) -> None:
    source = """
    class WordsConfig:
        def __init__(self, width=32, vocab_size=None):
            self.width, self.vocab_size = width, vocab_size

    class Net(nn.Module):
        def __init__(self, config: WordsConfig):
            super().__init__()
            if getattr(config, "vocab_size", None) is None:
                raise ValueError("There are no words: please define `vocab_size` of your configuration.")
            self.fc = nn.Linear(config.width, config.vocab_size)
        def forward(self, hidden_states):
            y = self.fc(hidden_states)
            return y
    """
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "vocab_size=" in one.call


def test_nothing_where_something_is_needed(tmp_path: Path) -> None:
    source = (
        CONFIGS
        + """
    class AdapterConfig(Base):
        def __init__(self, width=32, adapter_dim=None, window=4):
            self.width, self.adapter_dim, self.window = width, adapter_dim, window

    class Net(nn.Module):
        def __init__(self, config: AdapterConfig):
            super().__init__()
            self.window = config.window[0]
            self.fc = nn.Linear(config.width, config.adapter_dim)
        def forward(self, x):
            y = self.fc(x)
            return y
    """
    )
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "window=[4, 4]" in one.call


EXPERTS = (
    CONFIGS
    + """
    class Experts(nn.Module):
        def __init__(self, config: TextConfig):
            super().__init__()
            self.gate = nn.Linear(config.width, 4)
            self.fc = nn.Linear(config.width, config.width)
        def forward(self, x):
            x = x.reshape(-1, x.shape[-1])
            chosen = self.gate(x).argmax(-1)
            kept = x[chosen == chosen.max()]
            for row in range(kept.shape[0]):
                assert int(chosen[row]) >= 0
            {more}
            y = self.fc(kept)
            return y
    """
)


def test_values_that_decide_are_met_on_small_real_tensors(tmp_path: Path) -> None:
    source = EXPERTS.replace("{more}", "pass")
    one = found(tmp_path, source, "Experts")["Experts"]
    works(tmp_path, source, one)
    assert "width=16" in one.call


def test_a_call_that_is_too_large_for_real_tensors_is_made_smaller(tmp_path: Path) -> None:
    source = EXPERTS.replace("{more}", "if self.fc.in_features > 999: raise MemoryError")
    makers = (Maker("Experts", "config = TextConfig(width=2048)", "Experts(config)"),)
    one = found(tmp_path, source, "Experts", makers=makers)["Experts"]
    works(tmp_path, source, one)
    assert "width=16" in one.call


def test_a_part_is_taken_from_the_whole_that_makes_it(tmp_path: Path) -> None:
    source = """
    class Part(nn.Module):
        def __init__(self, whatever_it_is):
            super().__init__()
            self.fc = nn.Linear(whatever_it_is.a()['b'].c, 4)
        def forward(self, x):
            y = self.fc(x)
            return y

    class Net(nn.Module):
        def __init__(self, dim):
            super().__init__()
            a = {"b": types.SimpleNamespace(c=12)}
            self.parts = nn.ModuleList([Part(types.SimpleNamespace(a=lambda: a))])
        def forward(self, x):
            raise RuntimeError("no way")
    """
    answers = found(tmp_path, source, "Net", "Part")
    works(tmp_path, source, answers["Part"])
    assert answers["Part"].call == "Net(dim=64).parts[0](f32[2, 16, 12])"


def test_a_forward_says_what_the_constructor_should_have_been_given(tmp_path: Path) -> None:
    source = """
    class Chooses(nn.Module):
        def __init__(self, mode, bits):
            super().__init__()
            self.mode, self.bits = mode, bits
        def forward(self, x):
            if self.mode not in ("batch", "row"):
                raise ValueError(f"mode has to be either 'batch' or 'row', but got {self.mode}")
            y = x * 2
            return y

    class Block(nn.Module):
        expansion = 2
        def __init__(self, inplanes, planes):
            super().__init__()
            self.conv = nn.Conv2d(inplanes, planes * 2, 1)
        def forward(self, x):
            y = self.conv(x) + x
            return y

    class Tower(nn.Module):
        def __init__(self, block):
            super().__init__()
            self.block = block(8 * block.expansion, 8)
        def forward(self, x):
            y = self.block(x)
            return y
    """
    answers = found(tmp_path, source, "Chooses", "Tower", "Block")
    works(tmp_path, source, answers["Chooses"])
    works(tmp_path, source, answers["Tower"])
    assert "mode='batch'" in answers["Chooses"].call
    assert answers["Tower"].call.startswith("Tower(block=Block)")


def test_a_part_that_fails_in_its_whole_and_cannot_be_built_ends_nothing(tmp_path: Path) -> None:
    source = """
    class Part(nn.Module):
        def __init__(self, whatever_it_is):
            super().__init__()
            self.fc = nn.Linear(whatever_it_is.a()['b'].c, 4)
        def forward(self, x):
            y = self.fc(x)
            raise RuntimeError("no way")

    class Net(nn.Module):
        def __init__(self, dim):
            super().__init__()
            a = {"b": types.SimpleNamespace(c=12)}
            self.parts = nn.ModuleList([Part(types.SimpleNamespace(a=lambda: a))])
        def forward(self, x):
            raise RuntimeError("no way")

    class Last(nn.Module):
        def __init__(self, dim):
            super().__init__()
            self.fc = nn.Linear(dim, dim)
        def forward(self, x):
            y = self.fc(x)
            return y
    """
    answers = found(tmp_path, source, "Net", "Part", "Last")
    assert "no way" in answers["Part"].why
    works(tmp_path, source, answers["Last"])


def test_what_cannot_be_read_of_a_configuration_is_passed_over(tmp_path: Path) -> None:
    source = """
    class ModelConfig:
        def __init__(self, width: int = 12, head_dim: int = 4, depth: int = 2):
            self.width, self._head_dim = width, head_dim
        @property
        def head_dim(self):
            raise RuntimeError("it differs from layer to layer")
        @property
        def depth(self):
            raise KeyError("depth")

    class Net(nn.Module):
        def __init__(self, config: ModelConfig):
            super().__init__()
            self.config = config
            self.fc = nn.Linear(config.width, 8)
        def forward(self, x):
            y = self.fc(x)
            return y

    class Strange(nn.Module):
        @property
        def main_input_name(self):
            raise RuntimeError("nobody knows")
        def forward(self, x=None, y=None):
            z = x * 2
            return z
    """
    answers = found(tmp_path, source, "Net", "Strange")
    for one in answers.values():
        works(tmp_path, source, one)


WITHIN = """
    class PartConfig:
        def __init__(self, heads: int = 4, clip: Optional[float] = None, **others):
            self.heads, self.clip = heads, clip
            for name, value in others.items():
                setattr(self, name, value)

    class WholeConfig:
        def __init__(self, part: Optional[PartConfig] = None, width: int = 32, num_layers: int = 2,
                     head_dim: Optional[int] = None, experts_per_token: Optional[int] = None,
                     kinds_of_layers: Optional[list] = None, languages: tuple = ("en_XX",),
                     default_language: Optional[str] = None, table: "Optional[dict[str, int]]" = None):
            self.part_config = self.part = part or PartConfig()
            self.width, self.num_layers, self.head_dim = width, num_layers, head_dim
            self.experts_per_token, self.kinds_of_layers = experts_per_token, kinds_of_layers
            self.languages, self.default_language, self.table = languages, default_language, table

    class Net(nn.Module):
        def __init__(self, config: WholeConfig):
            super().__init__()
            self.config = config
            self.fc = nn.Linear(config.width, config.width)
            LINES
        def forward(self, x):
            y = self.fc(x)
            CALLS
            return y
"""


@pytest.mark.parametrize(
    ("lines", "calls", "expected"),
    [
        ("self.theta = config.part.theta", "y = y * self.theta", "part=PartConfig(theta="),
        (
            "self.size = getattr(config, 'head_dim', 4); self.scale = self.size ** -0.5",
            "y = y * self.scale",
            "head_dim=",
        ),
        ("self.k = config.experts_per_token", "y, _ = y.topk(self.k)", "experts_per_token="),
        ("self.clip = config.part.clip", "y = y.clamp(min=None, max=self.clip)", "clip="),
        ("self.deep = config.kinds_of_layers[0] == 'sparse'", "", "kinds_of_layers=['sparse'] * 2"),
        ("self.first = config.table.get('a')", "", "table={}"),
        (
            "",
            "if self.config.default_language is None: raise ValueError('Call set_language() first')"
            "\n            y = y + self.config.languages.index(self.config.default_language)",
            "default_language='en_XX'",
        ),
    ],
)
def test_what_is_absent_or_nothing_in_a_configuration(tmp_path: Path, lines: str, calls: str, expected: str) -> None:
    calls = calls.replace(": raise", ":\n                raise")
    source = WITHIN.replace("LINES", lines or "pass").replace("CALLS", calls or "pass")
    one = found(tmp_path, source, "Net")["Net"]
    works(tmp_path, source, one)
    assert expected in one.call.replace('"', "'")


def test_experts_that_lie_in_groups_are_as_many_as_the_groups_need(tmp_path: Path) -> None:
    source = """
    class RouterConfig:
        def __init__(self, width: int = 32, num_experts: int = 64, n_group: int = 8):
            self.width, self.num_experts, self.n_group = width, num_experts, n_group

    class Router(nn.Module):
        def __init__(self, config: RouterConfig):
            super().__init__()
            self.config = config
            self.gate = nn.Linear(config.width, config.num_experts)
        def forward(self, x):
            groups = self.gate(x).unflatten(-1, (self.config.n_group, -1))
            best = groups.topk(2, dim=-1)[0].sum(-1)
            return best
    """
    one = found(tmp_path, source, "Router")["Router"]
    works(tmp_path, source, one)
    assert "num_experts=16" in one.call


def test_a_configuration_that_is_needed_though_it_may_be_left_out(tmp_path: Path) -> None:
    source = (
        CONFIGS
        + """
    class Both(nn.Module):
        def __init__(self, config: Optional[BothConfig] = None, words: Optional[nn.Module] = None):
            super().__init__()
            if config is None and words is None:
                raise ValueError("Either a configuration has to be provided, or the parts.")
            self.words = words or nn.Embedding(config.text_config.vocab_size, 8)
        def forward(self, input_ids):
            x = self.words(input_ids)
            return x
    """
    )
    one = found(tmp_path, source, "Both")["Both"]
    works(tmp_path, source, one)
    assert "config=BothConfig(" in one.call


def test_fields_that_are_nothing_and_reach_what_fails_through_variables(tmp_path: Path) -> None:
    source = """
    from collections import namedtuple

    BlockArgs = namedtuple("BlockArgs", ["filters", "expand_ratio"])
    BlockArgs.__new__.__defaults__ = (None,) * 2
    GlobalParams = namedtuple("GlobalParams", ["momentum", "epsilon"])
    GlobalParams.__new__.__defaults__ = (None,) * 2

    class Block(nn.Module):
        def __init__(self, block_args: BlockArgs, global_params: GlobalParams):
            super().__init__()
            momentum, epsilon = 1 - global_params.momentum, 0
            epsilon = global_params.epsilon
            width = block_args.filters
            inner = width * block_args.expand_ratio
            self.conv = nn.Conv2d(
                width,
                int(inner),
                3,
            )
            self.norm = nn.BatchNorm2d(
                num_features=int(inner),
                momentum=momentum,
                eps=epsilon,
            )
        def forward(self, x):
            x = self.norm(self.conv(x))
            return x
    """
    one = found(tmp_path, source, "Block")["Block"]
    works(tmp_path, source, one)
    assert "epsilon=" in one.call


def test_as_many_fields_as_are_read_of_a_configuration(tmp_path: Path) -> None:
    names = ["width", "heads", "ratio", "bias", "eps", "rank", "layers", "act_limit", "offset", "gain", "window"]
    reads = "; ".join(f"self.{name} = config.{name}" for name in names)
    source = f"""
    class Inner(nn.Module):
        def __init__(self, config):
            super().__init__()
            {reads}
            self.fc = nn.Linear(config.width, config.width)
        def forward(self, x):
            return self.fc(x)

    class Net(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.inner = Inner(config)
        def forward(self, x):
            y = self.inner(x)
            return y
    """
    one = found(tmp_path, source, "Net")["Net"]
    works(tmp_path, source, one)


def test_a_switch_that_stands_before_a_raise(tmp_path: Path) -> None:
    source = (
        CONFIGS
        + """
    class SwitchedConfig(Base):
        def __init__(self, width=64, has_decoder=True, **others):
            super().__init__(**others)
            self.width, self.has_decoder = width, has_decoder

    class Encoder(nn.Module):
        def __init__(self, config: SwitchedConfig):
            super().__init__()
            if config.has_decoder:
                raise ValueError("Encoder supports encoders only. Use something else instead")
            self.fc = nn.Linear(config.width, 3)
        def forward(self, x):
            y = self.fc(x)
            return y
    """
    )
    one = found(tmp_path, source, "Encoder")["Encoder"]
    works(tmp_path, source, one)
    assert "SwitchedConfig(" in one.call
    assert "has_decoder=False" in one.call


def test_a_key_of_a_table_that_nobody_chose(tmp_path: Path) -> None:
    source = (
        CONFIGS
        + """
    class ChosenConfig(Base):
        def __init__(self, width=64, **others):
            self._kind = others.pop("kind", None)
            super().__init__(**others)
            self.width = width

    KINDS = {"plain": nn.Linear, "with a middle": nn.Bilinear}

    class Net(nn.Module):
        def __init__(self, config: ChosenConfig, size: int):
            super().__init__()
            self.fc = KINDS[config._kind](config.width, size)
        def forward(self, x):
            y = self.fc(x)
            return y
    """
    )
    one = found(tmp_path, source, "Net")["Net"]
    works(tmp_path, source, one)
    assert "kind='plain'" in one.call


@pytest.mark.parametrize("written", ["share=0.5", "rope={'base': 7.0, 'share': 0.5}"])
def test_a_share_of_the_features_that_others_take_whole(written: str, tmp_path: Path) -> None:
    read = "config.share" if written.startswith("share") else "config.rope['share']"
    source = (
        CONFIGS
        + f"""
    class PartConfig(Base):
        def __init__(self, width=32, {written}, **others):
            super().__init__(**others)
            self.width, self.{written.partition("=")[0]} = width, {written.partition("=")[0]}

    class Net(nn.Module):
        def __init__(self, config: PartConfig):
            super().__init__()
            self.some = int(config.width * {read})
            self.fc = nn.Linear(config.width, config.width)
            self.scale = nn.Parameter(torch.ones(config.width))
        def forward(self, x):
            y = self.fc(x)
            return y[..., : self.some] * self.scale
    """
    )
    works(tmp_path, source, found(tmp_path, source, "Net")["Net"])


def test_arguments_that_the_class_adds_to_a_parser(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        @staticmethod
        def add_args(parser):
            parser.add_argument("--width", default=48, type=int)
            parser.add_argument("--num_layers", default=36, type=int)

        def __init__(self, args, words):
            super().__init__()
            assert args.width % 48 == 0 and args.arch
            self.embed = nn.Embedding(words, args.width)
            self.layers = nn.Sequential(*(nn.Linear(args.width, args.width) for _ in range(args.num_layers)))

        def forward(self, x):
            y = self.layers(self.embed(x))
            return y
    """
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "width=48, num_layers=2" in one.call


def test_another_field_of_a_namespace(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def __init__(self, args):
            super().__init__()
            self.dim = args.embed_dim
            self.layers = nn.ModuleList([nn.Linear(self.dim, self.dim) for _ in range(args.layers)])

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x
    """
    works(tmp_path, source, found(tmp_path, source)["Net"])


def test_what_takes_too_long_to_build_is_built_small(tmp_path: Path) -> None:
    source = """
    import time

    class NetConfig:
        def __init__(self, dim=1536, depth=2):
            self.dim, self.depth = dim, depth

    class Net(nn.Module):
        def __init__(self, config: NetConfig):
            super().__init__()
            time.sleep(config.dim / 200)
            self.layers = nn.Sequential(*(nn.Linear(config.dim, config.dim) for _ in range(config.depth)))
        def forward(self, x):
            x = self.layers(x)
            return x
    """
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "config=NetConfig(" in one.call


def test_what_is_empty_is_in_no_proportion(tmp_path: Path) -> None:
    source = """
    class NetConfig:
        def __init__(self, dim=64):
            self.dim = dim

    class Net(nn.Module):
        def __init__(self, config: NetConfig):
            super().__init__()
            self.fc = nn.Linear(config.dim, config.dim)
        def forward(self, x):
            x = self.fc(x)
            raise RuntimeError(f"0 and {x.shape[-1]} do not go together")
    """
    assert "do not go together" in found(tmp_path, source)["Net"].why

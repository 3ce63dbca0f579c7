"""Examples invented for classes that are built from a namespace or a dict of settings that nobody wrote down."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.server.vetted_examples import only_imports
from fx_lsp.worker.inference.fields import fields_of, is_group, replaced
from tests.worker.test_inference import found, works

BUILT = {
    "attributes, one of which is no list": (
        """
        class Net(nn.Module):
            def __init__(self, args):
                super().__init__()
                self.words = nn.Embedding(args.vocab, args.hidden)
                self.rnn = nn.GRU(args.hidden, args.hidden, args.layers, batch_first=True)
            def forward(self, tokens):
                h, _ = self.rnn(self.words(tokens))
                return h
        """,
        "layers=2",
    ),
    "attributes of attributes, one of which is a list": (
        """
        class Net(nn.Module):
            def __init__(self, cfg):
                super().__init__()
                dims = [cfg.model.n_in] + list(cfg.model.hidden)
                self.layers = nn.Sequential(*[nn.Linear(a, b) for a, b in zip(dims, dims[1:])])
                self.drop = nn.Dropout(cfg.train.dropout)
            def forward(self, x):
                y = self.drop(self.layers(x))
                return y
        """,
        "train=types.SimpleNamespace(",
    ),
    "keys of keys, one of them of a table": (
        """
        class Net(nn.Module):
            def __init__(self, config):
                super().__init__()
                e, d = config["encoder"], config["decoder"]
                self.enc = nn.LSTM(e["input_dim"], e["hidden_dim"], batch_first=True)
                self.dec = nn.Linear(e["hidden_dim"], d["output_dim"])
                self.act = {"relu": nn.ReLU(), "gelu": nn.GELU()}[d["activation"]]
            def forward(self, x):
                h, _ = self.enc(x)
                return self.act(self.dec(h))
        """,
        "decoder=dict(",
    ),
    "keys of an enumeration": (
        """
        import enum
        class Act(str, enum.Enum):
            relu, gelu = "relu", "gelu"
        ACTS = {Act.relu: nn.ReLU, Act.gelu: nn.GELU}
        class Net(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.fc = nn.Linear(config.wide, config.narrow)
                self.act = ACTS[config.activation]()
            def forward(self, x):
                return self.act(self.fc(x))
        """,
        "activation='relu'",
    ),
    "settings of parts": (
        """
        class Part(nn.Module):
            def __init__(self, c):
                super().__init__()
                self.proj = nn.Linear(c.in_features, c.width)
            def forward(self, x):
                y = self.proj(x)
                return y

        class Net(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.image, self.text = Part(config.image), Part(config.text)
            def forward(self, a, b):
                y = self.image(a) @ self.text(b).mT
                return y
        """,
        "text=types.SimpleNamespace(in_features=64",
    ),
    "attributes and keys": (
        """
        class Part(nn.Module):
            def __init__(self, width, depth):
                super().__init__()
                self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
            def forward(self, x):
                for layer in self.layers:
                    x = layer(x)
                return x

        class Net(nn.Module):
            def __init__(self, cfg):
                super().__init__()
                self.enc = Part(**cfg.encoder)
                self.dec = nn.Linear(cfg.encoder.width, cfg.get("classes", 5))
            def forward(self, x):
                y = self.dec(self.enc(x))
                return y
        """,
        "cfg=AttrDict(encoder=AttrDict(width=64, depth=2",
    ),
    "keys that may be absent": (
        """
        class Net(nn.Module):
            def __init__(self, cfg):
                super().__init__()
                width = cfg.get("width")
                self.fc = nn.Linear(cfg.get("in_dim"), width)
                self.norm = nn.LayerNorm(width) if cfg.get("norm", True) else nn.Identity()
            def forward(self, x):
                y = self.norm(self.fc(x))
                return y
        """,
        "cfg=dict(width=64, in_dim=64)",
    ),
    "keys of what takes any argument": (
        """
        class Net(nn.Module):
            def __init__(self, **config):
                super().__init__()
                self.fc = nn.Linear(config["d_in"], config["d_out"])
            def forward(self, x):
                y = self.fc(x)
                return y
        """,
        "Net(d_in=64, d_out=64)",
    ),
    "a list in a text": (
        """
        class Net(nn.Module):
            def __init__(self, opt):
                super().__init__()
                dims = [int(one) for one in opt.layer_dims.split(',')]
                self.layers = nn.Sequential(*[nn.Linear(a, b) for a, b in zip(dims, dims[1:])])
            def forward(self, x):
                y = self.layers(x)
                return y
        """,
        "layer_dims='64,64'",
    ),
    "a branch that compares": (
        """
        class Net(nn.Module):
            def __init__(self, args):
                super().__init__()
                if args.backbone == 'mlp':
                    self.body = nn.Linear(args.input_dim, args.hid_dim)
                else:
                    raise NotImplementedError
                self.args = args
            def forward(self, x):
                h = self.body(x)
                if self.args.residual:
                    h = h + x
                return h
        """,
        "backbone='mlp'",
    ),
    "names of activations": (
        """
        class Net(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.mlp = nn.Sequential(nn.Linear(config.dim, 2 * config.dim), getattr(nn, config.act)())
            def forward(self, x):
                y = self.mlp(x)
                return y
        """,
        "act='ReLU'",
    ),
    "spaces of a simulation": (
        """
        class Net(nn.Module):
            def __init__(self, obs_space, action_space):
                super().__init__()
                self.pi = nn.Linear(obs_space.shape[0], action_space.n)
            def forward(self, obs):
                y = self.pi(obs)
                return y
        """,
        "action_space=types.SimpleNamespace(n=",
    ),
    "words that Python keeps for itself": (
        """
        class Net(nn.Module):
            def __init__(self, config):
                super().__init__()
                self.share = config.get("lambda", 0.5)
                self.fc = nn.Linear(config["width"], 4)
                if "lambda" in config and config["lambda"] > 1:
                    raise ValueError("too much")
            def forward(self, x):
                y = self.fc(x) * self.share
                return y
        """,
        "config=dict(width=64)",
    ),
    "what is called": (
        """
        class Base(nn.Module):
            def __init__(self, config, dataset):
                super().__init__()
                self.n_items = dataset.num(config['ITEM_ID'])

        class Net(Base):
            def __init__(self, config, dataset):
                super().__init__(config, dataset)
                self.items = nn.Embedding(self.n_items, config['embedding_size'])
            def forward(self, item):
                y = self.items(item)
                return y
        """,
        "num=lambda *a, **k: 64",
    ),
    "what is only asked whether it holds": (
        """
        class Net(nn.Module):
            def __init__(self, args, words=None):
                super().__init__()
                self.words = words
                if args.share_words_embed:
                    self.fc = nn.Linear(args.width, self.words.weight.shape[0])
                else:
                    self.fc = nn.Linear(args.width, args.width)
            def forward(self, x):
                y = self.fc(x)
                return y
        """,
        "share_words_embed=False",
    ),
    "settings in a class that is made of them": (
        """
        class Settings:
            def __init__(self, **given):
                for name, value in given.items():
                    setattr(self, name, value)

        class Net(nn.Module):
            def __init__(self, config):
                super().__init__()
                settings = Settings(**vars(config))
                self.fc = nn.Linear(settings.width, settings.classes)
            def forward(self, x):
                y = self.fc(x)
                return y
        """,
        "config=types.SimpleNamespace(width=64, classes=",
    ),
    "words with numbers": (
        """
        class Net(nn.Module):
            def __init__(self, vocab, width):
                super().__init__()
                self.words = nn.Embedding(len(vocab), width, padding_idx=vocab['<pad>'])
            def forward(self, sentence):
                y = self.words(sentence)
                return y
        """,
        "'<pad>': 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BUILT)
def test_settings(tmp_path: Path, name: str) -> None:
    source, expected = BUILT[name]
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert expected in one.call
    assert only_imports(one.setup)  # the server believes nothing else


def test_a_module_that_is_called_like_settings_configures_nothing(tmp_path: Path) -> None:
    source = """
    class NetArgs(nn.Module):
        def __init__(self, args):
            super().__init__()
            self.fc = nn.Linear(args.dim, 4)
        def forward(self, x):
            y = self.fc(x)
            return y
    """
    one = found(tmp_path, source, "NetArgs")["NetArgs"]
    works(tmp_path, source, one)
    assert one.call.startswith("NetArgs(args=types.SimpleNamespace(dim=64))")


def test_fields() -> None:
    text = "types.SimpleNamespace(a=1, b=dict(c=(2, 3)))"
    assert fields_of(text) == {("a",): "1", ("b",): "dict(c=(2, 3))", ("b", "c"): "(2, 3)"}
    assert replaced(text, ("b", "c"), "4") == "types.SimpleNamespace(a=1, b=dict(c=4))"
    assert replaced(text, ("b", "d"), "4") == "types.SimpleNamespace(a=1, b=dict(c=(2, 3), d=4))"
    assert is_group(text)
    assert not is_group("dictionary(a=1)")
    assert fields_of("64") == {}


def test_types_that_real_tensors_refuse_are_no_example(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(64, 4)
        def forward(self, x_seq):
            b, t, d = x_seq.shape
            y = self.fc(x_seq)
            return y
    """
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "(f32[" in one.call


def test_a_module_that_is_kept_under_another_name(tmp_path: Path) -> None:
    source = """
    class PlainAttention(nn.Module):
        def __init__(self, scale=None):
            super().__init__()
            self.scale = scale
        def forward(self, q, k, v):
            weights = (q @ k.mT).softmax(-1)
            return weights @ v, weights

    class Layer(nn.Module):
        def __init__(self, attention, d_model):
            super().__init__()
            self.inner_attention = attention
            self.proj = nn.Linear(d_model, d_model)
        def forward(self, q, k, v):
            out, _ = self.inner_attention(q, k, v)
            return self.proj(out)
    """
    one = found(tmp_path, source, "Layer")["Layer"]
    works(tmp_path, source, one)
    assert "attention=PlainAttention()" in one.call


def test_tables_of_arguments_within_tables(tmp_path: Path) -> None:
    source = """
    class Factory:
        def __init__(self, **builders):
            self._builders = builders
        def create(self, name, **kwargs):
            builder = self._builders.get(name)
            if not builder:
                raise ValueError(name)
            return builder(**kwargs)
    class Net(nn.Module):
        def __init__(self, params, **kwargs):
            super().__init__()
            width, shape = kwargs.pop("actions_num"), kwargs.pop("input_shape")
            acts = Factory(relu=nn.ReLU, none=nn.Identity)
            starts = Factory(const=lambda **k: lambda w: nn.init.constant_(w, **k), none=nn.Identity)
            self.act = acts.create(params["mlp"]["activation"])
            start = starts.create(**params["mlp"]["initializer"])
            self.fc = nn.Linear(torch.rand(1, *shape).flatten(1).size(1), width)
            start(self.fc.weight)
        def forward(self, table):
            y = self.act(self.fc(table["obs"].flatten(1)))
            return y
    """
    works(tmp_path, source, found(tmp_path, source)["Net"])

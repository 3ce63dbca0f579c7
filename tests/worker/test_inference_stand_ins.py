"""Modules given to constructors, of which more is read than one tensor, and that are called with more than one."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.server.vetted_examples import only_imports
from tests.worker.test_inference import found, works

SOURCES = {
    "of which attributes are asked by name": (
        """
        class Net(nn.Module):
            def __init__(self, encoder: nn.Module):
                super().__init__()
                if getattr(encoder, "input_dim", None) is None:
                    raise AttributeError("the encoder has to say what it takes")
                if not hasattr(encoder, "output_dim"):
                    raise AttributeError("the encoder has to say what it gives")
                self.encoder = encoder
                self.fc = nn.Linear(encoder.output_dim, 4)
            def forward(self, x):
                y = self.fc(self.encoder(x))
                return y
        """,
        "'input_dim': 64",
    ),
    "with methods, attributes and what is read of these": (
        """
        class Net(nn.Module):
            def __init__(self, embeddings: nn.Module):
                super().__init__()
                self.embeddings = embeddings
                self.fc = nn.Linear(embeddings.embedding_length, embeddings.config.hidden_size)
            def forward(self, x):
                x = self.embeddings.embed(x)
                y = self.fc(x)
                return y
        """,
        "'embedding_length': 64",
    ),
    "one within another, that is called by names": (
        """
        class Wrapper(nn.Module):
            def __init__(self, model: nn.Module):
                super().__init__()
                self.model = model
            def forward(self, x: Tensor, t: Tensor, **extras) -> Tensor:
                return self.model(x=x, t=t, **extras)

        class Net(Wrapper):
            def __init__(self, velocity_model: Wrapper, scale: float):
                super().__init__(velocity_model)
                self.scale = scale
            def forward(self, x: Tensor, t: Tensor, **extras) -> Tensor:
                u = self.model(x=x, t=t * self.scale, **extras)
                return u
        """,
        "lambda self, x, *a, **k: x",
    ),
    "several at once, with a keyword": (
        """
        class Net(nn.Module):
            def __init__(self, net):
                super().__init__()
                self.net = net
                self.to_pred = nn.Linear(net.dim, 1)
            def forward(self, x, *args, labels=None, **kwargs):
                _, embeds = self.net(x, *args, return_embed=True, **kwargs)
                logits = self.to_pred(embeds)
                return logits
        """,
        "f32[2, 16, 64]",
    ),
    "several, within others": (
        """
        class Net(nn.Module):
            def __init__(self, backbone, width):
                super().__init__()
                self.backbone = backbone
                self.head = nn.Linear(width, 4)
            def forward(self, x, mask=None):
                out, (hidden, cell) = self.backbone(x, mask)
                y = self.head(out) + hidden.sum() + cell.sum()
                return y
        """,
        "(f32[2, 16, 64])",
    ),
    "by a key that the constructor is given": (
        """
        from typing import Union
        class Net(nn.Module):
            __slots__ = ["target_key"]
            def __init__(self, model: nn.Module, key: Union[str, int]):
                super().__init__()
                self.model = model
                self.target_key = key
            def forward(self, *input, **kwargs) -> Tensor:
                output = self.model(*input, **kwargs)
                return output[self.target_key]
        """,
        "{'name': x}",
    ),
    "by attributes and keys, called by keywords": (
        """
        class Net(nn.Module):
            def __init__(self, encoder: nn.Module, hidden_size: int):
                super().__init__()
                self.encoder = encoder
                self.head = nn.Linear(hidden_size, 4)
            def forward(self, features, attention_mask=None):
                outputs = self.encoder(features=features, attention_mask=attention_mask)
                hidden = outputs.hidden_states[-2]
                y = self.head(hidden) + self.head(outputs["pooler_output"]) + self.head(outputs[0])
                return y
        """,
        "'hidden_states': (features,) * 4})({0: features, 'pooler_output': features})",
    ),
    "by a method": (
        """
        class Net(nn.Module):
            def __init__(self, bert, width):
                super().__init__()
                self.bert = bert
                self.head = nn.Conv2d(width, 4, 1)
            def forward(self, x):
                feats = self.bert.extract_features(x, level=3)
                y = self.head(feats["out"])
                return y
        """,
        "f32[2, 64, 32, 32]",
    ),
    "whatever names there are": (
        """
        class Net(nn.Module):
            def __init__(self, body):
                super().__init__()
                self.body = body
                self.conv = nn.Conv2d(3, 4, 1)
            def forward(self, x):
                out = {}
                for name, value in self.body(x).items():
                    out[name] = self.conv(value)
                return out
        """,
        "f32[2, 3, 32, 32]",
    ),
    "one, with a keyword, and a width": (
        """
        class Net(nn.Module):
            def __init__(self, net):
                super().__init__()
                self.net = net
                self.to_pred = nn.Linear(net.dim, 1)
            def forward(self, x):
                embeds = self.net(x, return_embed=True)
                y = self.to_pred(embeds)
                return y
        """,
        "lambda self, x, *a, **k: x",
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_what_is_read_of_a_result(tmp_path: Path, name: str) -> None:
    source, expected = SOURCES[name]
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert expected in one.call
    assert only_imports(one.setup)  # the server believes nothing else


def test_one_of_which_a_tensor_is_read_is_as_before(tmp_path: Path) -> None:
    source = """
    class Net(nn.Module):
        def __init__(self, net):
            super().__init__()
            self.net = net
            self.head = nn.Linear(64, 1)
        def forward(self, x):
            y = self.net(x)
            first = y[0].sum() / y.shape[0]
            return self.head(y) + first
    """
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert "net=nn.Identity()" in one.call

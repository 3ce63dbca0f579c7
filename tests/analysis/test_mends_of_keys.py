"""Mends of what goes by way of keys of dicts, fields of objects and loaders of data."""

from __future__ import annotations

from typing import Any

from fx_lsp.model.failure import Failure
from tests.analysis.test_mends import attempt, edited, place

TEXT = """import torch
from torch import nn
from torch.utils.data import DataLoader

class Words:
    def __getitem__(self, index):
        return {"ids": self.ids[index].unsqueeze(0), "other": 3}

def pad(samples):
    ids = nn.utils.rnn.pad_sequence([one["ids"] for one in samples])
    return {"ids": ids, "labels": torch.stack([one["other"] for one in samples])}

class Output:
    logits: torch.Tensor
    hidden: torch.Tensor

class Net(nn.Module):
    def forward(self, ids):
        h = self.table(ids).mean(dim=2)
        w = h.amax(dim=2)
        return Output(h.sum(dim=2), hidden=w)

def train(net):
    for batch in DataLoader(Words(), batch_size=4, collate_fn=pad):
        out = net(batch["ids"])
        loss = out.hidden + batch["labels"]
        other = out.logits + 1
        extra = {}
        extra["mask"] = out.hidden.amax(dim=2)
        extra["more"] = out.hidden.amin(dim=2)
        masked = extra["mask"] * loss

net = Net()
for given in DataLoader(Words()):
    h = net.head(given["ids"])
"""
SIZES = "f32[4, 5]", "f32[9]"


def _edited(part: str, *arguments: Any, calls: str = "") -> list[str]:
    places = (place(TEXT, calls),) if calls else ()
    return edited(
        Failure("trace", "no", place(TEXT, part), places, operation=attempt("torch.Tensor.add", arguments)), TEXT
    )


def test_what_is_under_a_key_of_what_a_loader_gives() -> None:
    found = _edited('out.hidden + batch["labels"]', *SIZES)
    assert "    ids = nn.utils.rnn.pad_sequence" not in "".join(found)  # which is under another key
    assert any("torch.stack([one" in line and "dim=-1)}" in line for line in found)


def test_the_field_of_an_object_that_a_model_gives_back() -> None:
    text = TEXT.replace("net(batch", "Net()(batch")
    assert text != TEXT
    failure = Failure("trace", "no", place(text, "out.logits + 1"), operation=attempt("torch.Tensor.add", SIZES))
    found = edited(failure, text)
    assert "return Output(h.sum(dim=-1), hidden=w)" in found
    assert "w = h.amax(dim=-1)" not in found
    failure = Failure(
        "trace", "no", place(text, 'out.hidden + batch["labels"]'), operation=attempt("torch.Tensor.add", SIZES)
    )
    found = edited(failure, text)
    assert "w = h.amax(dim=-1)" in found
    assert "return Output(h.sum(dim=-1), hidden=w)" not in found


def test_what_was_put_under_a_key() -> None:
    found = _edited('extra["mask"] * loss', *SIZES)
    assert 'extra["mask"] = out.hidden.amax(dim=-1)' in found
    assert 'extra["more"] = out.hidden.amin(dim=-1)' not in found


def test_what_a_data_set_gives_a_loop_of_the_whole_file() -> None:
    failure = Failure(
        "trace",
        "no",
        place(TEXT, 'net.head(given["ids"])'),
        layer=attempt("Conv1d", ("f32[1, 1, 5, 8]",), "net.head", in_channels=5),
    )
    assert 'return {"ids": self.ids[index].unsqueeze(-1), "other": 3}' in edited(failure, TEXT)

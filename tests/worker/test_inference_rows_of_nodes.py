"""Rows of which text says the shape at its end, and what only rows, whole numbers or four dims go through."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

CASES = {
    "a shape behind what is said": (
        '''
        class Net(nn.Module):
            def forward(self, left, right):
                """Angles.

                Args:
                    left (Tensor): normalized left vector of each angle [n_angle, 3]
                    right (Tensor): normalized right vector of each angle, one of the two
                        next to an atom [n_angle, 3 or 1]
                """
                cosine = torch.sum(left * right, dim=1)
                return torch.outer(torch.acos(cosine), torch.ones(5))
        ''',
        "(f32[16, 3], f32[16, 3])",
    ),
    "owners of rows": (
        '''
        class Net(nn.Module):
            def forward(self, atoms, owner):
                """Pools.

                Args:
                    atoms (Tensor): features of the points [num_atoms, features]
                    owner (Tensor): index of the graph of each atom.
                        [num_atoms]
                """
                count = torch.bincount(owner)
                out = atoms.new_zeros([count.shape[0], atoms.shape[1]]).index_add_(0, owner, atoms)
                return (out.T / count).T
        ''',
        "(f32[16, 64], i64[16])",
    ),
    "counted without a word": (
        """
        class Net(nn.Module):
            def forward(self, atoms, owner):
                count = torch.bincount(owner)
                out = atoms.sum() * count
                return out
        """,
        "i64[2])",
    ),
    "rows that are chosen": (
        """
        class Net(nn.Module):
            def __init__(self, width=12):
                super().__init__()
                self.fc = nn.Linear(width, 4)
            def forward(self, atoms, graph, owner):
                ends = torch.index_select(atoms, 0, graph[:, 1])
                all_of = torch.index_select(ends, 0, owner)
                y = self.fc(all_of)
                return y
        """,
        "i64[",
    ),
    "one dim less everywhere": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.frequencies = nn.Parameter(torch.arange(4.0))
            def forward(self, left, right):
                cosine = torch.sum(left * right, dim=1)
                angle = torch.outer(cosine, self.frequencies)
                return angle
        """,
        "(f32[2, 64], f32[2, 64])",
    ),
    "ids in more dims than two": (
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.words = nn.Embedding(100, 8)
                self.places = nn.Embedding(64, 8)
            def forward(self, x, shape=None):
                assert x.ndim in {2, 4}, "of shape (batch, length) or (batch, frame, height, width)"
                if x.ndim == 4:
                    shape = x.shape[1:]
                    x = rearrange(x, "b ... -> b (...)")
                assert shape is not None, "the shape must be given"
                assert x.shape[1] <= 64, f"{x.shape[1]} are more than 64"
                x = self.words(x) + self.places(torch.arange(x.shape[1]))
                y = x.view(x.shape[0], *shape, 8)
                return y
        """,
        "i64[2, ",
    ),
}


@pytest.mark.parametrize("case", CASES, ids=CASES)
def test_it_is_found(case: str, tmp_path: Path) -> None:
    source, expected = CASES[case]
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert expected in one.call, one.call

"""Annotations that hold a shape and a dtype, made by a shorter name for that."""

from __future__ import annotations

from pathlib import Path

from tests.worker.test_inference import found, works

SHAPES = """
class Kind:
    def __init__(self, dtypes):
        self.dtypes = dtypes
    def __getitem__(self, dims):
        return type("Shape", (), {"dim_str": dims, "dtypes": self.dtypes, "array_type": Tensor})

Real, Whole, Anything = Kind(("float16", "float32")), Kind(("int32", "int64")), Kind(object())
"""

OF_FACES = (
    SHAPES
    + """
class Net(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.embed = nn.Linear(9, dim)
    def forward(self, points: Real["b nv 3"], of_each: Whole["b nf 3"], face_edges: Optional[Whole["b e 2"]] = None):
        assert points.ndim == 3 and of_each.shape[2] == 3
        at = torch.arange(points.shape[0])[:, None, None]
        corners = points[at, of_each]
        y = self.embed(corners.flatten(2))
        return y
"""
)

OF_ANY = (
    SHAPES
    + """
class Net(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.fc = nn.Linear(7, 4)
    def forward(self, held: Anything["*b length 7"], other: Real["... length rows=5"]):
        assert held.ndim == other.ndim == 3 and other.shape[2] == 5
        y = self.fc(held) + other.sum()
        return y
"""
)

BY_NAME = (
    SHAPES
    + """
class Net(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.fc = nn.Linear(7, 4)
    def forward(self, x: Real["b length 7"], patch_size: Whole["b length"]):
        y = self.fc(x) * torch.eq(patch_size, 4).unsqueeze(-1)
        return y
"""
)


def test_a_shape_is_no_number(tmp_path: Path) -> None:
    one = found(tmp_path, BY_NAME)["Net"]
    works(tmp_path, BY_NAME, one)
    assert "(f32[2, 16, 7], i64[2, 16])" in one.call


def test_dims_and_kinds_of_numbers(tmp_path: Path) -> None:
    one = found(tmp_path, OF_FACES)["Net"]
    works(tmp_path, OF_FACES, one)
    assert "(f32[2, 16, 3], i64[2, 16, 3]" in one.call


def test_any_number_of_dims_and_named_sizes(tmp_path: Path) -> None:
    one = found(tmp_path, OF_ANY)["Net"]
    works(tmp_path, OF_ANY, one)
    assert "(f32[2, 16, 7], f32[2, 16, 5])" in one.call

"""Operators of other libraries: their kernels for sizes may take what those for tensors refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from fx_lsp.worker.inference.reasons import REAL_TENSORS_REFUSE
from tests.worker.test_inference import found, works

SOURCE = """
    LIBRARY = torch.library.Library("shop{number}", "DEF")
    LIBRARY.define("pool(Tensor pictures) -> Tensor")

    def sizes(pictures):
        return pictures.new_empty(2, 4)

    def pooled(pictures):
        {kernel}

    LIBRARY.impl("pool", sizes, "Meta")
    LIBRARY.impl("pool", pooled, "{device}")

    class Pool(nn.Module):
        def forward(self, x):
            return torch.ops.shop{number}.pool(x)
"""


@pytest.mark.parametrize(("number", "wanted"), [(1, 4), (2, 3)])
def test_inputs_are_those_that_the_operator_takes(tmp_path: Path, number: int, wanted: int) -> None:
    kernel = f"assert pictures.dim() == {wanted}, 'wants {wanted} dims'; return pictures.new_empty(2, 4)"
    source = SOURCE.format(number=number, kernel=kernel, device="CPU")
    one = found(tmp_path, source, "Pool")["Pool"]
    works(tmp_path, source, one)
    assert one.call.count(",") == wanted - 1


def test_none_where_it_takes_nothing(tmp_path: Path) -> None:
    source = SOURCE.format(number=3, kernel="raise ValueError('no')", device="CPU")
    one = found(tmp_path, source, "Pool")["Pool"]
    assert not one.call
    assert one.why == REAL_TENSORS_REFUSE


def test_a_device_that_is_not_here_refuses_nothing(tmp_path: Path) -> None:
    source = SOURCE.format(number=4, kernel="return pictures.new_empty(2, 4)", device="CUDA")
    assert found(tmp_path, source, "Pool")["Pool"].call

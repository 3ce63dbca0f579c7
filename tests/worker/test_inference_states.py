"""States that recurrent layers are started with: as many as the layer has, in the shape that it wants."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worker.test_inference import found, works

STATES = [
    ("nn.GRU(8, 6, 2, batch_first=True)", "x, state", "x, state", "f32[2, 2, 6]"),
    ("nn.LSTM(8, 6, 2, batch_first=True)", "x, state", "x, state", "(f32[2, 2, 6], f32[2, 2, 6])"),
    ("nn.LSTM(8, 6)", "x, state", "x, hx=state", "(f32[1, 16, 6], f32[1, 16, 6])"),
    ("nn.LSTM(8, 6, bidirectional=True)", "x, h, c", "x, (h, c)", "f32[2, 16, 6], f32[2, 16, 6]"),
    ("nn.LSTM(8, 6)", "x, state", "x.permute(1, 0, 2), state", "(f32[1, 2, 6], f32[1, 2, 6])"),
    ("nn.LSTM(8, 6)", "x, state", "x.transpose(0, 1), state", "(f32[1, 2, 6], f32[1, 2, 6])"),
    ("nn.GRUCell(8, 6)", "x, state", "x, state", "f32[2, 6]"),
    ("nn.LSTMCell(8, 6)", "x, state", "x, state", "(f32[2, 6], f32[2, 6])"),
]


@pytest.mark.parametrize(("layer", "parameters", "given", "state"), STATES)
def test_the_state_of_a_layer(tmp_path: Path, layer: str, parameters: str, given: str, state: str) -> None:
    source = f"""
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn = {layer}
        def forward(self, {parameters}):
            y = self.rnn({given})
            return y
    """
    one = found(tmp_path, source)["Net"]
    works(tmp_path, source, one)
    assert state in one.call

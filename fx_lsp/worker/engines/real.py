"""Small real tensors on the processor: for what cannot be run on sizes alone."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from fx_lsp.worker.capture.recorder import Recorder


class Real:
    """Runs code as it is, observed by a recorder."""

    varies = True
    """Another run, on other values, may have other shapes."""
    new_to_it = ""
    """Nothing has to be worked out."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    @contextmanager
    def run(self) -> Iterator[None]:
        """The body runs on real tensors."""
        with self.recorder:
            yield

"""Small real tensors on the processor: for what cannot be run on sizes alone."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from fx_lsp.worker.capture.recorder import Recorder


@contextmanager
def engine(recorder: Recorder) -> Iterator[None]:
    """Run the body as it is, observed by `recorder`."""
    with recorder:
        yield

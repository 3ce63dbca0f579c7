"""Variants of one place, taken together."""

from __future__ import annotations

import time

from fx_lsp.analysis.variants import merged, merged_operations
from fx_lsp.model.trace import OperationVariant, Variant
from fx_lsp.model.value import TensorType

X, Y = TensorType("f32", (2,)), TensorType("f32", (3,))
NAMED = TensorType("f32", (2,), ("B",))


def test_each_value_once_with_the_paths_of_all() -> None:
    given = [Variant(X, ("a", "b"), 2), Variant(Y, ("c",)), Variant(NAMED, ("b", "d"), 3)]
    assert merged(given) == (Variant(X, ("a", "b", "d"), 5), Variant(Y, ("c",)))


def test_each_signature_once_with_the_paths_of_all() -> None:
    given = [OperationVariant((X,), Y, ("a",)), OperationVariant((Y,), X, ("b",)), OperationVariant((X,), Y, ("c",), 4)]
    assert merged_operations(given) == (OperationVariant((X,), Y, ("a", "c"), 5), OperationVariant((Y,), X, ("b",)))


def test_thousands_of_calls_with_paths_of_their_own_take_no_longer_than_they_are_many() -> None:
    given = [Variant(X, tuple(f"{number}.{one}" for one in range(64))) for number in range(5000)]
    start = time.process_time()
    (one,) = merged(given)
    assert len(one.modules) == 64 * 5000
    assert time.process_time() - start < 10

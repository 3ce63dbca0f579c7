"""Recurses without end and without Python's limit.  Harm: more than its own process crashes."""

import sys

from kit import Harmless


# fx: Model()(f32[2, 8])
class Model(Harmless):
    def forward(self, x):
        sys.setrecursionlimit(10**9)

        def deeper(n):
            return deeper(n + 1) + 1

        return self.linear(x) + deeper(0)

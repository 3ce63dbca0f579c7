"""Values whose methods lie, loop or grow: shapes, lengths, names, equality.  Harm: describing them never ends."""

import torch
from kit import Harmless


class Lying(dict):
    def __len__(self):
        return 10**12

    def items(self):
        number = 0
        while True:
            number += 1
            yield "k" * number, torch.zeros(1)

    def __eq__(self, other):
        raise SystemExit

    __hash__ = None


class Name(str):
    def __str__(self):
        return "x" * 10**8

    def __repr__(self):
        while True:
            pass


# fx: Model()(f32[2, 8])
class Model(Harmless):
    def forward(self, x):
        lying = Lying(a=x)
        long = {Name("n"): x, "y" * 10**7: x}
        round_trip = [x]
        round_trip.append(round_trip)
        return lying, long, round_trip

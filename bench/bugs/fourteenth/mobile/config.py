"""Settings of the stages: expansion, channels, repeats, stride, kernel, squeeze."""

WIDTH = 1.0

STAGES = [
    # t, c, n, s, k, se
    (1, 16, 1, 1, 3, False),
    (4, 24, 2, 2, 3, False),
    (3, 40, 2, 2, 5, True),
    (6, 80, 2, 2, 3, False),
    (6, 112, 1, 1, 5, True),
]

STEM = 16
HEAD = 256

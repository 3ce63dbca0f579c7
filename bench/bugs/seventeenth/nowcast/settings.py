ENCODER = [
    {"in": 1, "hidden": 16, "kernel": 5},
    {"in": 16, "hidden": 32, "kernel": 3},
    {"in": 32, "hidden": 32, "kernel": 3},
]
DECODER = [
    {"in": 32, "hidden": 32, "kernel": 3},
    {"in": 32, "hidden": 32, "kernel": 3},
    {"in": 32, "hidden": 16, "kernel": 5},
]
FRAMES_IN = 6
FRAMES_OUT = 4

"""Sizes of the tables and towers."""

TABLES = {"user": 100, "item": 200, "city": 20}
EMBEDDING_DIM = 16
NUM_DENSE = 6
MAX_HISTORY = 12

MODEL = {
    "bottom_mlp": [32, EMBEDDING_DIM],
    "top_mlp": [64, 32],
    "expert_dim": 24,
    "num_experts": 3,
    "tasks": ["click", "buy"],
    "heads": 2,
}

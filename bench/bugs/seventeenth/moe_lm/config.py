SMALL = dict(
    vocab_size=500,
    block_size=64,
    n_embd=96,
    n_head=6,
    n_kv_head=2,
    n_layer=2,
    n_expert=4,
    top_k=2,
    d_expert=160,
)

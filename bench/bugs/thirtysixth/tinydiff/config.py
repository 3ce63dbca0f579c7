CONFIG = {
    "image_size": 16, "in_channels": 3, "num_classes": 10,
    "model": {
        "base": 32,
        "mults": (1, 2, 2),
        "attn_resolutions": (8, 4),
        "num_heads": 4, "norm_groups": 8,
        "time_dim": 64,
    },
    "diffusion": {"steps": 12, "beta_start": 1e-4, "beta_end": 0.02, "guidance": 2.0},
    "train": {"batch_size": 4, "lr": 2e-4, "uncond_prob": 0.1},
}

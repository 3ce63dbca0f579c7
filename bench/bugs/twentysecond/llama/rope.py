import torch


def frequencies(head_dim, max_len, theta):
    inv = 1.0 / theta ** (torch.arange(0, head_dim, 2).float() / head_dim)
    angles = torch.outer(torch.arange(max_len).float(), inv)
    return angles.cos(), angles.sin()


def rotate(x, cos, sin):
    """x is batch, heads, length, head_dim; cos and sin are length, half of head_dim."""
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1)
    return turned.flatten(-2)

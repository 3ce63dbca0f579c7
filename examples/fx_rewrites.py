"""Rewrites of this workspace's own: each `before…` is found in the models and replaced with its `after…`, as an action.
They are read, never run, and what they change is measured when one is chosen."""

import torch


def before_add(x, y):
    """torch.add → torch.mul, for experiments"""
    return torch.add(x, y)


def after_add(x, y):
    return torch.mul(x, y)


def before_relu(x):
    """relu, written out"""
    return torch.relu(x)


def after_relu(x):
    return (x > 0) * x

import torch
import torch.nn.functional as F


def si_snr(estimate, target, eps=1e-8):
    estimate = estimate - estimate.mean(dim=-1, keepdim=True)
    target = target - target.mean(dim=-1, keepdim=True)
    scale = (estimate * target).sum(dim=-1, keepdim=True) / (target.pow(2).sum(dim=-1, keepdim=True) + eps)
    projection = scale * target
    ratio = projection.pow(2).sum(-1) / ((estimate - projection).pow(2).sum(-1) + eps)
    return 10 * torch.log10(ratio + eps)


def compressed_magnitude_loss(est_spec, ref_spec, power=0.3):
    return F.l1_loss(est_spec.abs().clamp_min(1e-6) ** power, ref_spec.abs().clamp_min(1e-6) ** power)

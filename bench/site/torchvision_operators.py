"""Stands in for torchvision's compiled operators, which load only where its wheel is of the same build as torch.

Imported at the start of each interpreter of the benchmark, see `sitecustomize.py`; it does nothing before torchvision
is looked for.  The sizes are those of the library, the values are simpler: regions are pooled at whole pixels, and
deformable convolution does not deform.
"""

import importlib.abc
import sys

_REGION = "Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width"
_BACKWARD = "float spatial_scale, SymInt pooled_height, SymInt pooled_width"
_SHAPE = "SymInt batch_size, SymInt channels, SymInt height, SymInt width"
_DEFORMED = "Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias"
_STEPS = (
    "SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, "
    "SymInt groups, SymInt offset_groups, bool use_mask"
)
OPERATORS = (
    "_cuda_version() -> int",
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "box_iou_rotated(Tensor boxes1, Tensor boxes2) -> Tensor",
    f"roi_align({_REGION}, int sampling_ratio, bool aligned) -> Tensor",
    f"_roi_align_backward(Tensor grad, Tensor rois, {_BACKWARD}, {_SHAPE}, int sampling_ratio, bool aligned) -> Tensor",
    "qroi_align(Tensor input, Tensor rois, float input_scale, int input_zero_point, float rois_scale, "
    "int rois_zero_point, float spatial_scale, int pooled_height, int pooled_width, int sampling_ratio, bool aligned) "
    "-> Tensor",
    f"roi_pool({_REGION}) -> (Tensor, Tensor)",
    f"_roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, {_BACKWARD}, {_SHAPE}) -> Tensor",
    f"ps_roi_align({_REGION}, int sampling_ratio) -> (Tensor, Tensor)",
    f"_ps_roi_align_backward(Tensor grad, Tensor rois, Tensor mapping, {_BACKWARD}, int ratio, {_SHAPE}) -> Tensor",
    f"ps_roi_pool({_REGION}) -> (Tensor, Tensor)",
    f"_ps_roi_pool_backward(Tensor grad, Tensor rois, Tensor mapping, {_BACKWARD}, {_SHAPE}) -> Tensor",
    f"deform_conv2d({_DEFORMED}, {_STEPS}) -> Tensor",
    f"_deform_conv2d_backward(Tensor grad, {_DEFORMED}, {_STEPS}) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
)


class Declaring(importlib.abc.MetaPathFinder):
    """Declares the operators at the moment `torchvision` is looked for, then steps aside."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname == "torchvision":
            sys.meta_path.remove(self)
            self._declare()
        return None

    def _declare(self):
        import torch

        self.library = torch.library.Library("torchvision", "FRAGMENT")
        for schema in OPERATORS:
            self.library.define(schema)
        for name, kernel in _kernels().items():
            self.library.impl(name, kernel, "CompositeExplicitAutograd" if name == "_cuda_version" else "CPU")
        load = torch.ops.load_library
        torch.ops.load_library = lambda path: None if "torchvision" in str(path) and "_C" in str(path) else load(path)
        _keep.append(self)


def _kernels():
    import numpy as np
    import torch
    from torch.nn import functional

    def nms(boxes, scores, threshold):
        numbers, order = boxes.detach().double().numpy(), scores.argsort(descending=True).numpy()
        kept = []
        while len(order):
            kept.append(order[0])
            best, others = numbers[order[0]], numbers[order[1:]]
            sides = np.minimum(best[2:], others[:, 2:]) - np.maximum(best[:2], others[:, :2])
            shared = sides.clip(min=0).prod(1)
            total = (best[2:] - best[:2]).prod() + (others[:, 2:] - others[:, :2]).prod(1) - shared
            order = order[1:][shared <= threshold * total]
        return torch.tensor(np.array(kept, dtype=np.int64))

    def pooled(features, rois, scale, height, width, pool):
        ends = (features.size(3) - 1, features.size(2) - 1) * 2
        regions = []
        for image, *corners in rois.tolist():
            x1, y1, x2, y2 = (int(min(max(one * scale, 0), end)) for one, end in zip(corners, ends, strict=True))
            region = features[int(image) : int(image) + 1, :, y1 : max(y1, y2) + 1, x1 : max(x1, x2) + 1]
            regions.append(pool(region, (height, width)))
        return torch.cat(regions) if regions else features.new_empty(0, features.shape[1], height, width)

    def by_place(features, rois, scale, height, width, *_):
        found = pooled(features, rois, scale, height, width, functional.adaptive_avg_pool2d)
        found = found.view(len(found), -1, height * width, height * width).diagonal(dim1=2, dim2=3)
        found = found.reshape(len(found), -1, height, width)
        return found, torch.zeros(found.shape, dtype=torch.int32)

    def roi_align(features, rois, scale, height, width, ratio, aligned):
        return pooled(features, rois, scale, height, width, functional.adaptive_avg_pool2d)

    def roi_pool(features, rois, scale, height, width):
        found = pooled(features, rois, scale, height, width, functional.adaptive_max_pool2d)
        return found, torch.zeros(found.shape, dtype=torch.int32)

    def deform_conv2d(x, weight, offset, mask, bias, sh, sw, ph, pw, dh, dw, groups, *_):
        found = functional.conv2d(x, weight, bias, (sh, sw), (ph, pw), (dh, dw), groups)
        if offset.shape[2:] != found.shape[2:]:  # the library refuses it too
            raise RuntimeError(f"offset output dims: {tuple(offset.shape[2:])} - computed: {tuple(found.shape[2:])}")
        return found

    return {
        "_cuda_version": lambda: -1, "nms": nms, "roi_align": roi_align, "roi_pool": roi_pool, "ps_roi_align": by_place,
        "ps_roi_pool": by_place, "deform_conv2d": deform_conv2d,
    }  # fmt: skip


_keep = []
"""A library's operators vanish with it."""
sys.meta_path.insert(0, Declaring())

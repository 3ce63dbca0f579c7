import torch
import timm

vit = timm.create_model("vit_tiny_patch16_224", pretrained=True, num_classes=0)
f = vit(torch.randn(2, 3, 224, 224))

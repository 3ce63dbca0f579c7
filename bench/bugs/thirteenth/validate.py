"""Runs a model of the zoo by its name, and one for pixels that stands on it."""

import argparse

import torch

from zoo import create_model, list_models
from zoo.convmlp import PyramidHead


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="convmlp_small", choices=list_models())
    parser.add_argument("--batch-size", type=int, default=2)
    args = parser.parse_args([])
    model = create_model(args.model, num_classes=10)
    images = torch.randn(args.batch_size, 3, 64, 64)
    print(model(images).shape)
    segmenter = PyramidHead(create_model("convmlp_tiny", num_classes=0), num_classes=5)
    print(segmenter(images).shape)


if __name__ == "__main__":
    main()

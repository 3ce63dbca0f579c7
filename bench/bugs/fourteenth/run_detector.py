import argparse

import torch

from detector.model import DETR, SetCriterion


def get_args_parser():
    parser = argparse.ArgumentParser("detector", add_help=False)
    parser.add_argument("--width", default=16, type=int)
    parser.add_argument("--num_pos_feats", default=32, type=int)
    parser.add_argument("--hidden_dim", default=48, type=int)
    parser.add_argument("--nheads", default=4, type=int)
    parser.add_argument("--dec_layers", default=2, type=int)
    parser.add_argument("--num_queries", default=20, type=int)
    parser.add_argument("--num_classes", default=11, type=int)
    return parser


if __name__ == "__main__":
    args = argparse.ArgumentParser(parents=[get_args_parser()]).parse_args()
    criterion = SetCriterion(DETR(args), args.num_classes)
    images, mask = torch.randn(2, 3, 64, 96), torch.zeros(2, 64, 96, dtype=torch.bool)
    print(criterion(images, mask, torch.randint(0, 11, (2, 3)), torch.rand(2, 3, 4)))

"""python qa_main.py --units 32   (port of train_squad.py, model.compile / model.fit written out)"""
import argparse
import random

import torch
import torch.nn.functional as F

from qa_data import Batches, build_vocab, make_example
from qa_model import Reader


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--units", type=int, default=32)
    parser.add_argument("--word_dim", type=int, default=24)
    parser.add_argument("--char_dim", type=int, default=8)
    parser.add_argument("--filters", type=int, default=12)
    parser.add_argument("--num_heads", type=int, default=4)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--max_len", type=int, default=64)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--batch_size", type=int, default=5)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--max_answer", type=int, default=4)
    return parser.parse_args()


def loss_fn(start, end, spans):
    # SparseCategoricalCrossentropy(from_logits=True), once for each output
    return F.cross_entropy(start, spans[:, 0]) + F.cross_entropy(end, spans[:, 1])


def best_spans(start, end, max_answer):
    """The pair start <= end < start + max_answer of the highest joint probability."""
    length = start.size(1)
    joint = start.log_softmax(dim=-1).unsqueeze(2) + end.log_softmax(dim=-1).unsqueeze(1)
    allowed = torch.ones(length, length, dtype=torch.bool).triu().tril(max_answer - 1)
    joint = joint.masked_fill(~allowed, float("-inf"))
    flat = joint.flatten(1).argmax(dim=1)
    return torch.stack([flat // length, flat % length], dim=1)


def answer_tokens(context, spans):
    rows = torch.arange(context.size(0))
    return context[rows, spans[:, 0]]


def f1_overlap(predicted, gold):
    low = torch.maximum(predicted[:, 0], gold[:, 0])
    high = torch.minimum(predicted[:, 1], gold[:, 1])
    common = (high - low + 1).clamp(min=0)
    total = (predicted[:, 1] - predicted[:, 0] + 1) + (gold[:, 1] - gold[:, 0] + 1)
    return 2 * common / total


def train_step(model, optimizer, inputs, spans):
    model.train()
    start, end = model(inputs)
    loss = loss_fn(start, end, spans)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def evaluate(model, batches, args):
    model.eval()
    scores, same = [], []
    for inputs, spans in batches:
        start, end = model(inputs)
        predicted = best_spans(start, end, args.max_answer)
        scores.append(f1_overlap(predicted, spans))
        found = answer_tokens(inputs["context"], predicted)
        same.append(found == answer_tokens(inputs["context"], spans))
    return torch.cat(scores).mean().item(), torch.cat(same).float().mean().item()


def main():
    args = parse_args()
    rng = random.Random(3)
    torch.manual_seed(3)
    examples = [make_example(rng) for _ in range(20)]
    word_index, char_index = build_vocab(examples)
    train = Batches(examples[:10], word_index, char_index, args.batch_size)
    test = Batches(examples[10:], word_index, char_index, args.batch_size)
    model = Reader(args, len(word_index), len(char_index))
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for step, (inputs, spans) in enumerate(train):
        print("step", step, "loss", round(train_step(model, optimizer, inputs, spans), 4))
    f1, exact = evaluate(model, test, args)
    print("f1", round(f1, 3), "first word", round(exact, 3))


if __name__ == "__main__":
    main()

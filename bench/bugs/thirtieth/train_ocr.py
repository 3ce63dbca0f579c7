"""Teacher forcing on random lines."""

import torch
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence

from ocr.reader import LineReader

HEIGHT = 32


def batch_of(lines):
    """Pairs of image [H, W_i] and list of ids to padded images and padded text."""
    widest = max(image.size(1) for image, _ in lines)
    images = torch.stack([F.pad(image, (0, widest - image.size(1))) for image, _ in lines]).unsqueeze(1)
    text = pad_sequence([torch.tensor(ids) for _, ids in lines], batch_first=True, padding_value=0)
    return images, text


def loss_of(model, images, text):
    logits = model(images, text[:, :-1])
    return F.cross_entropy(logits.transpose(1, 2), text[:, 1:], ignore_index=0, label_smoothing=0.1)


def main():
    lines = [(torch.rand(HEIGHT, 100 + 20 * i), [1, *range(5, 9 + i), 2]) for i in range(3)]
    images, text = batch_of(lines)
    model = LineReader(alphabet=80, height=HEIGHT)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
    loss = loss_of(model, images, text)
    loss.backward()
    optimizer.step()
    print(loss.item(), model.eval().read(images).shape)


if __name__ == "__main__":
    main()

# Ported from TF2: train_step() was a @tf.function, tf.data became a plain generator.
import numpy as np
import torch
import torch.nn as nn

from caption_layers import CNN_Encoder, RNN_Decoder

PARAMS = dict(
    BATCH_SIZE=6,
    IMG_SIZE=32,
    EMBEDDING_DIM=20,
    UNITS=28,
    MAX_LEN=9,
    STEPS=2,
)

WORDS = ["<pad>", "<start>", "<end>", "a", "red", "green", "blue", "spot", "on", "the", "left", "right", "top", "bottom"]
WORD_INDEX = {w: i for i, w in enumerate(WORDS)}
rng = np.random.default_rng(7)


def make_example(size):
    """an NHWC image in [0, 1] and its caption"""
    image = rng.random((size, size, 3)) * 0.2
    color = rng.integers(3)
    left, top = rng.integers(2), rng.integers(2)
    y = 2 if top else size - 10
    x = 2 if left else size - 10
    image[y:y + 8, x:x + 8, color] = 1.0
    side = "left" if left else "right"
    height = "top" if top else "bottom"
    text = ["a", ["red", "green", "blue"][color], "spot", "on", "the", height, side]
    return image.astype(np.float32), text


def tokenize(text, max_len):
    ids = [WORD_INDEX["<start>"]] + [WORD_INDEX[w] for w in text] + [WORD_INDEX["<end>"]]
    ids = ids[:max_len]
    return np.pad(np.array(ids), (0, max_len - len(ids)))


def dataset(params):
    for _ in range(params["STEPS"]):
        examples = [make_example(params["IMG_SIZE"]) for _ in range(params["BATCH_SIZE"])]
        img_tensor = torch.from_numpy(np.stack([e[0] for e in examples]))
        target = torch.from_numpy(np.stack([tokenize(e[1], params["MAX_LEN"]) for e in examples]))
        yield img_tensor, target.long()


encoder = CNN_Encoder(PARAMS["EMBEDDING_DIM"])
decoder = RNN_Decoder(PARAMS["EMBEDDING_DIM"], PARAMS["UNITS"], len(WORDS))
optimizer = torch.optim.Adam(list(encoder.parameters()) + list(decoder.parameters()))
loss_object = nn.CrossEntropyLoss(reduction="none")


def loss_function(real, pred):
    mask = (real != 0).float()
    loss_ = loss_object(pred, real)
    return (loss_ * mask).sum() / mask.sum().clamp(min=1)


def doubly_stochastic(attention_plot):
    """each place of the image should be looked at about once (sec. 4.2.1 of the paper)"""
    alphas = torch.stack(attention_plot, dim=1)
    return ((1.0 - alphas.sum(dim=1)) ** 2).mean()


def train_step(img_tensor, target):
    loss = 0.0
    attention_plot = []
    hidden = decoder.reset_state(batch_size=target.shape[0])
    dec_input = target[:, 0]
    features = encoder(img_tensor)
    for i in range(1, target.shape[1]):
        predictions, hidden, attention_weights = decoder(dec_input, features, hidden)
        loss += loss_function(target[:, i], predictions)
        attention_plot.append(attention_weights)
        dec_input = target[:, i]      # teacher forcing
    total = loss / (target.shape[1] - 1) + 0.1 * doubly_stochastic(attention_plot)
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
    return total.item()


@torch.no_grad()
def beam_search(image, width=3, max_len=8):
    """the best of `width` captions for one image"""
    features = encoder(torch.from_numpy(image).unsqueeze(0)).expand(width, -1, -1)
    hidden = decoder.reset_state(width)
    sequences = torch.full((width, 1), WORD_INDEX["<start>"])
    scores = torch.tensor([0.0] + [-1e9] * (width - 1))
    for _ in range(max_len):
        logits, hidden, _ = decoder(sequences[:, -1], features, hidden)
        log_probs = logits.log_softmax(dim=-1) + scores[:, None]
        scores, flat = log_probs.view(-1).topk(width)
        beam, word = flat // len(WORDS), flat % len(WORDS)
        sequences = torch.cat([sequences[beam], word.unsqueeze(1)], dim=1)
        hidden = hidden[beam]
    return [WORDS[i] for i in sequences[0, 1:].tolist()]


def main():
    for batch, (img_tensor, target) in enumerate(dataset(PARAMS)):
        print("batch", batch, "loss", round(train_step(img_tensor, target), 4))
    image, text = make_example(PARAMS["IMG_SIZE"])
    print("real:", " ".join(text))
    print("predicted:", " ".join(beam_search(image)))


if __name__ == "__main__":
    main()

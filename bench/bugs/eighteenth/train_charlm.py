import torch
import torch.nn.functional as F
from charlm.model import CharLM

CFG = {
    "chars": 60,
    "char_dim": 15,
    "filters": [(1, 25), (2, 50), (3, 75)],
    "word_dim": 96,
    "hidden": 128,
    "layers": 2,
    "experts": 3,
    "words": 500,
    "dropout": 0.2,
}


def batches(count, batch=8, steps=12, letters=10):
    for _ in range(count):
        yield torch.randint(1, CFG["chars"], (batch, steps, letters)), torch.randint(0, CFG["words"], (batch, steps))


def main():
    model = CharLM(CFG)
    opt = torch.optim.SGD(model.parameters(), lr=1.0)
    states = model.init_state(8)
    for chars, words in batches(2):
        logp, states = model(chars, states)
        states = [tuple(part.detach() for part in state) for state in states]
        loss = F.nll_loss(logp.flatten(0, 1), words.flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()

import random
import torch
from torch.nn.utils.rnn import pad_sequence
from layers import LabelSmoothing
from seq2seq import Translator, beam_search

PAD, BOS, EOS = 0, 1, 2
SRC_VOCAB, TGT_VOCAB = 30, 34

def toy_pair():
    words = [random.randrange(3, SRC_VOCAB) for _ in range(random.randint(4, 9))]
    answer = [w + 4 for w in reversed(words)]
    return torch.tensor(words), torch.tensor([BOS] + answer + [EOS])

def collate(pairs):
    src = pad_sequence([s for s, _ in pairs], batch_first=True, padding_value=PAD)
    tgt = pad_sequence([t for _, t in pairs], batch_first=True, padding_value=PAD)
    return src, tgt

if __name__ == "__main__":
    random.seed(3)
    torch.manual_seed(3)
    torch.set_num_threads(1)
    model = Translator(SRC_VOCAB, TGT_VOCAB, pad_id=PAD)
    criterion = LabelSmoothing(TGT_VOCAB, PAD)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98))

    model.train()
    for step in range(4):
        src, tgt = collate([toy_pair() for _ in range(8)])
        logits = model(src, tgt[:, :-1])
        loss = criterion(logits.flatten(0, 1), tgt[:, 1:].flatten())
        opt.zero_grad(); loss.backward(); opt.step()
    print("loss", round(loss.item(), 3))

    model.eval()
    src, tgt = toy_pair()
    print("src ", src.tolist())
    print("best", beam_search(model, src.unsqueeze(0), BOS, EOS))

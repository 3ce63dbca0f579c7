# %% [markdown]
# Knowledge tracing: will the student answer the next question right?
# Course project, part 2: DKT (LSTM) against a small self-attentive model.

# %%
import math

import torch
from torch import nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(7)

N_SKILLS = 18
N_STUDENTS = 48
MAX_LEN = 26
BATCH = 12
HIDDEN = 40


# %% synthetic students: every try on a skill makes the student a bit better at it
def make_student():
    length = int(torch.randint(8, MAX_LEN + 1, (1,)))
    ability = torch.randn(N_SKILLS) * 0.7
    skills = torch.randint(0, N_SKILLS, (length,))
    correct = torch.zeros(length, dtype=torch.long)
    for t, s in enumerate(skills.tolist()):
        p = torch.sigmoid(ability[s])
        correct[t] = int(torch.rand(()) < p)
        ability[s] += 0.3
    return skills, correct


students = [make_student() for _ in range(N_STUDENTS)]
train_set, test_set = students[:36], students[36:]


def collate(batch):
    lengths = torch.tensor([len(s) for s, _ in batch])
    skills = pad_sequence([s for s, _ in batch], batch_first=True)
    correct = pad_sequence([c for _, c in batch], batch_first=True)
    # 0 is padding, then the wrong answers of all skills, then the right ones
    inter = 1 + skills + N_SKILLS * correct
    mask = torch.arange(skills.size(1))[None, :] < lengths[:, None]
    inter = inter.masked_fill(~mask, 0)
    return inter, skills, correct.float(), mask, lengths


def batches(data, size=BATCH):
    for i in range(0, len(data), size):
        yield collate(data[i:i + size])


# %% model 1: deep knowledge tracing
class DKT(nn.Module):
    def __init__(self, n_skills, hidden, layers=1):
        super().__init__()
        self.emb = nn.Embedding(2 * n_skills + 1, hidden, padding_idx=0)
        self.lstm = nn.LSTM(hidden, hidden, num_layers=layers, batch_first=True)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(hidden, n_skills)

    def forward(self, inter, skills, lengths):
        x = self.emb(inter)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        out, _ = self.lstm(packed)
        h, _ = pad_packed_sequence(out, batch_first=True, total_length=inter.size(1))
        scores = self.out(self.drop(h))              # one score for every skill
        nxt = skills[:, 1:].unsqueeze(-1)
        return scores[:, :-1].gather(2, nxt).squeeze(-1)


# %% model 2: SAKT, the next skill asks, past interactions answer
class SAKT(nn.Module):
    def __init__(self, n_skills, hidden, heads=4):
        super().__init__()
        self.inter = nn.Embedding(2 * n_skills + 1, hidden, padding_idx=0)
        self.skill = nn.Embedding(n_skills, hidden)
        self.pos = nn.Embedding(MAX_LEN, hidden)
        self.att = nn.MultiheadAttention(hidden, heads, batch_first=True)
        self.norm1 = nn.LayerNorm(hidden)
        self.ffn = nn.Sequential(nn.Linear(hidden, 2 * hidden), nn.ReLU(), nn.Linear(2 * hidden, hidden))
        self.norm2 = nn.LayerNorm(hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, inter, skills, lengths):
        past = inter[:, :-1]
        steps = past.size(1)
        k = self.inter(past) + self.pos(torch.arange(steps))
        q = self.skill(skills[:, 1:])
        future = torch.ones(steps, steps, dtype=torch.bool).triu(1)
        a, _ = self.att(q, k, k, attn_mask=future)
        x = self.norm1(q + a)
        x = self.norm2(x + self.ffn(x))
        return self.out(x).squeeze(-1)


# %% helpers
def masked_bce(logits, target, mask):
    loss = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    return (loss * mask).sum() / mask.sum()


def auc(score, label):
    order = score.argsort()
    rank = torch.empty_like(score)
    rank[order] = torch.arange(1, len(score) + 1, dtype=score.dtype)
    pos = label.sum()
    neg = len(label) - pos
    if pos == 0 or neg == 0:
        return math.nan
    return float((rank[label > 0.5].sum() - pos * (pos + 1) / 2) / (pos * neg))


# %% train both
for name, model in [("DKT", DKT(N_SKILLS, HIDDEN)), ("SAKT", SAKT(N_SKILLS, HIDDEN))]:
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(1):
        model.train()
        total, n = 0.0, 0
        for step, (inter, skills, correct, mask, lengths) in enumerate(batches(train_set)):
            logits = model(inter, skills, lengths)
            loss = masked_bce(logits, correct[:, 1:], mask[:, 1:])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            total, n = total + loss.item(), n + 1
            if step == 1:
                break

    model.eval()
    scores, labels = [], []
    with torch.no_grad():
        for inter, skills, correct, mask, lengths in batches(test_set):
            keep = mask[:, 1:]
            probs = torch.sigmoid(model(inter, skills, lengths))
            scores.append(probs[keep])
            labels.append(correct[:, 1:][keep])
    print(f"{name}: loss {total / n:.3f}  auc {auc(torch.cat(scores), torch.cat(labels)):.3f}")

# %%

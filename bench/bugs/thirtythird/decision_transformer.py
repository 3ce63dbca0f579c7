"""Decision Transformer (Chen et al., 2021), cut down to one file."""
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

STATE_DIM = 11
ACT_DIM = 3
CONTEXT = 12
MAX_EP_LEN = 100
HIDDEN = 48
N_HEAD = 4
N_LAYER = 2
RTG_SCALE = 100.0


class CausalSelfAttention(nn.Module):
    def __init__(self, dim, n_head, max_len, drop=0.1):
        super().__init__()
        self.n_head = n_head
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.drop = nn.Dropout(drop)
        mask = torch.tril(torch.ones(max_len, max_len))
        self.register_buffer("mask", mask.view(1, 1, max_len, max_len))

    def forward(self, x, keep=None):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        att = att.masked_fill(self.mask[:, :, :T, :T] == 0, -1e9)
        if keep is not None:
            att = att.masked_fill(~keep[:, None, None, :], -1e9)
        att = self.drop(att.softmax(dim=-1))
        y = (att @ v).transpose(1, 2).reshape(B, T, C)
        return self.proj(y)


class Block(nn.Module):
    def __init__(self, dim, n_head, max_len):
        super().__init__()
        self.ln1 = nn.LayerNorm(dim)
        self.attn = CausalSelfAttention(dim, n_head, max_len)
        self.ln2 = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(
            nn.Linear(dim, 4 * dim),
            nn.GELU(),
            nn.Linear(4 * dim, dim),
            nn.Dropout(0.1),
        )

    def forward(self, x, keep=None):
        x = x + self.attn(self.ln1(x), keep)
        x = x + self.mlp(self.ln2(x))
        return x


class DecisionTransformer(nn.Module):
    def __init__(self, state_dim, act_dim, hidden, context, max_ep_len):
        super().__init__()
        self.state_dim = state_dim
        self.act_dim = act_dim
        self.hidden = hidden
        self.embed_timestep = nn.Embedding(max_ep_len, hidden)
        self.embed_return = nn.Linear(1, hidden)
        self.embed_state = nn.Linear(state_dim, hidden)
        self.embed_action = nn.Linear(act_dim, hidden)
        self.embed_ln = nn.LayerNorm(hidden)
        self.blocks = nn.ModuleList([Block(hidden, N_HEAD, 3 * context) for _ in range(N_LAYER)])
        self.predict_return = nn.Linear(hidden, 1)
        self.predict_state = nn.Linear(hidden, state_dim)
        self.predict_action = nn.Sequential(nn.Linear(hidden, act_dim), nn.Tanh())

    def forward(self, states, actions, rtg, timesteps, mask):
        B, T = states.shape[0], states.shape[1]
        time = self.embed_timestep(timesteps)
        s = self.embed_state(states) + time
        a = self.embed_action(actions) + time
        r = self.embed_return(rtg) + time

        # (R_1, s_1, a_1, R_2, s_2, a_2, ...)
        x = torch.stack((r, s, a), dim=1).permute(0, 2, 1, 3).reshape(B, 3 * T, self.hidden)
        x = self.embed_ln(x)
        keep = torch.stack((mask, mask, mask), dim=1).permute(0, 2, 1).reshape(B, 3 * T)

        for block in self.blocks:
            x = block(x, keep)

        x = x.reshape(B, T, 3, self.hidden).permute(0, 2, 1, 3)
        return_preds = self.predict_return(x[:, 2])
        state_preds = self.predict_state(x[:, 2])
        action_preds = self.predict_action(x[:, 1])
        return state_preds, action_preds, return_preds

    @torch.no_grad()
    def get_action(self, states, actions, rtg, timesteps):
        states = states.reshape(1, -1, self.state_dim)[:, -CONTEXT:]
        actions = actions.reshape(1, -1, self.act_dim)[:, -CONTEXT:]
        rtg = rtg.reshape(1, -1, 1)[:, -CONTEXT:]
        timesteps = timesteps.reshape(1, -1)[:, -CONTEXT:]
        pad = CONTEXT - states.shape[1]
        mask = torch.cat([torch.zeros(pad), torch.ones(states.shape[1])]).bool().unsqueeze(0)
        states = F.pad(states, (0, 0, pad, 0))
        actions = F.pad(actions, (0, 0, pad, 0))
        rtg = F.pad(rtg, (0, 0, pad, 0))
        timesteps = F.pad(timesteps, (pad, 0))
        _, action_preds, _ = self.forward(states, actions, rtg, timesteps, mask)
        return action_preds[0, -1]


def discount_cumsum(x):
    return np.flip(np.cumsum(np.flip(x))).copy()


def make_trajectories(n, rng):
    trajectories = []
    for _ in range(n):
        length = rng.integers(20, MAX_EP_LEN)
        rewards = rng.normal(size=length)
        trajectories.append({
            "observations": rng.normal(size=(length, STATE_DIM)),
            "actions": rng.uniform(-1, 1, size=(length, ACT_DIM)),
            "returns": discount_cumsum(rewards),
        })
    return trajectories


def get_batch(trajectories, batch_size, rng):
    s, a, r, t, m = [], [], [], [], []
    for i in rng.integers(0, len(trajectories), size=batch_size):
        traj = trajectories[i]
        start = rng.integers(0, len(traj["returns"]) - 1)
        obs = torch.from_numpy(traj["observations"][start:start + CONTEXT]).float()
        act = torch.from_numpy(traj["actions"][start:start + CONTEXT]).float()
        ret = torch.from_numpy(traj["returns"][start:start + CONTEXT]).float() / RTG_SCALE
        n = obs.shape[0]
        pad = CONTEXT - n
        s.append(F.pad(obs, (0, 0, pad, 0)))
        a.append(F.pad(act, (0, 0, pad, 0)))
        r.append(F.pad(ret, (pad, 0)).unsqueeze(-1))
        t.append(F.pad(torch.arange(start, start + n), (pad, 0)))
        m.append(torch.cat([torch.zeros(pad), torch.ones(n)]).bool())
    return torch.stack(s), torch.stack(a), torch.stack(r), torch.stack(t), torch.stack(m)


def train_step(model, optimizer, batch):
    states, actions, rtg, timesteps, mask = batch
    state_preds, action_preds, return_preds = model(states, actions, rtg, timesteps, mask)
    pred = action_preds.reshape(-1, ACT_DIM)[mask.reshape(-1)]
    target = actions.reshape(-1, ACT_DIM)[mask.reshape(-1)]
    loss = F.mse_loss(pred, target)
    # next-state prediction as an auxiliary loss
    valid = (mask[:, :-1] & mask[:, 1:]).unsqueeze(-1)
    error = (state_preds[:, :-1] - states[:, 1:]) ** 2
    loss = loss + 0.1 * (error * valid).sum() / (valid.sum() * STATE_DIM)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
    optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(1)
    rng = np.random.default_rng(1)
    trajectories = make_trajectories(8, rng)
    model = DecisionTransformer(STATE_DIM, ACT_DIM, HIDDEN, CONTEXT, MAX_EP_LEN)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(2):
        print(step, train_step(model, optimizer, get_batch(trajectories, 4, rng)))

    # roll out a few steps in a made-up environment
    model.eval()
    states = torch.zeros(1, STATE_DIM)
    actions = torch.zeros(0, ACT_DIM)
    rtg = torch.tensor([[1.0]])
    timesteps = torch.zeros(1, 1, dtype=torch.long)
    for t in range(3):
        actions = torch.cat([actions, torch.zeros(1, ACT_DIM)], dim=0)
        action = model.get_action(states, actions, rtg, timesteps)
        actions[-1] = action
        states = torch.cat([states, torch.randn(1, STATE_DIM)], dim=0)
        rtg = torch.cat([rtg, rtg[:, -1:] - 0.01], dim=1)
        timesteps = torch.cat([timesteps, torch.full((1, 1), t + 1)], dim=1)
    print(actions)


if __name__ == "__main__":
    main()

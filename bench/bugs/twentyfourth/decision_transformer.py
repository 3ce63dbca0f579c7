import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalSelfAttention(nn.Module):
    def __init__(self, h_dim, max_T, n_heads, drop_p):
        super().__init__()
        self.n_heads = n_heads
        self.max_T = max_T
        self.q_net = nn.Linear(h_dim, h_dim)
        self.k_net = nn.Linear(h_dim, h_dim)
        self.v_net = nn.Linear(h_dim, h_dim)
        self.proj_net = nn.Linear(h_dim, h_dim)
        self.att_drop = nn.Dropout(drop_p)
        self.proj_drop = nn.Dropout(drop_p)
        ones = torch.ones((max_T, max_T))
        mask = torch.tril(ones).view(1, 1, max_T, max_T)
        self.register_buffer("mask", mask)

    def forward(self, x, key_mask):
        B, T, C = x.shape
        N, D = self.n_heads, C // self.n_heads
        q = self.q_net(x).view(B, T, N, D).transpose(1, 2)
        k = self.k_net(x).view(B, T, N, D).transpose(1, 2)
        v = self.v_net(x).view(B, T, N, D).transpose(1, 2)
        weights = q @ k.transpose(2, 3) / D**0.5
        weights = weights.masked_fill(self.mask[..., :T, :T] == 0, float("-inf"))
        weights = weights.masked_fill(key_mask[:, None, None, :] == 0, -1e9)
        attention = self.att_drop(F.softmax(weights, dim=-1) @ v)
        attention = attention.transpose(1, 2).contiguous().view(B, T, N * D)
        return self.proj_drop(self.proj_net(attention))


class Block(nn.Module):
    def __init__(self, h_dim, max_T, n_heads, drop_p):
        super().__init__()
        self.attention = CausalSelfAttention(h_dim, max_T, n_heads, drop_p)
        self.mlp = nn.Sequential(
            nn.Linear(h_dim, 4 * h_dim),
            nn.GELU(),
            nn.Linear(4 * h_dim, h_dim),
            nn.Dropout(drop_p),
        )
        self.ln1 = nn.LayerNorm(h_dim)
        self.ln2 = nn.LayerNorm(h_dim)

    def forward(self, x, key_mask):
        x = self.ln1(x + self.attention(x, key_mask))
        return self.ln2(x + self.mlp(x))


class DecisionTransformer(nn.Module):
    def __init__(
        self, state_dim, act_dim, n_blocks=2, h_dim=96, context_len=20, n_heads=4, drop_p=0.1, max_timestep=1000
    ):
        super().__init__()
        self.state_dim = state_dim
        self.act_dim = act_dim
        self.h_dim = h_dim
        input_seq_len = 3 * context_len
        self.blocks = nn.ModuleList([Block(h_dim, input_seq_len, n_heads, drop_p) for _ in range(n_blocks)])
        self.embed_ln = nn.LayerNorm(h_dim)
        self.embed_timestep = nn.Embedding(max_timestep, h_dim)
        self.embed_rtg = nn.Linear(1, h_dim)
        self.embed_state = nn.Linear(state_dim, h_dim)
        self.embed_action = nn.Linear(act_dim, h_dim)
        self.predict_rtg = nn.Linear(h_dim, 1)
        self.predict_state = nn.Linear(h_dim, state_dim)
        self.predict_action = nn.Sequential(nn.Linear(h_dim, act_dim), nn.Tanh())

    def forward(self, timesteps, states, actions, returns_to_go, traj_mask):
        B, T, _ = states.shape
        time_embeddings = self.embed_timestep(timesteps)
        state_embeddings = self.embed_state(states) + time_embeddings
        action_embeddings = self.embed_action(actions) + time_embeddings
        returns_embeddings = self.embed_rtg(returns_to_go) + time_embeddings
        h = torch.stack((returns_embeddings, state_embeddings, action_embeddings), dim=1)
        h = h.permute(0, 2, 1, 3).reshape(B, 3 * T, self.h_dim)
        h = self.embed_ln(h)
        key_mask = traj_mask.repeat_interleave(3, dim=1)
        for block in self.blocks:
            h = block(h, key_mask)
        h = h.reshape(B, T, 3, self.h_dim).permute(0, 2, 1, 3)
        return_preds = self.predict_rtg(h[:, 2])
        state_preds = self.predict_state(h[:, 2])
        action_preds = self.predict_action(h[:, 1])
        return state_preds, action_preds, return_preds


def discounted(rewards, gamma=1.0):
    out = torch.zeros_like(rewards)
    running = torch.zeros(rewards.size(0))
    for t in reversed(range(rewards.size(1))):
        running = rewards[:, t] + gamma * running
        out[:, t] = running
    return out


class Trajectories(torch.utils.data.Dataset):
    def __init__(self, context_len, state_dim=11, act_dim=3, count=32, length=50):
        self.context_len = context_len
        self.states = torch.randn(count, length, state_dim)
        self.actions = torch.rand(count, length, act_dim) * 2 - 1
        self.rtg = discounted(torch.rand(count, length)) / 1000

    def __len__(self):
        return len(self.states)

    def __getitem__(self, i):
        c = self.context_len
        start = int(torch.randint(0, self.states.size(1) - c, (1,)))
        window = slice(start, start + c)
        steps = torch.arange(start, start + c)
        return steps, self.states[i, window], self.actions[i, window], self.rtg[i, window].unsqueeze(-1), torch.ones(c)


def train(state_dim=11, act_dim=3, context_len=20):
    loader = torch.utils.data.DataLoader(Trajectories(context_len, state_dim, act_dim), batch_size=8, shuffle=True)
    model = DecisionTransformer(state_dim, act_dim, context_len=context_len)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=1e-4)
    for timesteps, states, actions, rtg, traj_mask in loader:
        _, action_preds, _ = model(timesteps, states, actions, rtg, traj_mask)
        keep = traj_mask.view(-1) > 0
        pred = action_preds.view(-1, act_dim)[keep]
        target = actions.view(-1, act_dim)[keep]
        loss = F.mse_loss(pred, target)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
    return model


@torch.no_grad()
def act(model, state, target=3.6, context_len=20):
    model.eval()
    states = torch.zeros(1, context_len, model.state_dim)
    actions = torch.zeros(1, context_len, model.act_dim)
    rtg = torch.full((1, context_len, 1), target)
    timesteps = torch.arange(context_len).unsqueeze(0)
    states[0, 0] = state
    _, preds, _ = model(timesteps, states, actions, rtg, torch.ones(1, context_len))
    return preds[0, 0]


if __name__ == "__main__":
    print(act(train(), torch.zeros(11)))

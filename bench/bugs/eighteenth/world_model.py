"""A world model after Dreamer: discrete latent states, trained on sequences, and a policy in imagination."""

import torch
import torch.nn as nn
import torch.nn.functional as F

GROUPS, CLASSES = 8, 8
DETER, ACTIONS, EMBED = 96, 4, 256


class PixelEncoder(nn.Module):
    def __init__(self, depth=16):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, depth, 4, stride=2),
            nn.ELU(),
            nn.Conv2d(depth, 2 * depth, 4, stride=2),
            nn.ELU(),
            nn.Conv2d(2 * depth, 4 * depth, 4, stride=2),
            nn.ELU(),
        )
        self.fc = nn.Linear(4 * depth * 2 * 2, EMBED)

    def forward(self, obs):
        lead = obs.shape[:2]
        x = self.net(obs.reshape(-1, *obs.shape[2:]))
        return self.fc(x.flatten(1)).reshape(*lead, -1)


class RSSM(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(GROUPS * CLASSES + ACTIONS, DETER)
        self.cell = nn.GRUCell(DETER, DETER)
        self.prior = nn.Sequential(nn.Linear(DETER, 128), nn.ELU(), nn.Linear(128, GROUPS * CLASSES))
        self.post = nn.Sequential(nn.Linear(DETER + EMBED, 128), nn.ELU(), nn.Linear(128, GROUPS * CLASSES))

    def initial(self, batch):
        return torch.zeros(batch, DETER), torch.zeros(batch, GROUPS, CLASSES)

    def sample(self, logits):
        logits = logits.view(-1, GROUPS, CLASSES)
        probs = F.softmax(logits, dim=-1)
        hard = F.one_hot(probs.argmax(-1), CLASSES).float()
        return hard + probs - probs.detach(), logits

    def imagine(self, deter, stoch, action):
        x = torch.cat([stoch.flatten(1), action], dim=-1)
        deter = self.cell(F.elu(self.inp(x)), deter)
        stoch, logits = self.sample(self.prior(deter))
        return deter, stoch, logits

    def observe(self, embed, actions):
        batch, steps = embed.shape[:2]
        deter, stoch = self.initial(batch)
        outs = []
        for t in range(steps):
            deter, stoch, prior = self.imagine(deter, stoch, actions[:, t])
            stoch, post = self.sample(self.post(torch.cat([deter, embed[:, t]], dim=-1)))
            outs.append((deter, stoch, prior, post))
        return [torch.stack(one, dim=1) for one in zip(*outs)]


class Decoder(nn.Module):
    def __init__(self, depth=16):
        super().__init__()
        self.fc = nn.Linear(DETER + GROUPS * CLASSES, 8 * depth)
        self.net = nn.Sequential(
            nn.ConvTranspose2d(8 * depth, 4 * depth, 5, stride=2),
            nn.ELU(),
            nn.ConvTranspose2d(4 * depth, 2 * depth, 3, stride=2),
            nn.ELU(),
            nn.ConvTranspose2d(2 * depth, 3, 4, stride=3, padding=1),
        )
        self.depth = depth

    def forward(self, feat):
        x = self.fc(feat).view(-1, 8 * self.depth, 1, 1)
        return self.net(x).view(*feat.shape[:2], 3, 32, 32)


class Head(nn.Module):
    def __init__(self, out, hidden=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(DETER + GROUPS * CLASSES, hidden), nn.ELU(), nn.Linear(hidden, out))

    def forward(self, feat):
        return self.net(feat)


class WorldModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.rssm, self.decoder = PixelEncoder(), RSSM(), Decoder()
        self.reward, self.value, self.policy = Head(1), Head(1), Head(ACTIONS)

    def loss(self, obs, actions, rewards):
        deter, stoch, prior, post = self.rssm.observe(self.encoder(obs), actions)
        feat = torch.cat([deter, stoch.flatten(2)], dim=-1)
        image = (self.decoder(feat) - obs).pow(2).sum(dim=(-3, -2, -1)).mean()
        reward = F.mse_loss(self.reward(feat).squeeze(-1), rewards)
        logq, logp = post.log_softmax(-1), prior.log_softmax(-1)
        kl = (logq.exp() * (logq - logp)).sum(dim=(-2, -1)).mean()
        return image + reward + kl, deter, stoch

    def dream(self, deter, stoch, horizon=5, discount=0.95):
        deter, stoch = deter.detach().flatten(0, 1), stoch.detach().flatten(0, 1)
        feats, logps = [], []
        for _ in range(horizon):
            feat = torch.cat([deter, stoch.flatten(1)], dim=-1)
            dist = torch.distributions.Categorical(logits=self.policy(feat))
            action = dist.sample()
            logps.append(dist.log_prob(action))
            deter, stoch, _ = self.rssm.imagine(deter, stoch, F.one_hot(action, ACTIONS).float())
            feats.append(torch.cat([deter, stoch.flatten(1)], dim=-1))
        feats, logps = torch.stack(feats), torch.stack(logps)
        rewards, values = self.reward(feats).squeeze(-1), self.value(feats).squeeze(-1)
        returns, last = [], values[-1]
        for t in reversed(range(horizon)):
            last = rewards[t] + discount * last
            returns.insert(0, last)
        returns = torch.stack(returns)
        actor = -(logps * (returns - values).detach()).mean()
        return actor + F.mse_loss(values, returns.detach())


def main():
    model = WorldModel()
    opt = torch.optim.Adam(model.parameters(), lr=3e-4)
    obs, rewards = torch.rand(6, 10, 3, 32, 32), torch.rand(6, 10)
    actions = F.one_hot(torch.randint(0, ACTIONS, (6, 10)), ACTIONS).float()
    for _ in range(2):
        loss, deter, stoch = model.loss(obs, actions, rewards)
        loss = loss + model.dream(deter, stoch)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()

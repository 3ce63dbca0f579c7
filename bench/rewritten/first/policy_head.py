import torch
import torch.nn as nn


class PolicyHead(nn.Module):
    def __init__(self, obs_dim, n_actions, hidden=32):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(obs_dim, hidden),
            nn.Tanh(),
            nn.Linear(hidden, n_actions),
        )
        self.softmax = nn.Softmax(dim=-1)

    def log_prob(self, obs):
        logits = self.body(obs)
        probs = self.softmax(logits)
        return probs.log()

    def forward(self, obs, action, advantage):
        logp = self.log_prob(obs)
        chosen = logp.gather(1, action.view(-1, 1)).squeeze(1)

        # REINFORCE
        return -(chosen * advantage).mean()


PolicyHead(6, 4)(torch.randn(5, 6), torch.randint(0, 4, (5,)), torch.randn(5))

import torch
import torch.nn.functional as F

def extract(values, t, x):
    out = values.gather(0, t)
    return out.view(x.shape[0], *([1] * (x.dim() - 1)))

class GaussianDiffusion:
    def __init__(self, steps, beta_start, beta_end, guidance):
        self.steps = steps
        self.guidance = guidance
        self.betas = torch.linspace(beta_start, beta_end, steps)
        self.alphas = 1.0 - self.betas
        self.alpha_bar = torch.cumprod(self.alphas, dim=0)
        self.alpha_bar_prev = F.pad(self.alpha_bar[:-1], (1, 0), value=1.0)
        self.post_var = self.betas * (1 - self.alpha_bar_prev) / (1 - self.alpha_bar)

    def q_sample(self, x0, t, noise):
        ab = extract(self.alpha_bar, t, x0)
        return ab.sqrt() * x0 + (1 - ab).sqrt() * noise

    def loss(self, model, x0, y):
        t = torch.randint(0, self.steps, (x0.shape[0],))
        noise = torch.randn_like(x0)
        pred = model(self.q_sample(x0, t, noise), t, y)
        return F.mse_loss(pred, noise)

    @torch.no_grad()
    def sample(self, model, shape, y):
        x = torch.randn(shape)
        null = torch.full_like(y, model.null_class)
        for step in reversed(range(self.steps)):
            t = torch.full((shape[0],), step, dtype=torch.long)
            both = model(torch.cat([x, x]), torch.cat([t, t]), torch.cat([y, null]))
            cond, uncond = both.chunk(2, dim=0)
            eps = uncond + self.guidance * (cond - uncond)
            coef = extract(self.betas / (1 - self.alpha_bar).sqrt(), t, x)
            mean = (x - coef * eps) / extract(self.alphas, t, x).sqrt()
            x = mean
            if step > 0:
                x = mean + extract(self.post_var, t, x).sqrt() * torch.randn_like(x)
        return x.clamp(-1, 1)

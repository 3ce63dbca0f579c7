# Meta-learning of sine waves: weights are plain tensors, so that the inner steps can be differentiated
import torch


def init(width=40):
    sizes = [(width, 1), (width, width), (1, width)]
    params = []
    for out, inp in sizes:
        params.append((torch.randn(out, inp) * (2.0 / inp) ** 0.5).requires_grad_())
        params.append(torch.zeros(out).requires_grad_())
    return params


def dense(x, weight, bias):
    wt = weight.t()
    out = torch.mm(x, wt)
    return bias + out


def net(x, params):
    w1, b1, w2, b2, w3, b3 = params
    x = torch.tanh(dense(x, w1, b1))
    x = torch.tanh(dense(x, w2, b2))
    return dense(x, w3, b3)


def mse(pred, y):
    return ((pred - y) ** 2).mean()


def adapt(params, x, y, lr=0.01, steps=2):
    for _ in range(steps):
        loss = mse(net(x, params), y)
        grads = torch.autograd.grad(loss, params, create_graph=True)
        params = [p - lr * g for p, g in zip(params, grads)]
    return params


def task():
    amp = torch.empty(1).uniform_(0.1, 5.0)
    phase = torch.empty(1).uniform_(0.0, 3.14)

    def sample(k):
        x = torch.empty(k, 1).uniform_(-5, 5)
        return x, amp * torch.sin(x + phase)

    return sample


if __name__ == "__main__":
    torch.manual_seed(0)
    meta = init()
    opt = torch.optim.Adam(meta, lr=1e-3)
    for it in range(10):
        losses = []
        for _ in range(4):
            sample = task()
            fast = adapt(meta, *sample(10))
            x, y = sample(10)
            losses.append(mse(net(x, fast), y))
        outer = torch.stack(losses).mean()
        opt.zero_grad()
        outer.backward()
        opt.step()
    print("outer loss", outer.item())

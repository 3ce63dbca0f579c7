import torch

from gpt import GPT, GPTConfig


def get_batch(batch_size=3, length=48):
    tokens = torch.randint(0, 500, (batch_size, length))
    mask = torch.ones(batch_size, length, dtype=torch.long)
    mask[:, -4:] = 0
    return {"idx": tokens, "attention_mask": mask, "labels": tokens}


def main():
    model = GPT(GPTConfig())
    batch = get_batch()
    logits, loss = model(**batch)
    print(logits.shape, loss.item())


if __name__ == "__main__":
    main()

"""A step of training and a few tokens."""

import torch

from llm import TinyConfig, TinyForCausalLM

config = TinyConfig()
model = TinyForCausalLM(config)
batch = {
    "input_ids": torch.randint(0, config.vocab_size, (2, 17)),
    "attention_mask": torch.ones(2, 17, dtype=torch.long),
}

if __name__ == "__main__":
    output = model(**batch, labels=batch["input_ids"])
    output.loss.backward()
    print(output.loss.item(), output.logits.shape)
    print(model.generate(batch["input_ids"]).shape)

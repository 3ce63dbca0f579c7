import torch
from datasets import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

config = BertConfig(vocab_size=500, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128)
model = BertForSequenceClassification(config)
ds = Dataset.from_dict({"input_ids": [[1, 2, 3, 4]] * 32, "attention_mask": [[1] * 4] * 32, "labels": [0, 1] * 16})
args = TrainingArguments("out", per_device_train_batch_size=8, num_train_epochs=1, report_to=[])
trainer = Trainer(model=model, args=args, train_dataset=ds)
trainer.train()
ids = torch.tensor([[1, 2, 3]])
out = model(ids).logits

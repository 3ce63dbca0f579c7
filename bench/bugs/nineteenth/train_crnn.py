import torch
import torch.nn as nn

from crnn.vgg_model import Model

characters = "0123456789abcdefghijklmnopqrstuvwxyz"

model = Model(input_channel=1, output_channel=64, hidden_size=48, num_class=len(characters) + 1)
criterion = nn.CTCLoss(zero_infinity=True)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

images = torch.randn(4, 1, 32, 100)
text = torch.randint(1, len(characters) + 1, (4, 8))
lengths = torch.full((4,), 8)

for step in range(3):
    preds = model(images, text)
    log_probs = preds.log_softmax(2).permute(1, 0, 2)
    preds_size = torch.full((images.size(0),), preds.size(1))
    loss = criterion(log_probs, text, preds_size, lengths)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

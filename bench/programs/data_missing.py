import torch
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(12, 64)
        self.fc2 = nn.Linear(64, 3)

    def forward(self, x):
        h = F.relu(self.fc1(x))
        return self.fc2(h)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = torch.load("data/features.pt")
labels = torch.load("data/labels.pt")
model = Net().to(device)
model.load_state_dict(torch.load("checkpoints/best.pt", map_location=device))
for epoch in range(3):
    logits = model(data)
    loss = F.cross_entropy(logits, labels)
    loss.backward()

# Lesson 7: predicting tomorrow's price with an LSTM
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class PriceLSTM(nn.Module):
    def __init__(self, input_size=4, hidden_size=32, num_layers=2):
        super(PriceLSTM, self).__init__()
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.lstm = nn.LSTM(input_size, hidden_size, num_layers, batch_first=True)
        self.fc = nn.Linear(hidden_size, 1)

    def forward(self, x):
        # initial states are zero
        h0 = torch.zeros(self.num_layers, x.size(0), self.hidden_size)
        c0 = torch.zeros(self.num_layers, x.size(0), self.hidden_size)
        out, _ = self.lstm(x, (h0, c0))
        # only the last day
        return self.fc(out[:, -1, :])


# random walks stand in for prices
torch.manual_seed(42)
walks = torch.randn(64, 31, 4).cumsum(dim=1) * 0.1
inputs = walks[:, :-1]
targets = walks[:, -1, :1]
loader = DataLoader(TensorDataset(inputs, targets), batch_size=16, shuffle=True)

model = PriceLSTM()
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)

num_epochs = 3
for epoch in range(num_epochs):
    for xb, yb in loader:
        pred = model(xb)
        loss = criterion(pred, yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("Epoch [%d/%d], Loss: %.4f" % (epoch + 1, num_epochs, loss.item()))

"""Waves foretold: two LSTM cells in double precision under L-BFGS, and a batch-first nn.LSTM on windows of a noisy series."""

import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm1 = nn.LSTMCell(1, 12)
        self.lstm2 = nn.LSTMCell(12, 12)
        self.linear = nn.Linear(12, 1)

    def forward(self, input, future=0):
        outputs = []
        h_t, c_t, h_t2, c_t2 = (torch.zeros(input.size(0), 12, dtype=torch.double) for _ in range(4))
        for input_t in input.split(1, dim=1):
            h_t, c_t = self.lstm1(input_t, (h_t, c_t))
            h_t2, c_t2 = self.lstm2(h_t, (h_t2, c_t2))
            output = self.linear(h_t2)
            outputs += [output]
        for _ in range(future):
            h_t, c_t = self.lstm1(output, (h_t, c_t))
            h_t2, c_t2 = self.lstm2(h_t, (h_t2, c_t2))
            output = self.linear(h_t2)
            outputs += [output]
        return torch.cat(outputs, dim=1)


torch.manual_seed(0)
start = torch.randint(-80, 80, (8, 1))
data = torch.sin((torch.arange(32) + start) / 4.0).double()
input, target, test_input, test_target = data[2:, :-1], data[2:, 1:], data[:2, :-1], data[:2, 1:]
seq = Sequence()
seq.double()
criterion = nn.MSELoss()
optimizer = optim.LBFGS(seq.parameters(), lr=0.5, max_iter=4)
for i in range(4):
    print("STEP:", i)

    def closure():
        optimizer.zero_grad()
        out = seq(input)
        loss = criterion(out, target)
        print(f"loss: {loss.item():.7f}")
        loss.backward()
        return loss

    optimizer.step(closure)
    with torch.no_grad():
        pred = seq(test_input, future=5)
        print(f"test loss: {criterion(pred[:, :-5], test_target).item():.7f}", tuple(pred.shape))


class Forecaster(nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.lstm = nn.LSTM(1, hidden, num_layers=2, batch_first=True, dropout=0.1)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        out, (h, _) = self.lstm(x)
        assert torch.equal(out[:, -1], h[-1])
        return self.head(out[:, -1]).squeeze(-1)


time = torch.arange(200, dtype=torch.float32)
series = torch.sin(time / 6) + 0.3 * torch.cos(time / 2.5) + 0.05 * torch.randn(200)
mean, std = series[:150].mean(), series[:150].std()
series = (series - mean) / std
windows = series.unfold(0, 13, 1)
loader = DataLoader(TensorDataset(windows[:140, :12].unsqueeze(-1), windows[:140, 12]), batch_size=35, shuffle=True, drop_last=True)
model = Forecaster()
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
for epoch in range(4):
    model.train()
    for x, y in loader:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.6f} lr {optimizer.param_groups[0]['lr']:.5f}")
    scheduler.step()
model.eval()
with torch.no_grad():
    print(f"later loss {criterion(model(windows[150:, :12].unsqueeze(-1)), windows[150:, 12]).item():.6f}")

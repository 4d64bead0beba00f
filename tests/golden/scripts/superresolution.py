"""Pictures made three times as large by a sub-pixel convolution: orthogonal starting values, PSNR, bicubic for comparison."""

from math import log10

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.nn.init as init
import torch.optim as optim
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self, upscale_factor):
        super().__init__()
        self.relu = nn.ReLU()
        self.conv1 = nn.Conv2d(1, 16, (5, 5), (1, 1), (2, 2))
        self.conv2 = nn.Conv2d(16, 16, (3, 3), (1, 1), (1, 1))
        self.conv3 = nn.Conv2d(16, 8, (3, 3), (1, 1), (1, 1), padding_mode="reflect")
        self.conv4 = nn.Conv2d(8, upscale_factor**2, (3, 3), (1, 1), (1, 1))
        self.pixel_shuffle = nn.PixelShuffle(upscale_factor)
        self._initialize_weights()

    def forward(self, x):
        for conv in (self.conv1, self.conv2, self.conv3):
            x = self.relu(conv(x))
        return self.pixel_shuffle(self.conv4(x))

    def _initialize_weights(self):
        init.orthogonal_(self.conv1.weight, init.calculate_gain("relu"))
        init.orthogonal_(self.conv2.weight, init.calculate_gain("relu"))
        init.orthogonal_(self.conv3.weight, init.calculate_gain("relu"))
        init.orthogonal_(self.conv4.weight)


def pictures(number):
    y, x = torch.meshgrid(torch.linspace(-1, 1, 24), torch.linspace(-1, 1, 24), indexing="ij")
    angle, frequency = 3.14 * torch.rand(number, 1, 1, 1), 2 + 4 * torch.rand(number, 1, 1, 1)
    target = torch.sin(frequency * (x * torch.cos(angle) + y * torch.sin(angle)) * 3) / 2 + 0.5
    return TensorDataset(F.interpolate(target, scale_factor=1 / 3, mode="bilinear", align_corners=False, recompute_scale_factor=False, antialias=True), target)


torch.manual_seed(123)
device = torch.device("cpu")
training_data_loader = DataLoader(pictures(48), batch_size=8, shuffle=True)
testing_data_loader = DataLoader(pictures(16), batch_size=8, shuffle=False)
model = Net(upscale_factor=3).to(device)
criterion = nn.MSELoss()
optimizer = optim.Adam(model.parameters(), lr=0.003)


def train(epoch):
    epoch_loss = 0
    for iteration, batch in enumerate(training_data_loader, 1):
        input, target = batch[0].to(device), batch[1].to(device)
        optimizer.zero_grad()
        loss = criterion(model(input), target)
        epoch_loss += loss.item()
        loss.backward()
        optimizer.step()
        print(f"===> Epoch[{epoch}]({iteration}/{len(training_data_loader)}): Loss: {loss.item():.6f}")
    print(f"===> Epoch {epoch} Complete: Avg. Loss: {epoch_loss / len(training_data_loader):.6f}")


def test():
    avg_psnr = plain = 0
    with torch.no_grad():
        for input, target in testing_data_loader:
            avg_psnr += 10 * log10(1 / criterion(model(input), target).item())
            plain += 10 * log10(1 / criterion(F.interpolate(input, size=(24, 24), mode="bicubic", align_corners=False), target).item())
    print(f"===> Avg. PSNR: {avg_psnr / len(testing_data_loader):.3f} dB, bicubic {plain / len(testing_data_loader):.3f} dB")


for epoch in range(1, 5):
    train(epoch)
    test()

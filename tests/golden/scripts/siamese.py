"""Twins of one network: pairs near or far by a contrastive loss, then anchors, positives and negatives by a triplet loss."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, points, labels):
        self.points, self.labels = points, labels
        self.partners = torch.randperm(len(points))

    def __len__(self):
        return len(self.points)

    def __getitem__(self, i):
        j = self.partners[i]
        return self.points[i], self.points[j], (self.labels[i] == self.labels[j]).float()


class Triplets(Dataset):
    def __init__(self, points, labels):
        self.points, self.labels = points, labels

    def __len__(self):
        return len(self.points)

    def __getitem__(self, i):
        same = (self.labels == self.labels[i]).nonzero(as_tuple=True)[0]
        other = (self.labels != self.labels[i]).nonzero().squeeze(1)
        return self.points[i], self.points[same[i % len(same)]], self.points[other[i % len(other)]]


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.PReLU(), nn.Linear(32, 4))

    def forward(self, x):
        return F.normalize(self.net(x), p=2, dim=1)


class ContrastiveLoss(nn.Module):
    def __init__(self, margin=1.0):
        super().__init__()
        self.margin = margin

    def forward(self, a, b, same):
        distance = F.pairwise_distance(a, b, keepdim=False)
        return torch.mean(same * distance.pow(2) + (1 - same) * torch.clamp(self.margin - distance, min=0.0).pow(2))


torch.manual_seed(8)
centres = torch.randn(4, 10)
labels = torch.arange(4).repeat(24)
points = centres[labels] + 0.5 * torch.randn(96, 10)

tower, criterion = Tower(), ContrastiveLoss()
optimizer = torch.optim.Adam(tower.parameters(), lr=5e-3, weight_decay=1e-4)
for epoch in range(4):
    for a, b, same in DataLoader(Pairs(points, labels), batch_size=24, shuffle=True):
        loss = criterion(tower(a), tower(b), same)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"pairs {epoch} loss {loss.item():.6f}")

tower = Tower()
criterion = nn.TripletMarginLoss(margin=0.5, p=2)
distant = nn.TripletMarginWithDistanceLoss(distance_function=lambda x, y: 1.0 - F.cosine_similarity(x, y), margin=0.5)
optimizer = torch.optim.SGD(tower.parameters(), lr=0.1, momentum=0.9, nesterov=True)
for epoch in range(4):
    for anchor, positive, negative in DataLoader(Triplets(points, labels), batch_size=32, shuffle=True):
        embedded = [tower(x) for x in (anchor, positive, negative)]
        loss = criterion(*embedded) + 0.5 * distant(*embedded)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"triplets {epoch} loss {loss.item():.6f}")
tower.eval()
with torch.no_grad():
    embedded = tower(points)
    distances = torch.cdist(embedded, embedded)
    distances.fill_diagonal_(float("inf"))
    nearest = distances.argmin(dim=1)
print("nearest neighbour of the same kind:", f"{(labels[nearest] == labels).float().mean().item():.2f}")

"""Communities in a graph from a few labelled nodes: graph convolutions and graph attention over a dense adjacency."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


class GraphConvolution(Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(torch.FloatTensor(in_features, out_features))
        if bias:
            self.bias = Parameter(torch.FloatTensor(out_features))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        stdv = 1.0 / math.sqrt(self.weight.size(1))
        self.weight.data.uniform_(-stdv, stdv)
        if self.bias is not None:
            self.bias.data.uniform_(-stdv, stdv)

    def forward(self, input, adj):
        output = torch.spmm(adj, torch.mm(input, self.weight))
        return output if self.bias is None else output + self.bias

    def __repr__(self):
        return f"{self.__class__.__name__} ({self.in_features} -> {self.out_features})"


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass, dropout):
        super().__init__()
        self.gc1, self.gc2 = GraphConvolution(nfeat, nhid), GraphConvolution(nhid, nclass)
        self.dropout = dropout

    def forward(self, x, adj):
        x = F.dropout(F.relu(self.gc1(x, adj)), self.dropout, training=self.training)
        return F.log_softmax(self.gc2(x, adj), dim=1)


class GraphAttention(nn.Module):
    def __init__(self, nfeat, nclass, alpha=0.2):
        super().__init__()
        self.W = nn.Parameter(torch.empty(size=(nfeat, nclass)))
        nn.init.xavier_uniform_(self.W.data, gain=1.414)
        self.a = nn.Parameter(torch.empty(size=(2 * nclass, 1)))
        nn.init.xavier_uniform_(self.a.data, gain=1.414)
        self.leakyrelu, self.n = nn.LeakyReLU(alpha), nclass

    def forward(self, h, adj):
        Wh = torch.mm(h, self.W)
        e = self.leakyrelu(torch.matmul(Wh, self.a[: self.n]) + torch.matmul(Wh, self.a[self.n :]).T)
        attention = torch.where(adj > 0, e, -9e15 * torch.ones_like(e))
        return F.log_softmax(F.elu(torch.matmul(F.softmax(attention, dim=1), Wh)), dim=1)


torch.manual_seed(42)
nodes, classes = 60, 3
labels = torch.arange(nodes) % classes
chances = torch.where(labels[:, None] == labels[None, :], 0.35, 0.03)
edges = torch.triu(torch.bernoulli(chances), diagonal=1)
adj = edges + edges.t() + torch.eye(nodes)
degree = adj.sum(1)
normalized = torch.diag(degree.pow(-0.5)) @ adj @ torch.diag(degree.pow(-0.5))
features = F.one_hot(labels, classes).float().repeat(1, 4) + torch.randn(nodes, 12)
idx_train, idx_val = torch.arange(0, 15), torch.arange(15, 60)
print("edges", int(edges.sum()))


def accuracy(output, labels):
    preds = output.max(1)[1].type_as(labels)
    return preds.eq(labels).double().sum() / len(labels)


for model, graph in ((GCN(12, 16, classes, 0.5), normalized), (GraphAttention(12, classes), adj)):
    print(model)
    optimizer = optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)
    for epoch in range(25):
        model.train()
        optimizer.zero_grad()
        output = model(features, graph)
        loss_train = F.nll_loss(output[idx_train], labels[idx_train])
        loss_train.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            loss_val = F.nll_loss(model(features, graph)[idx_val], labels[idx_val])
        print(f"Epoch: {epoch + 1:04d} loss_train: {loss_train.item():.6f} loss_val: {loss_val.item():.5f}")
    print("accuracy known:", bool(accuracy(output[idx_val], labels[idx_val]) >= 0))

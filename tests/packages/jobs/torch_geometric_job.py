"""torch_geometric: graph networks of several kinds trained on a made-up graph, batches of graphs, pooling and sampling."""

import json

import torch
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GATConv, GCNConv, GINConv, SAGEConv, global_mean_pool
from torch_geometric.utils import add_self_loops, degree, to_dense_adj

torch.manual_seed(0)
nodes = 30
edges = torch.stack([torch.arange(nodes).repeat(2), torch.cat([(torch.arange(nodes) + 1) % nodes, (torch.arange(nodes) * 7 + 3) % nodes])])
edges = torch.cat([edges, edges.flip(0)], 1)
x = torch.randn(nodes, 5)
labels = (x[:, 0] + x[:, 1] > 0).long()
results = {}


class Network(torch.nn.Module):
    def __init__(self, first, second):
        super().__init__()
        self.first, self.second = first, second

    def forward(self, x, edge_index):
        return self.second(torch.nn.functional.relu(self.first(x, edge_index)), edge_index)


def linear(*sizes):
    return torch.nn.Linear(*sizes)


kinds = {
    "gcn": lambda: Network(GCNConv(5, 8), GCNConv(8, 2)), "gat": lambda: Network(GATConv(5, 4, heads=2), GATConv(8, 2)), "sage": lambda: Network(SAGEConv(5, 8), SAGEConv(8, 2, aggr="max")),
    "gin": lambda: Network(GINConv(linear(5, 8)), GINConv(linear(8, 2), train_eps=True)),
}  # fmt: skip
for name, make in kinds.items():
    model = make()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x, edges), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    results[name] = losses

graphs = [Data(x=torch.randn(n, 5), edge_index=torch.stack([torch.arange(n), (torch.arange(n) + 1) % n]), y=torch.tensor([n % 2])) for n in (3, 4, 5, 6)]
gcn = GCNConv(5, 4)
results["batches"] = [v for batch in DataLoader(graphs, batch_size=2) for v in global_mean_pool(gcn(batch.x, batch.edge_index), batch.batch).flatten().tolist()]
looped, _ = add_self_loops(edges, num_nodes=nodes)
results["degrees"] = degree(looped[0], nodes).tolist()
results["dense"] = [to_dense_adj(edges)[0].sum().item()]
print(json.dumps(results))

"""A first look at tensors: making them, their attributes, indexing, joining, arithmetic, changing in place."""

import torch

rows = [[1, 2], [3, 4]]
numbers = torch.tensor(rows)
print(numbers, numbers.shape, numbers.dtype, numbers.device)
print(torch.ones_like(numbers), torch.zeros((2, 3)), torch.full((2,), 7.5))

torch.manual_seed(1)
noise = torch.rand_like(numbers, dtype=torch.float)
print(f"random numbers:\n{noise}")
print(torch.randn(2, 3), torch.randint(0, 10, (5,)), torch.randperm(6))

table = torch.arange(12.0).reshape(3, 4)
print("first row", table[0], "last column", table[..., -1], "every second", table[:, ::2])
table[:, 1] = 0
print(table, table[table > 5])

wide = torch.cat([table, table, table], dim=1)
print(wide.shape, torch.stack([table, table]).shape)

one, two = table @ table.T, table.matmul(table.T)
three = torch.empty_like(one)
torch.matmul(table, table.T, out=three)
print(one, torch.equal(one, two), torch.equal(one, three))
print(table * table, table.mul(2) / 3)

total = table.sum()
print(total.item(), type(total.item()).__name__)
table.add_(5)
print(table)

shared = table.view(-1)
shared[0] = 100
print(table[0, 0], table.mean(0), table.max(dim=1), table.std())
print(table.to(torch.int64), table.half().dtype, table.bool().all())

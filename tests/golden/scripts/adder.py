"""A transformer learns to add numbers of two digits: a data set made on the fly, a trainer with callbacks, greedy answers."""

import math
import time
from collections import defaultdict

import torch
import torch.nn as nn
from torch.nn import functional as F
from torch.utils.data import Dataset
from torch.utils.data.dataloader import DataLoader


class CfgNode:
    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)

    def merge_from_dict(self, d):
        self.__dict__.update(d)
        return self


class AdditionDataset(Dataset):
    """12 + 34 = 046 is read as 1 2 3 4 6 4 0: the sum comes backwards."""

    def __init__(self, config, split):
        self.ndigit = config.ndigit
        number = 10 ** (2 * config.ndigit)
        order = torch.randperm(number, generator=torch.Generator().manual_seed(1337))
        tests = min(int(number * 0.2), 100)
        self.ixes = order[:tests] if split == "test" else order[tests:]

    def get_block_size(self):
        return 3 * self.ndigit

    def __len__(self):
        return self.ixes.nelement()

    def __getitem__(self, idx):
        base = 10**self.ndigit
        a, b = divmod(self.ixes[idx].item(), base)
        width = self.ndigit
        text = f"{a:0{width}d}{b:0{width}d}" + f"{a + b:0{width + 1}d}"[::-1]
        digits = [int(s) for s in text]
        x = torch.tensor(digits[:-1], dtype=torch.long)
        y = torch.tensor(digits[1:], dtype=torch.long)
        y[: width * 2 - 1] = -1
        return x, y


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd)
        size = config.block_size
        self.register_buffer("mask", torch.tril(torch.ones(size, size)).view(1, 1, size, size), persistent=False)
        self.n_head = config.n_head

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = (t.view(B, T, self.n_head, -1).transpose(1, 2) for t in self.c_attn(x).chunk(3, dim=-1))
        weights = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
        weights = weights.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf")).softmax(-1)
        return self.c_proj((weights @ v).transpose(1, 2).reshape(B, T, C))


class NewGELU(nn.Module):
    def forward(self, x):
        return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(config.n_embd), nn.LayerNorm(config.n_embd)
        self.attn = Attention(config)
        self.mlp = nn.ModuleDict({"fc": nn.Linear(config.n_embd, 4 * config.n_embd), "act": NewGELU(), "proj": nn.Linear(4 * config.n_embd, config.n_embd)})
        self.mlpf = lambda x: self.mlp.proj(self.mlp.act(self.mlp.fc(x)))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlpf(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.token, self.position = nn.Embedding(10, config.n_embd), nn.Embedding(config.block_size, config.n_embd)
        self.blocks = nn.Sequential(*[Block(config) for _ in range(config.n_layer)])
        self.ln_f, self.head = nn.LayerNorm(config.n_embd), nn.Linear(config.n_embd, 10, bias=False)
        self.apply(self._init_weights)

    @staticmethod
    def _init_weights(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            module.weight.data.normal_(mean=0.0, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            module.bias.data.zero_()
        elif isinstance(module, nn.LayerNorm):
            torch.nn.init.zeros_(module.bias)
            torch.nn.init.ones_(module.weight)

    def groups(self, weight_decay):
        decay, no_decay = set(), set()
        for mn, m in self.named_modules():
            for pn, _ in m.named_parameters(recurse=False):
                name = f"{mn}.{pn}" if mn else pn
                (decay if pn.endswith("weight") and isinstance(m, nn.Linear) else no_decay).add(name)
        named = dict(self.named_parameters())
        assert decay | no_decay == set(named) and not decay & no_decay
        return [
            {"params": [named[n] for n in sorted(decay)], "weight_decay": weight_decay},
            {"params": [named[n] for n in sorted(no_decay)], "weight_decay": 0.0},
        ]

    def forward(self, idx, targets=None):
        x = self.token(idx) + self.position(torch.arange(idx.size(1)).unsqueeze(0))
        logits = self.head(self.ln_f(self.blocks(x)))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(-1, 10), targets.view(-1), ignore_index=-1)
        return logits, loss

    @torch.no_grad()
    def generate(self, idx, number):
        for _ in range(number):
            _, nxt = torch.topk(self(idx)[0][:, -1, :], k=1, dim=-1)
            idx = torch.cat((idx, nxt), dim=1)
        return idx


class Trainer:
    def __init__(self, config, model, dataset):
        self.config, self.model, self.dataset = config, model, dataset
        self.callbacks = defaultdict(list)
        self.iter_num, self.iter_time = 0, 0.0

    def add_callback(self, onevent, callback):
        self.callbacks[onevent].append(callback)

    def trigger(self, onevent):
        for callback in self.callbacks.get(onevent, []):
            callback(self)

    def run(self):
        self.optimizer = torch.optim.AdamW(self.model.groups(self.config.weight_decay), lr=self.config.learning_rate, betas=self.config.betas)
        sampler = torch.utils.data.RandomSampler(self.dataset, replacement=True, num_samples=int(1e10))
        loader = DataLoader(self.dataset, sampler=sampler, shuffle=False, pin_memory=torch.cuda.is_available(), batch_size=self.config.batch_size, num_workers=0)
        self.model.train()
        data = iter(loader)
        self.iter_time = time.time()
        while self.iter_num < self.config.max_iters:
            x, y = next(data)
            _, self.loss = self.model(x, y)
            self.model.zero_grad(set_to_none=True)
            self.loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config.grad_norm_clip)
            self.optimizer.step()
            self.trigger("on_batch_end")
            self.iter_num += 1
            now = time.time()
            self.iter_dt, self.iter_time = now - self.iter_time, now


torch.manual_seed(3407)
data = CfgNode(ndigit=2)
train_dataset, test_dataset = AdditionDataset(data, "train"), AdditionDataset(data, "test")
model = GPT(CfgNode(n_layer=2, n_head=2, n_embd=32, block_size=train_dataset.get_block_size()))
trainer = Trainer(
    CfgNode(batch_size=32, max_iters=0, learning_rate=5e-4).merge_from_dict({"max_iters": 40, "betas": (0.9, 0.95), "weight_decay": 0.1, "grad_norm_clip": 1.0}),
    model, train_dataset,
)


def batch_end_callback(trainer):
    print(f"iter {trainer.iter_num}: train loss {trainer.loss.item():.6f}")
    if trainer.iter_num == 39:
        model.eval()
        loader = DataLoader(test_dataset, batch_size=50, num_workers=0, drop_last=False)
        losses = [model(x, y)[1].item() for x, y in loader]
        answers = model.generate(torch.stack([test_dataset[i][0][:4] for i in range(3)]), 3)
        print(f"test loss {sum(losses) / len(losses):.6f}", tuple(answers.shape))
        model.train()


trainer.add_callback("on_batch_end", batch_end_callback)
trainer.run()

"""The next letter from the three before it: an embedding, a hidden layer with a batch norm by hand, minibatches, a split of the data."""

import random

import torch
import torch.nn.functional as F

words = """anna bruno clara david elena frida georg hanna ivan julia karl laura maria nina oskar paula rosa simon tomas ursula viktor
wilma xaver yara zeno alma boris carla dora emil fiona greta hugo irma jonas klara leo martha nora otto petra rolf selma theo""".split()
chars = sorted(set("".join(words)))
stoi = {s: i + 1 for i, s in enumerate(chars)}
stoi["."] = 0
vocab_size, block_size = len(stoi), 3


def build_dataset(words):
    X, Y = [], []
    for w in words:
        context = [0] * block_size
        for ch in w + ".":
            ix = stoi[ch]
            X.append(context)
            Y.append(ix)
            context = context[1:] + [ix]
    return torch.tensor(X), torch.tensor(Y)


random.seed(42)
random.shuffle(words)
n1, n2 = int(0.8 * len(words)), int(0.9 * len(words))
(Xtr, Ytr), (Xdev, Ydev), (Xte, Yte) = map(build_dataset, (words[:n1], words[n1:n2], words[n2:]))
print(Xtr.shape, Ytr.shape, Xdev.shape, Xte.shape)

g = torch.Generator().manual_seed(2147483647)
n_embd, n_hidden = 8, 64
C = torch.randn((vocab_size, n_embd), generator=g)
W1 = torch.randn((n_embd * block_size, n_hidden), generator=g) * (5 / 3) / ((n_embd * block_size) ** 0.5)
W2 = torch.randn((n_hidden, vocab_size), generator=g) * 0.01
b2 = torch.randn(vocab_size, generator=g) * 0
bngain, bnbias = torch.ones((1, n_hidden)), torch.zeros((1, n_hidden))
bnmean_running, bnstd_running = torch.zeros((1, n_hidden)), torch.ones((1, n_hidden))
parameters = [C, W1, W2, b2, bngain, bnbias]
print(sum(p.nelement() for p in parameters))
for p in parameters:
    p.requires_grad = True

lossi = []
for i in range(80):
    ix = torch.randint(0, Xtr.shape[0], (32,), generator=g)
    Xb, Yb = Xtr[ix], Ytr[ix]
    hpreact = C[Xb].view(Xb.shape[0], -1) @ W1
    bnmeani, bnstdi = hpreact.mean(0, keepdim=True), hpreact.std(0, keepdim=True)
    h = torch.tanh(bngain * (hpreact - bnmeani) / bnstdi + bnbias)
    with torch.no_grad():
        bnmean_running = 0.9 * bnmean_running + 0.1 * bnmeani
        bnstd_running = 0.9 * bnstd_running + 0.1 * bnstdi
    loss = F.cross_entropy(h @ W2 + b2, Yb)
    for p in parameters:
        p.grad = None
    loss.backward()
    lr = 0.2 if i < 60 else 0.05
    for p in parameters:
        p.data += -lr * p.grad
    lossi.append(loss.log10().item())
    print(f"{i:7d}: loss {loss.item():.6f}")
print("means of tens:", [f"{v:.4f}" for v in torch.tensor(lossi).view(-1, 10).mean(1).tolist()])


@torch.no_grad()
def split_loss(split):
    x, y = {"train": (Xtr, Ytr), "val": (Xdev, Ydev), "test": (Xte, Yte)}[split]
    h = torch.tanh(bngain * (C[x].flatten(1) @ W1 - bnmean_running) / bnstd_running + bnbias)
    print(split, f"loss {F.cross_entropy(h @ W2 + b2, y).item():.5f}")


split_loss("train")
split_loss("val")
split_loss("test")
probs = F.softmax(torch.tanh(bngain * (C[Xte[:1]].flatten(1) @ W1 - bnmean_running) / bnstd_running + bnbias) @ W2 + b2, dim=1)
print(f"{probs.sum().item():.4f}", int(probs.argmax()))

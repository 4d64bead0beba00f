"""Which letter follows which in first names: by counting, and by a network of one layer that learns the same table."""

import torch
import torch.nn.functional as F

words = """anna bruno clara david elena frida georg hanna ivan julia karl laura maria nina oskar paula rosa simon tomas ursula viktor
wilma xaver yara zeno alma boris carla dora emil fiona greta hugo irma jonas klara leo martha nora otto petra rolf selma theo""".split()
chars = sorted(set("".join(words)))
stoi = {s: i + 1 for i, s in enumerate(chars)}
stoi["."] = 0
itos = {i: s for s, i in stoi.items()}
size = len(stoi)

N = torch.zeros((size, size), dtype=torch.int32)
for w in words:
    chs = ["."] + list(w) + ["."]
    for ch1, ch2 in zip(chs, chs[1:]):
        N[stoi[ch1], stoi[ch2]] += 1
print(N[0].tolist(), N.sum().item())

P = (N + 1).float()
P /= P.sum(1, keepdim=True)
g = torch.Generator().manual_seed(2147483647)
for _ in range(4):
    out, ix = [], 0
    while True:
        ix = torch.multinomial(P[ix], num_samples=1, replacement=True, generator=g).item()
        out.append(itos[ix])
        if ix == 0 or len(out) > 20:
            break
    print("".join(out))

log_likelihood, n = 0.0, 0
for w in words:
    chs = ["."] + list(w) + ["."]
    for ch1, ch2 in zip(chs, chs[1:]):
        log_likelihood += torch.log(P[stoi[ch1], stoi[ch2]])
        n += 1
print(f"counted: {log_likelihood=:.4f} nll {(-log_likelihood / n).item():.6f}")

xs, ys = [], []
for w in words:
    chs = ["."] + list(w) + ["."]
    for ch1, ch2 in zip(chs, chs[1:]):
        xs.append(stoi[ch1])
        ys.append(stoi[ch2])
xs, ys = torch.tensor(xs), torch.tensor(ys)
num = xs.nelement()
g = torch.Generator().manual_seed(2147483647)
W = torch.randn((size, size), generator=g, requires_grad=True)
for k in range(60):
    xenc = F.one_hot(xs, num_classes=size).float()
    logits = xenc @ W
    counts = logits.exp()
    probs = counts / counts.sum(1, keepdims=True)
    loss = -probs[torch.arange(num), ys].log().mean() + 0.01 * (W**2).mean()
    W.grad = None
    loss.backward()
    W.data += -50 * W.grad
    print(f"step {k} loss {loss.item():.6f}")

"""A language model of words with nn.TransformerEncoder: positions by sine and cosine, a square mask, a schedule that decays."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

TEXT = """a ship leaves the harbour at dawn with salt and rope and bread . the captain counts the sails and the cook counts the bread .
at noon the wind turns and the ship turns with the wind . the cook counts the bread again and the captain counts the clouds . at dusk the
harbour is a light behind the ship and the wind is a song in the rope . the captain sleeps and the cook sleeps and the ship sails with the
wind . at dawn the ship finds another harbour and sells the salt and the rope . the cook keeps the bread . """


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=200):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0).transpose(0, 1))

    def forward(self, x):
        return self.dropout(x + self.pe[: x.size(0), :])


class TransformerModel(nn.Transformer):
    def __init__(self, ntoken, ninp, nhead, nhid, nlayers, dropout=0.5):
        super().__init__(d_model=ninp, nhead=nhead, dim_feedforward=nhid, num_encoder_layers=nlayers, num_decoder_layers=1, dropout=dropout)
        self.src_mask = None
        self.pos_encoder = PositionalEncoding(ninp, dropout)
        self.input_emb = nn.Embedding(ntoken, ninp)
        self.ninp = ninp
        self.head = nn.Linear(ninp, ntoken)
        nn.init.uniform_(self.input_emb.weight, -0.1, 0.1)
        nn.init.zeros_(self.head.bias)
        nn.init.uniform_(self.head.weight, -0.1, 0.1)

    def forward(self, src, has_mask=True):
        if has_mask:
            if self.src_mask is None or self.src_mask.size(0) != len(src):
                self.src_mask = torch.log(torch.tril(torch.ones(len(src), len(src))))
        else:
            self.src_mask = None
        src = self.pos_encoder(self.input_emb(src) * math.sqrt(self.ninp))
        output = self.head(self.encoder(src, mask=self.src_mask))
        return F.log_softmax(output, dim=-1)


torch.manual_seed(7)
words = TEXT.split()
vocabulary = sorted(set(words))
ids = torch.tensor([vocabulary.index(w) for w in words])
data = ids[: len(ids) // 4 * 4].view(4, -1).t().contiguous()
ntokens, bptt = len(vocabulary), 10
model = TransformerModel(ntokens, 32, 2, 48, 2, dropout=0.1)
print(len(model.state_dict()), sum(p.numel() for p in model.encoder.parameters()))
criterion = nn.NLLLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
for epoch in range(1, 7):
    model.train()
    for i in range(0, data.size(0) - 1, bptt):
        length = min(bptt, len(data) - 1 - i)
        inputs, targets = data[i : i + length], data[i + 1 : i + 1 + length].view(-1)
        optimizer.zero_grad()
        loss = criterion(model(inputs).view(-1, ntokens), targets)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()
        print(f"epoch {epoch} at {i} lr {scheduler.get_last_lr()[0]:.4f} loss {loss.item():.6f}")
    scheduler.step()
model.eval()
with torch.no_grad():
    output = model(data[:8])
print(f"eval loss {criterion(output.view(-1, ntokens), data[1:9].view(-1)).item():.5f}")

"""A language model of words with an LSTM or a GRU: truncated backpropagation, hidden states carried on, an annealed learning rate."""

import math

import torch
import torch.nn as nn

TEXT = """the sun rises over the hill and the farmer walks to the field . the field is green and the hill is blue . the farmer sings to the
cows and the cows walk to the river . the river is cold and the sun is warm . the cows drink from the river and the farmer drinks from
the well . when the sun sets behind the hill the farmer walks home and the cows walk home . the hill is dark and the river sings to
the field . the moon rises over the river and the field is white . nobody walks over the hill and nobody drinks from the well . """


class Dictionary:
    def __init__(self):
        self.word2idx, self.idx2word = {}, []

    def add_word(self, word):
        if word not in self.word2idx:
            self.idx2word.append(word)
            self.word2idx[word] = len(self.idx2word) - 1
        return self.word2idx[word]

    def __len__(self):
        return len(self.idx2word)


class RNNModel(nn.Module):
    def __init__(self, rnn_type, ntoken, ninp, nhid, nlayers, dropout=0.5, tie_weights=False):
        super().__init__()
        self.ntoken, self.rnn_type, self.nhid, self.nlayers = ntoken, rnn_type, nhid, nlayers
        self.drop = nn.Dropout(dropout)
        self.encoder = nn.Embedding(ntoken, ninp)
        self.rnn = getattr(nn, rnn_type)(ninp, nhid, nlayers, dropout=dropout)
        self.decoder = nn.Linear(nhid, ntoken)
        if tie_weights:
            self.decoder.weight = self.encoder.weight
        self.init_weights()

    def init_weights(self):
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)
        nn.init.uniform_(self.decoder.weight, -0.1, 0.1)

    def forward(self, input, hidden):
        emb = self.drop(self.encoder(input))
        output, hidden = self.rnn(emb, hidden)
        decoded = self.decoder(self.drop(output)).view(-1, self.ntoken)
        return torch.log_softmax(decoded, dim=1), hidden

    def init_hidden(self, bsz):
        weight = next(self.parameters())
        if self.rnn_type == "LSTM":
            return weight.new_zeros(self.nlayers, bsz, self.nhid), weight.new_zeros(self.nlayers, bsz, self.nhid)
        return weight.new_zeros(self.nlayers, bsz, self.nhid)


def repackage_hidden(h):
    return h.detach() if isinstance(h, torch.Tensor) else tuple(repackage_hidden(v) for v in h)


def batchify(data, bsz):
    nbatch = data.size(0) // bsz
    return data.narrow(0, 0, nbatch * bsz).view(bsz, -1).t().contiguous()


def get_batch(source, i, bptt):
    seq_len = min(bptt, len(source) - 1 - i)
    return source[i : i + seq_len], source[i + 1 : i + 1 + seq_len].view(-1)


def run(kind, **options):
    torch.manual_seed(1111)
    corpus = Dictionary()
    ids = torch.tensor([corpus.add_word(w) for w in TEXT.split()]).type(torch.int64)
    train_data, bptt, lr, best = batchify(ids, 4), 8, 5.0, None
    model = RNNModel(kind, len(corpus), 32, 32, 2, **options)
    criterion = nn.NLLLoss()
    for epoch in range(1, 5):
        model.train()
        total, hidden = 0.0, model.init_hidden(4)
        for batch, i in enumerate(range(0, train_data.size(0) - 1, bptt)):
            data, targets = get_batch(train_data, i, bptt)
            model.zero_grad()
            hidden = repackage_hidden(hidden)
            output, hidden = model(data, hidden)
            loss = criterion(output, targets)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
            for p in model.parameters():
                p.data.add_(p.grad, alpha=-lr)
            total += loss.item()
            print(f"| {kind} epoch {epoch} | batch {batch} | lr {lr:.2f} | loss {loss.item():.6f} | ppl {math.exp(loss.item()):.3f}")
        model.eval()
        with torch.no_grad():
            hidden, val = model.init_hidden(4), 0.0
            for i in range(0, train_data.size(0) - 1, bptt):
                data, targets = get_batch(train_data, i, bptt)
                output, hidden = model(data, hidden)
                hidden = repackage_hidden(hidden)
                val += len(data) * criterion(output, targets).item()
        val /= len(train_data) - 1
        print(f"| end of epoch {epoch} | valid loss {val:.5f}")
        if best is None or val < best:
            best = val
        else:
            lr /= 4.0


run("LSTM", dropout=0.2, tie_weights=True)
run("GRU", dropout=0.0)

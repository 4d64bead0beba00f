"""Dates from one notation into another: an encoder and a decoder of GRUs, additive attention, teacher forcing, greedy decoding."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

SOS_token, EOS_token, MAX_LENGTH = 0, 1, 9
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()


class Lang:
    def __init__(self, name):
        self.name, self.word2index, self.index2word, self.n_words = name, {}, {0: "SOS", 1: "EOS"}, 2

    def add(self, words):
        for word in words:
            if word not in self.word2index:
                self.word2index[word] = self.n_words
                self.index2word[self.n_words] = word
                self.n_words += 1


class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size, dropout_p=0.1):
        super().__init__()
        self.embedding = nn.Embedding(input_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size, batch_first=True)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, input):
        return self.gru(self.dropout(self.embedding(input)))


class BahdanauAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.Wa, self.Ua, self.Va = nn.Linear(hidden_size, hidden_size), nn.Linear(hidden_size, hidden_size), nn.Linear(hidden_size, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        weights = F.softmax(scores.squeeze(2).unsqueeze(1), dim=-1)
        return torch.bmm(weights, keys), weights


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size, dropout_p=0.1):
        super().__init__()
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attention = BahdanauAttention(hidden_size)
        self.gru = nn.GRU(2 * hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, output_size)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, encoder_outputs, encoder_hidden, target_tensor=None):
        decoder_input = torch.empty(encoder_outputs.size(0), 1, dtype=torch.long, device=device).fill_(SOS_token)
        decoder_hidden, outputs, attentions = encoder_hidden, [], []
        for i in range(MAX_LENGTH):
            output, decoder_hidden, weights = self.forward_step(decoder_input, decoder_hidden, encoder_outputs)
            outputs.append(output)
            attentions.append(weights)
            if target_tensor is not None:
                decoder_input = target_tensor[:, i].unsqueeze(1)
            else:
                decoder_input = output.topk(1)[1].squeeze(-1).detach()
        return F.log_softmax(torch.cat(outputs, dim=1), dim=-1), decoder_hidden, torch.cat(attentions, dim=1)

    def forward_step(self, input, hidden, encoder_outputs):
        embedded = self.dropout(self.embedding(input))
        context, weights = self.attention(hidden.permute(1, 0, 2), encoder_outputs)
        output, hidden = self.gru(torch.cat((embedded, context), dim=2), hidden)
        return self.out(output), hidden, weights


def make_pair():
    day, month = random.randint(1, 28), random.randint(1, 12)
    return [*str(day), MONTHS[month - 1]], [*f"{month:02d}", "-", *f"{day:02d}"]


random.seed(3)
torch.manual_seed(3)
source, target = Lang("words"), Lang("digits")
pairs = [make_pair() for _ in range(96)]
for a, b in pairs:
    source.add(a)
    target.add(b)
print(source.n_words, target.n_words, pairs[0])
inputs, outputs = torch.zeros(96, MAX_LENGTH, dtype=torch.long), torch.zeros(96, MAX_LENGTH, dtype=torch.long)
for row, (a, b) in enumerate(pairs):
    for place, lang, words in ((inputs, source, a), (outputs, target, b)):
        ids = [lang.word2index[w] for w in words] + [EOS_token]
        place[row, : len(ids)] = torch.tensor(ids)
data = TensorDataset(inputs, outputs)
loader = DataLoader(data, sampler=RandomSampler(data), batch_size=16)
encoder, decoder = EncoderRNN(source.n_words, 24).to(device), AttnDecoderRNN(24, target.n_words).to(device)
encoder_optimizer, decoder_optimizer = optim.Adam(encoder.parameters(), lr=0.01), optim.Adam(decoder.parameters(), lr=0.01)
criterion = nn.NLLLoss()
for epoch in range(4):
    for input_tensor, target_tensor in loader:
        encoder_optimizer.zero_grad()
        decoder_optimizer.zero_grad()
        encoder_outputs, encoder_hidden = encoder(input_tensor)
        decoder_outputs, _, _ = decoder(encoder_outputs, encoder_hidden, target_tensor)
        loss = criterion(decoder_outputs.view(-1, decoder_outputs.size(-1)), target_tensor.view(-1))
        loss.backward()
        encoder_optimizer.step()
        decoder_optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.6f}")
encoder.eval()
decoder.eval()
with torch.no_grad():
    encoder_outputs, encoder_hidden = encoder(inputs[:2])
    decoded, _, attention = decoder(encoder_outputs, encoder_hidden)
print(tuple(decoded.shape), tuple(attention.shape), f"{attention.sum().item():.3f}")
print(" ".join(target.index2word.get(i, "?") for i in decoded[0].topk(1)[1].squeeze(-1).tolist()))

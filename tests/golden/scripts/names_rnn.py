"""Which language a surname is from, letter by letter: a cell of linear layers, then nn.RNN over packed names of many lengths."""

import random
import string

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

NAMES = {
    "German": "Schneider Fischer Weber Wagner Becker Schulz Hoffmann Koch Richter Klein Wolf Neumann Schwarz Zimmermann".split(),
    "Italian": "Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Bruno Gallo Conti Mancini".split(),
    "Polish": "Nowak Kowalski Wisniewski Wojcik Kowalczyk Kaminski Lewandowski Zielinski Szymanski Wozniak Kozlowski".split(),
    "Japanese": "Sato Suzuki Takahashi Tanaka Watanabe Ito Yamamoto Nakamura Kobayashi Kato Yoshida Yamada Sasaki".split(),
}
ALL = string.ascii_letters + " .,;'"
categories = list(NAMES)


def line_to_tensor(line):
    tensor = torch.zeros(len(line), 1, len(ALL))
    for li, letter in enumerate(line):
        tensor[li][0][ALL.index(letter)] = 1
    return tensor


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.i2o = nn.Linear(input_size + hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, input, hidden):
        combined = torch.cat((input, hidden), 1)
        return self.softmax(self.i2o(combined)), torch.tanh(self.i2h(combined))

    def init_hidden(self):
        return torch.zeros(1, self.hidden_size)


def category_from_output(output):
    _, top_i = output.topk(1)
    return categories[top_i[0].item()]


random.seed(5)
torch.manual_seed(5)
rnn = RNN(len(ALL), 32, len(categories))
criterion = nn.NLLLoss()
learning_rate, current = 0.02, 0.0
for step in range(1, 61):
    category = random.choice(categories)
    line = random.choice(NAMES[category])
    target = torch.tensor([categories.index(category)], dtype=torch.long)
    hidden = rnn.init_hidden()
    rnn.zero_grad()
    for letter in line_to_tensor(line):
        output, hidden = rnn(letter, hidden)
    loss = criterion(output, target)
    loss.backward()
    for p in rnn.parameters():
        p.data.add_(p.grad.data, alpha=-learning_rate)
    current += loss.item()
    print(f"{step} loss {loss.item():.6f} {line}")
print(f"mean loss {current / 60:.5f}", category_from_output(output) in categories)


class PackedRNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(len(ALL), 32, nonlinearity="tanh")
        self.h2o = nn.Linear(32, len(categories))

    def forward(self, lines):
        letters = [line_to_tensor(line).squeeze(1) for line in lines]
        lengths = torch.tensor([len(line) for line in lines])
        packed = pack_padded_sequence(pad_sequence(letters), lengths, enforce_sorted=False)
        _, hidden = self.rnn(packed)
        return self.h2o(hidden[0])


model = PackedRNN()
optimizer = torch.optim.SGD(model.parameters(), lr=0.15, momentum=0.5)
pairs = [(line, i) for i, category in enumerate(categories) for line in NAMES[category]]
for epoch in range(3):
    random.shuffle(pairs)
    for start in range(0, len(pairs), 13):
        lines, labels = zip(*pairs[start : start + 13])
        loss = nn.functional.cross_entropy(model(lines), torch.tensor(labels))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 3)
        optimizer.step()
        print(f"packed epoch {epoch} loss {loss.item():.6f}")

"""The last word of a sentence that is read from both ends, and tags for the words of another: LSTMs in two directions."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.autograd import Variable

sentence = "we read from both ends of the sentence and meet where the verb waits for its subject in the middle of the line"
words = sentence.split()
vocabulary = {w: i for i, w in enumerate(dict.fromkeys(words))}
n_class, n_hidden, max_len = len(vocabulary), 12, len(words)


class BiLSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(input_size=n_class, hidden_size=n_hidden, bidirectional=True)
        self.W = nn.Linear(n_hidden * 2, n_class, bias=False)
        self.b = nn.Parameter(torch.ones([n_class]))

    def forward(self, X):
        input = X.transpose(0, 1)
        hidden_state = Variable(torch.zeros(1 * 2, len(X), n_hidden))
        cell_state = Variable(torch.zeros(1 * 2, len(X), n_hidden))
        outputs, (_, _) = self.lstm(input, (hidden_state, cell_state))
        return self.W(outputs[-1]) + self.b


torch.manual_seed(2)
eye = torch.eye(n_class)
inputs, targets = [], []
for i in range(max_len - 1):
    ids = [vocabulary[n] for n in words[: i + 1]] + [0] * (max_len - i - 1)
    inputs.append(eye[ids])
    targets.append(vocabulary[words[i + 1]])
inputs, targets = torch.stack(inputs), torch.tensor(targets)
model = BiLSTM()
criterion = nn.CrossEntropyLoss()
optimizer = optim.RMSprop(model.parameters(), lr=0.003)
for epoch in range(20):
    optimizer.zero_grad()
    loss = criterion(model(inputs), targets)
    loss.backward()
    optimizer.step()
    print(f"Epoch: {epoch + 1:04d} loss = {loss.item():.6f}")

training = [
    ("the dog ate the apple".split(), "DET NN V DET NN".split()),
    ("everybody read that book".split(), "NN V DET NN".split()),
    ("that apple fell".split(), "DET NN V".split()),
]
to_ix = {w: i for i, w in enumerate(dict.fromkeys(w for s, _ in training for w in s))}
tag_ix = {"DET": 0, "NN": 1, "V": 2}


class LSTMTagger(nn.Module):
    def __init__(self, embedding_dim, hidden_dim):
        super().__init__()
        self.word_embeddings = nn.Embedding(len(to_ix), embedding_dim)
        self.lstm = nn.LSTM(embedding_dim, hidden_dim // 2, num_layers=2, bidirectional=True)
        self.hidden2tag = nn.Linear(hidden_dim, len(tag_ix))

    def forward(self, sentence):
        embeds = self.word_embeddings(sentence)
        lstm_out, _ = self.lstm(embeds.view(len(sentence), 1, -1))
        return F.log_softmax(self.hidden2tag(lstm_out.view(len(sentence), -1)), dim=1)


tagger = LSTMTagger(6, 8)
loss_function = nn.NLLLoss()
optimizer = optim.SGD(tagger.parameters(), lr=0.3)
for epoch in range(12):
    for s, tags in training:
        tagger.zero_grad()
        scores = tagger(torch.tensor([to_ix[w] for w in s], dtype=torch.long))
        loss = loss_function(scores, torch.tensor([tag_ix[t] for t in tags], dtype=torch.long))
        loss.backward()
        optimizer.step()
        print(f"tags {epoch} loss {loss.item():.6f}")

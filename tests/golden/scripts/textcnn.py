"""Reviews of a few words, good or bad, by convolutions of several widths over their embeddings."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

embedding_size, sequence_length, num_classes, filter_sizes, num_filters = 8, 4, 2, [2, 3, 4], 5
sentences = [
    "i love this soup", "what a fine cake", "she likes fresh bread", "we want more soup", "this bread is wonderful", "he enjoys every cake",
    "i hate this soup", "what an awful cake", "she throws old bread", "we want no soup", "this bread is terrible", "he spoils every cake",
]
labels = [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
word_list = sorted(set(" ".join(sentences).split()))
word_dict = {w: i for i, w in enumerate(word_list)}
vocab_size = len(word_dict)


class TextCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.num_filters_total = num_filters * len(filter_sizes)
        self.W = nn.Embedding(vocab_size, embedding_size)
        self.Weight = nn.Linear(self.num_filters_total, num_classes, bias=False)
        self.Bias = nn.Parameter(torch.ones([num_classes]))
        self.filter_list = nn.ModuleList([nn.Conv2d(1, num_filters, (size, embedding_size)) for size in filter_sizes])

    def forward(self, X):
        embedded = self.W(X).unsqueeze(1)
        pooled_outputs = []
        for size, conv in zip(filter_sizes, self.filter_list):
            h = F.relu(conv(embedded))
            pooled = nn.MaxPool2d((sequence_length - size + 1, 1))(h).permute(0, 3, 2, 1)
            pooled_outputs.append(pooled)
        h_pool = torch.cat(pooled_outputs, 3)
        h_pool_flat = torch.reshape(h_pool, [-1, self.num_filters_total])
        return self.Weight(h_pool_flat) + self.Bias


torch.manual_seed(4)
model = TextCNN()
criterion = nn.CrossEntropyLoss()
optimizer = optim.Adam(model.parameters(), lr=0.01)
inputs = torch.LongTensor(np.array([[word_dict[n] for n in s.split()] for s in sentences]))
targets = torch.LongTensor(list(labels))
for epoch in range(60):
    optimizer.zero_grad()
    output = model(inputs)
    loss = criterion(output, targets)
    if (epoch + 1) % 2 == 0:
        print("Epoch:", "%04d" % (epoch + 1), "loss =", f"{loss:.6f}")
    loss.backward()
    optimizer.step()

test_text = "she likes this cake"
test_batch = torch.LongTensor(np.asarray([[word_dict[n] for n in test_text.split()]]))
predict = model(test_batch).data.max(1, keepdim=True)[1]
print(test_text, "is", "good" if predict[0][0] == 1 else "bad")
print(np.round(F.softmax(model(inputs), 1)[:, 1].detach().numpy(), 1).shape)

"""A little BERT: masked words and the next sentence, segments and positions, padding masks, attention written out."""

import math
import random
import re

import torch
import torch.nn as nn
import torch.optim as optim

maxlen, batch_size, max_pred, n_layers, n_heads, d_model, d_ff, d_k, d_v, n_segments = 24, 6, 4, 2, 4, 32, 64, 8, 8, 2
TEXT = (
    "Good morning, is the baker here?\n"
    "Yes, he is behind the oven.\n"
    "Does he sell the round bread today?\n"
    "He sells the round bread and the long bread.\n"
    "Then I take two of the long ones.\n"
    "Here you are, and good morning to you."
)


def get_attn_pad_mask(seq_q, seq_k):
    return seq_k.data.eq(0).unsqueeze(1).expand(seq_q.size(0), seq_q.size(1), seq_k.size(1))


def gelu(x):
    return x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))


class Embedding(nn.Module):
    def __init__(self, vocab_size):
        super().__init__()
        self.tok_embed, self.pos_embed, self.seg_embed = nn.Embedding(vocab_size, d_model), nn.Embedding(maxlen, d_model), nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x, seg):
        pos = torch.arange(x.size(1), dtype=torch.long).unsqueeze(0).expand_as(x)
        return self.norm(self.tok_embed(x) + self.pos_embed(pos) + self.seg_embed(seg))


class MultiHeadAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.W_Q, self.W_K, self.W_V = nn.Linear(d_model, d_k * n_heads), nn.Linear(d_model, d_k * n_heads), nn.Linear(d_model, d_v * n_heads)
        self.linear, self.norm = nn.Linear(n_heads * d_v, d_model), nn.LayerNorm(d_model)

    def forward(self, Q, K, V, attn_mask):
        residual, number = Q, Q.size(0)
        q, k, v = (w(t).view(number, -1, n_heads, d_k).transpose(1, 2) for w, t in ((self.W_Q, Q), (self.W_K, K), (self.W_V, V)))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(d_k)
        scores.masked_fill_(attn_mask.unsqueeze(1).repeat(1, n_heads, 1, 1), -1e9)
        attn = nn.Softmax(dim=-1)(scores)
        context = torch.matmul(attn, v).transpose(1, 2).contiguous().view(number, -1, n_heads * d_v)
        return self.norm(self.linear(context) + residual), attn


class EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc_self_attn = MultiHeadAttention()
        self.fc1, self.fc2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x, mask):
        x, attn = self.enc_self_attn(x, x, x, mask)
        return self.fc2(gelu(self.fc1(x))), attn


class BERT(nn.Module):
    def __init__(self, vocab_size):
        super().__init__()
        self.embedding = Embedding(vocab_size)
        self.layers = nn.ModuleList([EncoderLayer() for _ in range(n_layers)])
        self.fc, self.activ1 = nn.Linear(d_model, d_model), nn.Tanh()
        self.linear, self.activ2, self.norm = nn.Linear(d_model, d_model), gelu, nn.LayerNorm(d_model)
        self.classifier = nn.Linear(d_model, 2)
        embed_weight = self.embedding.tok_embed.weight
        n_vocab, n_dim = embed_weight.size()
        self.decoder = nn.Linear(n_dim, n_vocab, bias=False)
        self.decoder.weight = embed_weight
        self.decoder_bias = nn.Parameter(torch.zeros(n_vocab))

    def forward(self, input_ids, segment_ids, masked_pos):
        output = self.embedding(input_ids, segment_ids)
        mask = get_attn_pad_mask(input_ids, input_ids)
        for layer in self.layers:
            output, _ = layer(output, mask)
        logits_clsf = self.classifier(self.activ1(self.fc(output[:, 0])))
        masked_pos = masked_pos[:, :, None].expand(-1, -1, output.size(-1))
        h_masked = self.norm(self.activ2(self.linear(torch.gather(output, 1, masked_pos))))
        return self.decoder(h_masked) + self.decoder_bias, logits_clsf


def make_batch(tokens, vocabulary):
    batch, positive, negative = [], 0, 0
    while positive != batch_size / 2 or negative != batch_size / 2:
        a, b = random.randrange(len(tokens)), random.randrange(len(tokens))
        ids = [1, *tokens[a], 2, *tokens[b], 2]
        segments = [0] * (2 + len(tokens[a])) + [1] * (1 + len(tokens[b]))
        candidates = [i for i, t in enumerate(ids) if t > 3]
        random.shuffle(candidates)
        chosen = candidates[: min(max_pred, max(1, round(len(ids) * 0.15)))]
        masked = [ids[i] for i in chosen]
        for i in chosen:
            if random.random() < 0.8:
                ids[i] = 3
            elif random.random() < 0.5:
                ids[i] = random.randrange(4, len(vocabulary))
        pad, more = maxlen - len(ids), max_pred - len(chosen)
        ids, segments, masked, chosen = ids + [0] * pad, segments + [0] * pad, masked + [0] * more, chosen + [0] * more
        if a + 1 == b and positive < batch_size / 2:
            batch.append([ids, segments, masked, chosen, True])
            positive += 1
        elif a + 1 != b and negative < batch_size / 2:
            batch.append([ids, segments, masked, chosen, False])
            negative += 1
    return batch


random.seed(11)
torch.manual_seed(11)
sentences = re.sub(r"[.,!?\-]", "", TEXT.lower()).split("\n")
vocabulary = {"[PAD]": 0, "[CLS]": 1, "[SEP]": 2, "[MASK]": 3}
for word in " ".join(sentences).split():
    vocabulary.setdefault(word, len(vocabulary))
tokens = [[vocabulary[w] for w in s.split()] for s in sentences]
print(len(vocabulary), "words,", max(map(len, tokens)), "in the longest sentence")
model = BERT(len(vocabulary))
criterion = nn.CrossEntropyLoss()
optimizer = optim.Adam(model.parameters(), lr=0.002)
input_ids, segment_ids, masked_tokens, masked_pos, is_next = map(torch.LongTensor, zip(*make_batch(tokens, vocabulary)))
for epoch in range(30):
    optimizer.zero_grad()
    logits_lm, logits_clsf = model(input_ids, segment_ids, masked_pos)
    loss_lm = (criterion(logits_lm.transpose(1, 2), masked_tokens).float()).mean()
    loss_clsf = criterion(logits_clsf, is_next)
    loss = loss_lm + loss_clsf
    print(f"epoch {epoch + 1:02d} loss {loss.item():.6f} words {loss_lm.item():.5f} next {loss_clsf.item():.5f}")
    loss.backward()
    optimizer.step()
logits_lm, logits_clsf = model(input_ids[:1], segment_ids[:1], masked_pos[:1])
print("masked tokens", [t for t in masked_tokens[0].tolist() if t], "shape", tuple(logits_lm.data.max(2)[1][0].shape))
print("next", bool(is_next[0]), tuple(logits_clsf.data.max(1)[1].shape))

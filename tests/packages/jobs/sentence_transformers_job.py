"""sentence-transformers: a small model built on the spot, its sentences encoded, searched, trained, saved and loaded; a reranker beside it."""

import json
import os
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from sentence_transformers import CrossEncoder, InputExample, SentenceTransformer, losses, models, util
from tokenizers import Tokenizer, pre_tokenizers, processors, trainers
from tokenizers.models import WordLevel
from transformers import BertConfig, BertForSequenceClassification, BertModel, PreTrainedTokenizerFast, set_seed

TEXTS = ["a man plays the flute", "a woman plays a violin", "the dog runs after a ball", "a cat sleeps in the sun", "somebody makes music"]
PAIRS = [(0, 4, 0.9), (1, 4, 0.8), (0, 1, 0.7), (2, 3, 0.2), (0, 2, 0.1), (3, 4, 0.0)]


def save_base(folder):
    words = Tokenizer(WordLevel(unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    words.train_from_iterator(TEXTS, trainers.WordLevelTrainer(special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], show_progress=False))
    words.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", model_max_length=24)
    options = {"vocab_size": len(tokenizer), "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48, "max_position_embeddings": 24}
    for name, kind in {"words": BertModel, "pairs": BertForSequenceClassification}.items():
        set_seed(1)
        kind(BertConfig(**options, num_labels=1 if name == "pairs" else 2)).save_pretrained(f"{folder}/{name}")
        tokenizer.save_pretrained(f"{folder}/{name}")


found = {}
with tempfile.TemporaryDirectory() as folder:
    save_base(folder)
    transformer = models.Transformer(f"{folder}/words")
    model = SentenceTransformer(modules=[transformer, models.Pooling(32), models.Dense(32, 16), models.Normalize()], device="cpu")
    found["encoded"] = model.encode(TEXTS, convert_to_tensor=True, show_progress_bar=False).flatten().tolist()
    found["similar"] = model.similarity(model.encode(TEXTS[:2]), model.encode(TEXTS)).flatten().tolist()
    hits = util.semantic_search(model.encode(["a man plays music"], convert_to_tensor=True), model.encode(TEXTS, convert_to_tensor=True), top_k=2)[0]
    found["search"] = [hit[key] for hit in hits for key in ("corpus_id", "score")]

    examples = [InputExample(texts=[TEXTS[a], TEXTS[b]], label=label) for a, b, label in PAIRS]
    loss = losses.CosineSimilarityLoss(model)
    set_seed(2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    steps = []
    loader = torch.utils.data.DataLoader(examples, batch_size=3, shuffle=True, collate_fn=model.smart_batching_collate)
    model.train()
    for _ in range(3):
        for features, labels in loader:
            value = loss(features, labels)
            value.backward()
            optimizer.step()
            optimizer.zero_grad()
            steps.append(value.item())
    model.eval()
    found["losses"] = steps
    negatives = losses.MultipleNegativesRankingLoss(model)
    with torch.no_grad():
        found["ranking"] = [negatives([model.tokenize(TEXTS[:2]), model.tokenize([TEXTS[4], TEXTS[1]])], None).item()]
    found["trained"] = model.encode(TEXTS).flatten().tolist()
    model.save(f"{folder}/model")
    again = SentenceTransformer(f"{folder}/model", device="cpu")
    found["again"] = again.encode(TEXTS[:2], normalize_embeddings=True).flatten().tolist()

    reranker = CrossEncoder(f"{folder}/pairs", device="cpu", num_labels=1)
    found["reranked"] = reranker.predict([(TEXTS[0], TEXTS[4]), (TEXTS[2], TEXTS[3])]).tolist()
    found["order"] = [answer["corpus_id"] for answer in reranker.rank(TEXTS[0], TEXTS)]
print(json.dumps(found))

"""datasets: a data set made, mapped, filtered and given as tensors, to a DataLoader and to the Trainer of sentence-transformers."""

import json
import os
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from datasets import Dataset, load_from_disk
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
    losses,
    models,
)
from tokenizers import Tokenizer, pre_tokenizers
from tokenizers.models import WordLevel
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, set_seed

WORDS = "[PAD] [UNK] a man plays the flute woman violin dog runs cat sleeps somebody makes music".split()
TEXTS = ["a man plays the flute", "a woman plays a violin", "the dog runs", "a cat sleeps", "somebody makes music"]

found = {}
numbers = Dataset.from_dict({"x": [[float(i), i * 0.5] for i in range(12)], "kind": [i % 3 for i in range(12)]})
numbers = numbers.map(lambda row: {"y": sum(row["x"])}).filter(lambda row: row["kind"] != 2).shuffle(seed=0).with_format("torch")
found["rows"] = [value for row in numbers for value in (*row["x"].tolist(), row["kind"].item(), row["y"].item())]
found["column"] = numbers[:]["x"].sum(0).tolist()
torch.manual_seed(0)
loader = torch.utils.data.DataLoader(numbers, batch_size=3, shuffle=True)
found["batches"] = [value for batch in loader for value in (batch["x"] @ torch.tensor([1.0, 2.0])).tolist()]
mapped = numbers.map(lambda batch: {"z": batch["x"].pow(2).sum(1)}, batched=True)
found["mapped"] = mapped[:]["z"].tolist()

with tempfile.TemporaryDirectory() as folder:
    numbers.save_to_disk(f"{folder}/numbers")
    found["again"] = load_from_disk(f"{folder}/numbers")[0]["x"].tolist()
    words = Tokenizer(WordLevel({word: index for index, word in enumerate(WORDS)}, unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=words, pad_token="[PAD]", unk_token="[UNK]", model_max_length=16).save_pretrained(f"{folder}/words")
    set_seed(1)
    BertModel(BertConfig(vocab_size=len(WORDS), hidden_size=32, num_hidden_layers=1, num_attention_heads=4, intermediate_size=48, max_position_embeddings=16)).save_pretrained(
        f"{folder}/words")
    model = SentenceTransformer(modules=[models.Transformer(f"{folder}/words"), models.Pooling(32)], device="cpu")
    pairs = Dataset.from_dict({"anchor": TEXTS, "positive": TEXTS[1:] + TEXTS[:1]})
    arguments = SentenceTransformerTrainingArguments(folder, num_train_epochs=2, per_device_train_batch_size=3, learning_rate=1e-3, logging_steps=1, report_to=[], use_cpu=True,
                                                     disable_tqdm=True, save_strategy="no")
    trainer = SentenceTransformerTrainer(model=model, args=arguments, train_dataset=pairs, loss=losses.MultipleNegativesRankingLoss(model))
    trainer.train()
    found["losses"] = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    found["encoded"] = model.encode(TEXTS).flatten().tolist()
    model.save_pretrained(f"{folder}/trained")
print(json.dumps(found))

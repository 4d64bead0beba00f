"""transformers: the quick tour: a tokenizer learned from text, a classifier trained by Trainer, saved, loaded, and a generator, both in pipelines."""

import json
import os
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
    Trainer,
    TrainingArguments,
    pipeline,
    set_seed,
)

GOOD = ["a fine film", "what a lovely story", "the songs are a joy", "we laughed and we cried", "see it twice"]
BAD = ["a dull film", "what a long story", "the songs are noise", "we slept and we left", "see something else"]


class Reviews(torch.utils.data.Dataset):
    def __init__(self, tokenizer):
        self.items = [tokenizer(text) | {"label": label} for label, texts in enumerate((BAD, GOOD)) for text in texts]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        return self.items[index]


def make_tokenizer():
    words = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    words.train_from_iterator(GOOD + BAD, trainers.WordLevelTrainer(special_tokens=["[PAD]", "[UNK]", "[EOS]"], show_progress=False))
    return PreTrainedTokenizerFast(tokenizer_object=words, pad_token="[PAD]", unk_token="[UNK]", eos_token="[EOS]")


found = {}
with tempfile.TemporaryDirectory() as folder:
    make_tokenizer().save_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    batch = tokenizer(["a lovely film", "we slept twice and left"], padding=True, return_tensors="pt")
    found["ids"] = batch["input_ids"].flatten().tolist()

    set_seed(1)
    config = BertConfig(vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=16)
    model = BertForSequenceClassification(config)
    arguments = TrainingArguments(folder, num_train_epochs=2, per_device_train_batch_size=4, learning_rate=1e-3, logging_steps=1, save_strategy="epoch", eval_strategy="epoch",
                                  report_to=[], use_cpu=True, disable_tqdm=True)
    reviews = Reviews(tokenizer)
    trainer = Trainer(model=model, args=arguments, train_dataset=reviews, eval_dataset=reviews, data_collator=DataCollatorWithPadding(tokenizer), processing_class=tokenizer,
                      compute_metrics=lambda predicted: {"right": (predicted.predictions.argmax(-1) == predicted.label_ids).mean().item()})
    trainer.train()
    for key in ("loss", "grad_norm", "eval_loss", "eval_right"):
        found[key] = [float(entry[key]) for entry in trainer.state.log_history if key in entry]
    found["predicted"] = trainer.predict(reviews).predictions.flatten().tolist()
    trainer.save_model(f"{folder}/classifier")

    again = AutoModelForSequenceClassification.from_pretrained(f"{folder}/classifier")
    with torch.no_grad():
        found["logits"] = again(**batch).logits.flatten().tolist()
    classify = pipeline("text-classification", model=f"{folder}/classifier", device="cpu")
    found["scores"] = [answer["score"] for answer in classify(["a lovely film", "we slept twice and left"])]

    set_seed(2)
    generator = GPT2LMHeadModel(GPT2Config(vocab_size=len(tokenizer), n_positions=32, n_embd=32, n_layer=2, n_head=4, bos_token_id=2, eos_token_id=2, pad_token_id=0))
    generator.save_pretrained(f"{folder}/generator")
    tokenizer.save_pretrained(f"{folder}/generator")
    generator = AutoModelForCausalLM.from_pretrained(f"{folder}/generator")
    prompt = tokenizer("what a", return_tensors="pt", return_token_type_ids=False)
    found["greedy"] = generator.generate(**prompt, max_new_tokens=8, do_sample=False).flatten().tolist()
    found["beams"] = generator.generate(**prompt, max_new_tokens=8, num_beams=3, do_sample=False).flatten().tolist()
    set_seed(3)
    found["sampled"] = generator.generate(**prompt, max_new_tokens=8, do_sample=True, top_k=10, top_p=0.9, num_return_sequences=2).flatten().tolist()
    write = pipeline("text-generation", model=generator, tokenizer=tokenizer, device="cpu")
    text = write("we laughed", max_new_tokens=4, do_sample=False)[0]["generated_text"]
    found["written"] = tokenizer(text)["input_ids"]
print(json.dumps(found))

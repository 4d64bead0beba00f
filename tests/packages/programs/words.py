"""wordllama: sentences from one float16 table of 32,000 words, through the package's layers, forward and backward."""

from types import SimpleNamespace

from common import finish, need_numpy, package, report, stand_in

folder = package("wordllama", without_init="wordllama")
need_numpy()
stand_in("nltk.corpus")
stand_in("transformers", AutoTokenizer=SimpleNamespace(from_pretrained=lambda name: SimpleNamespace(vocab={"</s>": 2})))

import torch  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from wordllama.adapters.avg_pool import AvgPool  # noqa: E402
from wordllama.adapters.binarizer import Binarizer  # noqa: E402
from wordllama.adapters.mlp import MLP  # noqa: E402
from wordllama.embedding.word_llama_embedding import WordLlamaEmbedding  # noqa: E402

file = folder / "wordllama" / "weights" / "l2_supercat_256.safetensors"
table = load_file(file)["embedding.weight"]
words = (torch.arange(1, 49) ** 3 % 31991).reshape(4, 12)
mask = (torch.arange(12) < torch.tensor([[12], [7], [9], [1]])).long()
report(rows=table[words[:, :2]][..., ::16], total=table.float().abs().sum())

half = torch.nn.Embedding.from_pretrained(table)
report(half=half(words).mean(1)[:, ::4], half_pooled=AvgPool.avg_pool(half(words), mask, norm=True)[:, ::4])

config = SimpleNamespace(model=SimpleNamespace(n_vocab=32000, dim=256, hf_model_id="", pad_token="</s>"))
model = WordLlamaEmbedding.build(file, config)
report(keys=list(model.state_dict()), dtype=str(model.embedding.weight.dtype))
model.tokenizer = lambda texts, **settings: {"input_ids": words.clone(), "attention_mask": mask.clone()}
sentences = model.embed(["", "", "", ""], norm=True, return_pt=True)
report(sentences=sentences, likeness=sentences @ sentences.T)

tensors = model({"input_ids": words, "attention_mask": mask})
mlp = MLP(256, 16, 32, dropout=0.0)
with torch.no_grad():
    for i, p in enumerate(mlp.parameters()):
        p.copy_((torch.arange(p.numel()) * (i + 1) * 0.7).sin().reshape(p.shape) * 0.3)
pooled = AvgPool(norm=True)(mlp(tensors))
signs = Binarizer("tanh")(dict(pooled))["sentence_embedding"]
loss = (signs * torch.arange(16.0)).sum() + pooled["sentence_embedding"].square().sum(0).cumsum(0).sum()
loss.backward()
report(signs=signs, loss=loss, **{f"grad_{i}": p.grad.flatten()[::37] for i, p in enumerate(mlp.parameters())})

finish()

"""transformers: eleven families of models from small configurations: outputs, losses and three steps of training."""

import json
import os

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
import transformers
from transformers import set_seed

SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
WORDS = {"vocab_size": 60, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
TEXT = torch.tensor([[5, 9, 13, 7, 21, 2], [8, 4, 33, 2, 0, 0]])
SEEN = (TEXT != 0).long()
PICTURES = torch.linspace(-1, 1, 2 * 3 * 16 * 16).sin().reshape(2, 3, 16, 16)
READ = {"input_ids": TEXT, "attention_mask": SEEN}
WRITTEN = READ | {"labels": TEXT.masked_fill(TEXT == 0, -100)}
KINDS = {"labels": torch.tensor([0, 2])}
MODELS = {
    "GPT2LMHeadModel": ({"vocab_size": 60, "n_positions": 16, "n_embd": 32, "n_layer": 2, "n_head": 4, "bos_token_id": 1, "eos_token_id": 2}, WRITTEN),
    "BertForMaskedLM": (WORDS | SMALL | {"max_position_embeddings": 16}, WRITTEN),
    "RobertaForSequenceClassification": (WORDS | SMALL | {"max_position_embeddings": 16, "num_labels": 3}, READ | KINDS),
    "DistilBertForQuestionAnswering": (
        {"vocab_size": 60, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48, "max_position_embeddings": 16},
        READ | {"start_positions": torch.tensor([1, 0]), "end_positions": torch.tensor([3, 2])},
    ),
    "LlamaForCausalLM": (WORDS | SMALL | {"num_key_value_heads": 2, "max_position_embeddings": 16}, WRITTEN),
    "MixtralForCausalLM": (
        WORDS | SMALL | {"num_key_value_heads": 2, "max_position_embeddings": 16, "num_local_experts": 4, "output_router_logits": False}, WRITTEN,
    ),
    "T5ForConditionalGeneration": (
        {"vocab_size": 60, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4, "decoder_start_token_id": 0}, WRITTEN,
    ),
    "ViTForImageClassification": (SMALL | {"image_size": 16, "patch_size": 4, "num_labels": 3}, {"pixel_values": PICTURES} | KINDS),
    "WhisperForConditionalGeneration": (
        WORDS | {
            "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48,
            "num_mel_bins": 8, "max_source_positions": 20, "max_target_positions": 16, "decoder_start_token_id": 1, "suppress_tokens": [], "begin_suppress_tokens": [],
        },
        {"input_features": torch.linspace(0, 9, 2 * 8 * 40).cos().reshape(2, 8, 40), "labels": WRITTEN["labels"]},
    ),
    "CLIPModel": (
        {
            "text_config": WORDS | SMALL | {"max_position_embeddings": 16, "projection_dim": 16},
            "vision_config": SMALL | {"image_size": 16, "patch_size": 8, "projection_dim": 16}, "projection_dim": 16,
        },
        READ | {"pixel_values": PICTURES, "return_loss": True},
    ),
    "ResNetForImageClassification": (
        {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "layer_type": "basic", "num_labels": 3}, {"pixel_values": PICTURES} | KINDS,
    ),
}


def flat(outputs):
    """The first tensor of floating point that is not the loss: logits, in whatever the model calls them."""
    (first, *_) = (value for key, value in outputs.items() if key != "loss" and isinstance(value, torch.Tensor) and value.is_floating_point() and value.dim())
    return first.flatten()[:64].tolist()


found = {}
for name, (options, inputs) in MODELS.items():
    set_seed(4)
    kind = getattr(transformers, name)
    model = kind(kind.config_class(**options))
    model.eval()
    with torch.no_grad():
        found[f"{name} outputs"] = flat(model(**inputs))
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(3):
        loss = model(**inputs).loss
        loss.backward()
        losses.append(loss.item())
        if len(losses) == 1:
            found[f"{name} gradients"] = [parameter.grad.norm().item() for parameter in model.parameters() if parameter.grad is not None]
        optimizer.step()
        optimizer.zero_grad()
    found[f"{name} losses"] = losses
    model.eval()
    if model.can_generate():
        prompt = {key: value[:1, :3] if key != "input_features" else value[:1] for key, value in inputs.items() if key != "labels"}
        found[f"{name} generates"] = model.generate(**prompt, max_new_tokens=5, do_sample=False).flatten().tolist()
print(json.dumps(found))

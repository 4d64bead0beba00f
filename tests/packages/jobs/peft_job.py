"""peft: LoRA put into a small GPT-2, trained, saved, loaded and merged; IA3 and prompts trained beside it."""

import json
import os
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from peft import IA3Config, LoraConfig, PeftModel, PromptTuningConfig, get_peft_model
from transformers import GPT2Config, GPT2LMHeadModel, set_seed

TEXT = torch.tensor([[5, 9, 13, 7, 21, 2], [8, 4, 33, 2, 11, 3]])


def base():
    set_seed(1)
    return GPT2LMHeadModel(GPT2Config(vocab_size=40, n_positions=16, n_embd=32, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=2, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0))


def logits(model):
    with torch.no_grad():
        return model(input_ids=TEXT).logits[:, -1].flatten().tolist()


found = {}
kinds = {
    "lora": LoraConfig(task_type="CAUSAL_LM", r=4, lora_alpha=8, target_modules=["c_attn"], fan_in_fan_out=True),
    "dora": LoraConfig(task_type="CAUSAL_LM", r=4, use_dora=True, target_modules=["c_attn"], fan_in_fan_out=True, lora_dropout=0.1),
    "ia3": IA3Config(task_type="CAUSAL_LM", target_modules=["c_attn", "mlp.c_proj"], feedforward_modules=["mlp.c_proj"], fan_in_fan_out=True),
    "prompts": PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=3),
}
for name, config in kinds.items():
    model = get_peft_model(base(), config)
    model.train()
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    found[f"{name} trainable"] = [sum(parameter.numel() for parameter in trained)]
    optimizer = torch.optim.AdamW(trained, lr=0.01)
    losses = []
    for _ in range(4):
        loss = model(input_ids=TEXT, labels=TEXT).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    model.eval()
    found |= {f"{name} losses": losses, f"{name} logits": logits(model)}
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        again = PeftModel.from_pretrained(base(), folder)
    again.eval()
    found[f"{name} again"] = logits(again)
    if name != "prompts":
        found[f"{name} merged"] = logits(again.merge_and_unload())
print(json.dumps(found))

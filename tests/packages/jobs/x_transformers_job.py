"""x-transformers: ten variants of its layers, a language model trained and sampled, encoder and decoder, pictures, continuous values, memories."""

import json
import random

import torch
from x_transformers import (
    AutoregressiveWrapper,
    ContinuousTransformerWrapper,
    Decoder,
    Encoder,
    TransformerWrapper,
    ViTransformerWrapper,
    XLAutoregressiveWrapper,
    XTransformer,
)

SMALL = {"dim": 32, "depth": 2, "heads": 4, "attn_dim_head": 8}
VARIANTS = {
    "plain": {}, "flash": {"attn_flash": True, "rotary_pos_emb": True}, "norms": {"use_rmsnorm": True, "sandwich_norm": True, "attn_qk_norm": True},
    "feeds": {"ff_glu": True, "ff_swish": True, "ff_no_bias": True}, "positions": {"alibi_pos_bias": True, "alibi_num_heads": 2}, "relative": {"rel_pos_bias": True},
    "dynamic": {"dynamic_pos_bias": True}, "gates": {"attn_gate_values": True, "gate_residual": True}, "sparse": {"attn_sparse_topk": 3},
    "groups": {"attn_kv_heads": 2, "attn_pre_talking_heads": True}, "dropout": {"attn_dropout": 0.1, "ff_dropout": 0.1, "layer_dropout": 0.1},
    "memories": {"attn_num_mem_kv": 3, "shift_tokens": 1},
}
TEXT = torch.arange(2 * 17).reshape(2, 17) * 7 % 23


def trained(model, *inputs, steps=3, **options):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(steps):
        loss = model(*inputs, **options)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


found = {}
random.seed(0)
for name, options in VARIANTS.items():
    torch.manual_seed(0)
    model = AutoregressiveWrapper(TransformerWrapper(num_tokens=23, max_seq_len=32, attn_layers=Decoder(**SMALL, **options)))
    found[name] = trained(model, TEXT)
    model.eval()
    found[f"{name} writes"] = model.generate(TEXT[:, :4], 6, temperature=0.0).flatten().tolist()
torch.manual_seed(1)
found["sampled"] = model.generate(TEXT[:, :4], 8, filter_logits_fn="top_p", filter_kwargs={"thres": 0.9}).flatten().tolist()

torch.manual_seed(2)
both = XTransformer(dim=32, enc_num_tokens=23, enc_depth=1, enc_heads=2, enc_max_seq_len=32, dec_num_tokens=23, dec_depth=1, dec_heads=2, dec_max_seq_len=32,
                    tie_token_emb=True)
found["translated"] = trained(both, TEXT, TEXT.flip(1), mask=TEXT > 2)
seer = ViTransformerWrapper(image_size=16, patch_size=4, num_classes=3, attn_layers=Encoder(**SMALL))
found["seen"] = seer(torch.linspace(-1, 1, 1536).sin().reshape(2, 3, 16, 16)).flatten().tolist()
smooth = ContinuousTransformerWrapper(dim_in=5, dim_out=4, max_seq_len=16, attn_layers=Encoder(**SMALL))
found["smooth"] = smooth(torch.linspace(0, 9, 80).cos().reshape(2, 8, 5), mask=torch.arange(8).expand(2, 8) < 6).flatten().tolist()
long = XLAutoregressiveWrapper(TransformerWrapper(num_tokens=23, max_seq_len=8, max_mem_len=8, attn_layers=Decoder(**SMALL, rel_pos_bias=True)))
found["long"] = trained(long, TEXT)
print(json.dumps(found))

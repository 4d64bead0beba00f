"""Queries that may look nowhere: they give zeros, and pass no gradient and no NaN to anything."""

import pytest

import pywasmtorch as torch

nn, F = torch.nn, torch.nn.functional
inf = float("inf")

NOWHERE = [[0.0, -inf, 0.0], [-inf, -inf, -inf], [0.5, 1.0, -inf]]  # its second row
DTYPES = [(torch.float64, 1e-12), (torch.float32, 1e-5), (torch.float16, 5e-3), (torch.bfloat16, 4e-2)]


def inputs(dtype):
    base = torch.arange(24.0, dtype=torch.float64).reshape(2, 3, 4)
    return [torch.sin(base * step).to(dtype).requires_grad_() for step in (0.1, 0.37, 0.77)]


def wave(*shape, dtype=torch.float32):
    return torch.arange(float(torch.Size(shape).numel())).reshape(shape).mul(1.7).cos().to(dtype)


LAYERS = {
    False: [[0.011671514, 0.041452747, -0.12020417, 0.067079894], [-0.08089982, 0.18936171, -0.17216425, 0.048268005], [-0.0081692645, 0.005185388, -0.034661021, 0.031469118]],
    True: [[0.98951161, -0.11723053, -0.95785135, 0.36790571], [0.89409184, -0.54723978, -0.66854674, 0.77040398], [0.42779145, -0.96852958, -0.32509634, 0.89643574]],
}


def close(a, b, tolerance):
    torch.testing.assert_close(a.double(), b.double(), rtol=tolerance, atol=tolerance)


def test_a_wholly_masked_row_of_ones():
    q = torch.ones(1, 2, 2, requires_grad=True)
    F.scaled_dot_product_attention(q, q, q, attn_mask=torch.tensor([[0.0, 0.0], [-inf, -inf]])).sum().backward()
    assert q.grad.tolist() == [[[0.5, 0.5], [0.5, 0.5]]]


@pytest.mark.parametrize(("dtype", "tolerance"), DTYPES, ids=str)
@pytest.mark.parametrize("boolean", [False, True])
def test_gradients_are_those_of_the_other_rows(dtype, tolerance, boolean):
    mask = torch.tensor(NOWHERE, dtype=dtype)
    mask = mask > -1 if boolean else mask
    q, k, v = inputs(dtype)
    result = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    (result * wave(2, 3, 4, dtype=dtype)).sum().backward()
    rows = [0, 2]
    p, key, value = inputs(dtype)
    other = F.scaled_dot_product_attention(p[:, rows], key, value, attn_mask=mask[rows])
    (other * wave(2, 3, 4, dtype=dtype)[:, rows]).sum().backward()
    assert result[:, 1].eq(0).all() and q.grad[:, 1].eq(0).all()
    close(result[:, rows], other, tolerance)
    for a, b in ((q, p), (k, key), (v, value)):
        close(a.grad, b.grad, tolerance)


def test_the_masks_own_gradient():
    q, k, v = inputs(torch.float64)
    mask = torch.tensor(NOWHERE, dtype=torch.float64, requires_grad=True)
    result = F.scaled_dot_product_attention(q.detach(), k.detach(), v.detach(), attn_mask=mask)
    (result * wave(2, 3, 4, dtype=torch.float64)).sum().backward()
    assert mask.grad[1].eq(0).all() and mask.grad[0, 1] == 0 and mask.grad[2, 2] == 0
    recorded = [[0.0213826977, 0.0, -0.0213826977], [0.0, 0.0, 0.0], [-0.24552313, 0.24552313, 0.0]]
    close(mask.grad, torch.tensor(recorded, dtype=torch.float64), 1e-7)


def test_second_derivatives_stay_finite():
    q, k, v = inputs(torch.float64)
    mask = torch.tensor(NOWHERE, dtype=torch.float64)
    (first,) = torch.autograd.grad(F.scaled_dot_product_attention(q, k, v, attn_mask=mask).pow(2).sum(), q, create_graph=True)
    first.pow(2).sum().backward()
    assert all(x.grad.isfinite().all() for x in (q, k, v)) and q.grad[:, 1].eq(0).all()


def filled(module):
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(torch.arange(float(p.numel())).reshape(p.shape).mul(0.13).add(0.1).sin().mul(0.5))
    return module


CAUSAL = torch.full((3, 3), -inf).triu(1)
LEFT_PADDED = torch.tensor([[-inf, 0.0, 0.0], [0.0, 0.0, 0.0]])


def test_heads_without_weights():
    attention = filled(nn.MultiheadAttention(4, 2, batch_first=True))
    x = inputs(torch.float32)[0]
    result, _ = attention(x, x, x, attn_mask=CAUSAL, key_padding_mask=LEFT_PADDED, need_weights=False)
    assert torch.equal(result[0, 0], attention.out_proj.bias)
    (result * wave(2, 3, 4)).sum().backward()
    assert all(p.grad.isfinite().all() for p in (x, *attention.parameters()))
    close(x.grad[0], torch.tensor([[0.0, 0.0, 0.0, 0.0], [0.039037026, 0.033054292, 0.02651374, 0.019525731], [-0.079288036, -0.076615497, -0.072649963, -0.067458391]]), 1e-5)


def test_heads_with_weights_show_nan():
    attention = filled(nn.MultiheadAttention(4, 2, batch_first=True))
    x = inputs(torch.float32)[0]
    result, weights = attention(x, x, x, attn_mask=CAUSAL, key_padding_mask=LEFT_PADDED)
    assert result[0, 0].isnan().all() and weights[0, 0].isnan().all() and result[0, 1:].isfinite().all()


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("boolean", [False, True])
def test_layers_of_a_left_padded_sample(norm_first, boolean):
    mask, padding = (m < 0 if boolean else m for m in (CAUSAL, LEFT_PADDED))
    encoder = filled(nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True, norm_first=norm_first))
    decoder = filled(nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0, batch_first=True, norm_first=norm_first))
    x = inputs(torch.float32)[0]
    memory = encoder(x, src_mask=mask, src_key_padding_mask=padding)
    result = decoder(x, memory, tgt_mask=mask, tgt_key_padding_mask=padding, memory_mask=mask, memory_key_padding_mask=padding)
    (result * wave(2, 3, 4)).sum().backward()
    assert all(p.grad.isfinite().all() for p in (x, *encoder.parameters(), *decoder.parameters()))
    close(x.grad[0], torch.tensor(LAYERS[norm_first]), 2e-5)

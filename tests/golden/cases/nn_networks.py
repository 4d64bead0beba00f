"""Recurrent networks, Transformers, lazy modules, nn.utils."""

import copy
import pickle
import warnings

from ..dsl import error_of, program


def gradients(module):
    return [param.grad for param in module.parameters()]


def state(module):
    return {key: value.detach().clone() for key, value in module.state_dict().items()}


@program
def packed_sequences(torch):
    rnn, nn = torch.nn.utils.rnn, torch.nn
    sequences = [torch.randn(n, 2) for n in (2, 5, 3)]
    packed = rnn.pack_sequence(sequences, enforce_sorted=False)
    results = {"fields": list(packed), "unpacked": rnn.unpack_sequence(packed), "double": packed.double().data}
    results["padded"] = rnn.pad_sequence(sequences, batch_first=True, padding_value=1.0, padding_side="left")
    results["unpadded"] = rnn.unpad_sequence(rnn.pad_sequence(sequences), torch.tensor([2, 5, 3]))
    for kind in ("LSTM", "GRU", "RNN"):
        module = getattr(nn, kind)(2, 3, 2, bidirectional=True)
        output, hidden = module(packed)
        padded, lengths = rnn.pad_packed_sequence(output, batch_first=True, total_length=7, padding_value=-1.0)
        padded.sum().backward()
        h0 = torch.randn(4, 3, 3)
        again = module(packed, (h0, h0 * 2) if kind == "LSTM" else h0)[0].data.detach()
        results[kind] = [padded.detach(), lengths, *(h.detach() for h in (hidden if kind == "LSTM" else [hidden])), gradients(module), again]
    results["errors"] = [
        error_of(lambda: rnn.pack_padded_sequence(torch.randn(5, 2, 1), [2, 5]), "enforce_sorted"),
        error_of(lambda: rnn.pack_padded_sequence(torch.randn(5, 2, 1), [2, 0]), "greater than 0"),
        error_of(lambda: rnn.pad_packed_sequence(packed, total_length=3), "total_length"),
        error_of(lambda: rnn.pad_sequence([])),
    ]
    return results


@program
def recurrent_twice(torch):
    """Second derivatives, through the padding of a packed sequence, too."""
    results = {}
    for name, options in {"LSTM": {}, "GRU": {"bidirectional": True}, "RNN": {}, "LSTM proj": {"proj_size": 2, "bidirectional": True}}.items():
        module = getattr(torch.nn, name.split()[0])(2, 3, **options).double()
        x = torch.randn(4, 2, 2, dtype=torch.float64, requires_grad=True)
        (grad,) = torch.autograd.grad((module(x)[0] ** 2).sum(), x, create_graph=True)
        (grad**2).sum().backward()
        results[name] = [grad.detach(), x.grad, gradients(module)]
    return results


@program
def recurrent_details(torch):
    nn = torch.nn
    results = {"repr": [repr(m) for m in (
        nn.LSTM(2, 3, 2, bias=False, batch_first=True, dropout=0.5, bidirectional=True, proj_size=1), nn.RNN(2, 3, nonlinearity="relu"), nn.GRU(4, 4),
        nn.RNNCell(2, 3, False, "relu"), nn.LSTMCell(2, 3, bias=False), nn.GRUCell(1, 2),
    )]}
    module = nn.LSTM(4, 5, 3, dropout=0.5, bidirectional=True)
    results["dropout"] = module(torch.randn(6, 3, 4))[0].detach()
    half = nn.GRU(4, 5).to(torch.bfloat16)
    output, _ = half(torch.randn(6, 3, 4).to(torch.bfloat16))
    results["bfloat16"] = str(output.dtype)
    results["empty batch"] = [value.detach() for value in nn.GRU(2, 3)(torch.randn(2, 0, 2))]
    results["copy"] = copy.deepcopy(module).eval()(torch.ones(2, 4))[0].detach()
    results["pickled"] = pickle.loads(pickle.dumps(module)).eval()(torch.ones(2, 4))[0].detach()
    weights = [torch.full((12, 2), 0.1), torch.full((12, 3), 0.2)]
    zeros = torch.zeros(1, 2, 3)
    results["function"] = list(torch.lstm(torch.randn(3, 2, 2), (zeros, zeros), weights, False, 1, 0.0, False, False, False))
    results["cell function"] = torch.gru_cell(torch.randn(2, 2), torch.randn(2, 3), torch.ones(9, 2) / 7, torch.ones(9, 3) / 9)
    lstm = nn.LSTM(2, 3)
    results["errors"] = [
        error_of(lambda: lstm(torch.randn(2, 2, 4)), "input.size(-1) must be equal to input_size"),
        error_of(lambda: lstm(torch.randn(2, 2, 2), (torch.randn(1, 3, 3), torch.randn(1, 2, 3))), "hidden[0]"),
        error_of(lambda: lstm(torch.randn(2)), "2D or 3D"),
        error_of(lambda: lstm(torch.randn(2, 2, 2).double()), "dtype"),
        error_of(lambda: lstm(torch.randn(0, 2, 2)), "larger than 0"),
        error_of(lambda: nn.GRU(2, 3, proj_size=1), "proj_size"),
        error_of(lambda: nn.LSTM(2, 3, proj_size=3), "smaller than hidden_size"),
        error_of(lambda: nn.RNN(2, 3, nonlinearity="sin"), "nonlinearity"),
        error_of(lambda: nn.LSTM(2, 0), "greater than zero"),
        error_of(lambda: nn.LSTMCell(2, 3)(torch.randn(2, 3)), "input_size"),
        error_of(lambda: nn.GRUCell(2, 3)(torch.randn(2, 2), torch.randn(3, 3)), "batch size"),
    ]
    return results


@program
def transformers(torch):
    nn = torch.nn
    module = nn.Transformer(8, 2, 1, 2, 16)
    results = {"repr": repr(module), "state": state(module)}
    mask = module.generate_square_subsequent_mask(3)
    output = module(torch.randn(4, 2, 8), torch.randn(3, 2, 8), tgt_mask=mask)
    output.sum().backward()
    results["output"], results["gradients"] = output.detach(), gradients(module)
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2).eval()
    source, padding = torch.randn(2, 4, 8), torch.tensor([[False] * 4, [False, False, True, True]])
    with torch.no_grad():
        results["padding left out"] = encoder(source, src_key_padding_mask=padding)
    results["padding"] = encoder(source, src_key_padding_mask=padding).detach()
    attention = nn.MultiheadAttention(4, 2, add_bias_kv=True, kdim=3)
    results["attention"] = [repr(attention), state(attention)]
    results["errors"] = [
        error_of(lambda: nn.MultiheadAttention(5, 2), "divisible"),
        error_of(lambda: module(torch.randn(4, 2, 8), torch.randn(3, 1, 8)), "batch number"),
        error_of(lambda: module(torch.randn(4, 2, 6), torch.randn(3, 2, 8)), "d_model"),
        error_of(lambda: nn.TransformerEncoderLayer(4, 2, activation="sin"), "relu/gelu"),
    ]
    return results


@program
def adaptive_softmax(torch):
    module = torch.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10, 15], div_value=2.0, head_bias=True)
    x, target = torch.randn(7, 8), torch.tensor([0, 5, 12, 18, 19, 3, 9])
    result = module(x, target)
    result.loss.backward()
    return {
        "repr": repr(module), "state": state(module), "result": [value.detach() for value in result], "gradients": gradients(module),
        "all": module.log_prob(x).detach(), "predicted": module.predict(x), "single": module(x[0], target[0]).output.detach(),
        "errors": [
            error_of(lambda: torch.nn.AdaptiveLogSoftmaxWithLoss(8, 20, [4, 10, 25]), "cutoffs"),
            error_of(lambda: module(x, target + 10), "[0, 19]"),
        ],
    }  # fmt: skip


@program
def lazy_modules(torch):
    nn = torch.nn

    def make():
        return nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d(), nn.ReLU(), nn.LazyLinear(2, bias=False))

    module, other, x = make(), make(), torch.randn(5, 3)
    results = {"before": repr(module), "names": list(module.state_dict())}
    module.double()
    module.float()
    results["output"] = module(x).detach()
    results["after"], results["state"] = repr(module), state(module)
    other.load_state_dict(module.state_dict())
    results["loaded"] = [other(x).detach(), repr(other)]
    param = nn.LazyLinear(4).weight
    results["kinds"] = [type(param).__name__, isinstance(param, nn.Parameter), type(nn.LazyBatchNorm1d().running_mean).__name__, repr(param)]
    results["errors"] = [
        error_of(lambda: torch.add(param, 1), "uninitialized parameter"),
        error_of(lambda: param.shape, "shape of an uninitialized"),
        error_of(lambda: nn.Linear(2, 4).load_state_dict(nn.LazyLinear(4).state_dict()), "uninitialized"),
        error_of(lambda: nn.LazyConv2d(3, 2)(torch.randn(4, 4)), "Expected 3D (unbatched) or 4D (batched)"),
    ]
    return results


@program
def normalised_weights(torch):
    nn, utils = torch.nn, torch.nn.utils
    results = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        older = utils.weight_norm(nn.Conv1d(3, 4, 2), dim=None)
        plain = utils.weight_norm(nn.Linear(3, 4))
    module = utils.parametrizations.weight_norm(nn.Linear(3, 4))
    x = torch.randn(2, 3)
    for name, layer, value in (("hook", older, torch.randn(2, 3, 5)), ("parametrization", module, x)):
        layer(value).sum().backward()
        results[name] = [repr(layer), state(layer), gradients(layer), layer(value).detach()]
    results["removed"] = state(utils.remove_weight_norm(older))
    results["older file"] = [str(module.load_state_dict(plain.state_dict())), module(x).detach(), copy.deepcopy(module)(x).detach()]
    for name, function in (("spectral hook", utils.spectral_norm), ("spectral", utils.parametrizations.spectral_norm)):
        layer, value = function(nn.ConvTranspose2d(3, 4, 2)), torch.randn(2, 3, 5, 5)
        layer(value).sum().backward()
        results[name] = [repr(layer), state(layer), gradients(layer), layer(value).detach(), str(dict(layer.state_dict()._metadata)[""])]
        results[f"{name} evaluated"] = layer.eval()(value).detach()
    results["fixed"] = state(utils.remove_spectral_norm(utils.spectral_norm(nn.Linear(3, 4))))
    return results


normalised_weights.tolerance = 1e-4


@program
def orthogonal_weights(torch):
    results = {}
    for kind in ("matrix_exp", "cayley", "householder"):
        for size in ((3, 4), (4, 3), (4, 4)):
            module = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(*size), orthogonal_map=kind, use_trivialization=False)
            module(torch.ones(2, size[0])).sum().backward()
            results[f"{kind} {size}"] = [module.weight.detach(), module.parametrizations.weight.original.grad, repr(module)]
    module = torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(4, 4))
    results["default"] = [module.weight.detach(), list(module.state_dict())]
    module.weight = torch.eye(4).flip(0)
    results["assigned"] = module.weight.detach()
    return results


orthogonal_weights.tolerance = 1e-4


@program
def parametrized(torch):
    nn, parametrize = torch.nn, torch.nn.utils.parametrize

    class Symmetric(nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).transpose(-1, -2)

        def right_inverse(self, a):
            return a.triu()

    class Narrow(nn.Module):
        def forward(self, x):
            return x[:1]

    module = nn.Linear(3, 3)
    parametrize.register_parametrization(module, "weight", Symmetric())
    results = {"repr": repr(module), "weight": module.weight.detach()}
    with parametrize.cached():
        results["cached"] = module.weight is module.weight
    module.weight = torch.eye(3)
    results["assigned"] = [module.weight.detach(), copy.deepcopy(module).weight.detach(), list(module.state_dict())]
    results["asked"] = [parametrize.is_parametrized(module), parametrize.is_parametrized(module, "bias"), parametrize.type_before_parametrizations(module).__name__]
    results["errors"] = [
        error_of(lambda: parametrize.register_parametrization(nn.Linear(3, 3), "weight", Narrow()), "shape"),
        error_of(lambda: parametrize.register_parametrization(nn.Linear(3, 3), "height", Narrow()), "height"),
        error_of(lambda: parametrize.remove_parametrizations(nn.Linear(3, 3), "weight"), "parametrization"),
    ]
    parametrize.remove_parametrizations(module, "weight")
    results["removed"] = [repr(module), state(module), type(module).__name__, [name for name, _ in module.named_parameters()]]
    return results


@program
def pruned(torch):
    import importlib

    prune, nn = importlib.import_module(f"{torch.__name__}.nn.utils.prune"), torch.nn
    module = nn.Conv2d(3, 4, 2)
    results = {"l1": state(prune.l1_unstructured(module, "weight", 0.3))}
    results["ln"] = state(prune.ln_structured(module, "weight", 1, 2, 0))
    results["output"] = module(torch.ones(1, 3, 3, 3)).detach()
    prune.random_unstructured(module, "bias", 2)
    prune.random_structured(module, "weight", 1, 1)
    results["random"] = [state(module), prune.is_pruned(module), [type(hook).__name__ for hook in module._forward_pre_hooks.values()]]
    prune.remove(module, "weight")
    results["removed"] = state(prune.remove(module, "bias"))
    a, b = nn.Linear(3, 4), nn.Linear(4, 2)
    prune.global_unstructured([(a, "weight"), (b, "weight")], pruning_method=prune.L1Unstructured, amount=0.4)
    prune.custom_from_mask(a, "bias", torch.tensor([1, 0, 1, 0]))
    results["global"] = [state(a), state(b), a.bias.detach(), prune.identity(b, "bias").bias.detach()]
    results["errors"] = [
        error_of(lambda: prune.l1_unstructured(nn.Linear(2, 2), "weight", 7), "amount"),
        error_of(lambda: prune.remove(nn.Linear(2, 2), "weight"), "pruned"),
        error_of(lambda: prune.l1_unstructured(nn.Linear(2, 2), "weight", -0.5), "amount"),
    ]
    return results


@program
def fused_and_further(torch):
    nn, utils = torch.nn, torch.nn.utils
    conv, transposed, norm = nn.Conv2d(2, 3, 2), nn.ConvTranspose2d(2, 3, 2, bias=False).eval(), nn.BatchNorm2d(3)
    x = torch.randn(4, 2, 5, 5)
    norm(conv(x))
    conv.eval()
    norm.eval()
    results = {"fused": utils.fusion.fuse_conv_bn_eval(conv, norm)(x).detach()}
    results["fused transposed"] = utils.fusion.fuse_conv_bn_eval(transposed, norm, transpose=True)(x).detach()
    results["fused linear"] = utils.fuse_linear_bn_eval(nn.Linear(5, 3).eval(), nn.BatchNorm1d(3).eval())(torch.ones(2, 5)).detach()
    results["not in training"] = error_of(lambda: utils.fusion.fuse_conv_bn_eval(nn.Conv2d(2, 3, 2), norm), "eval")
    y = torch.randn(2, 6, 3, 3)
    results["older LRN"] = [nn.CrossMapLRN2d(3, 0.1, 0.75, 2)(y), nn.CrossMapLRN2d(4, 0.1, 0.75, 2)(y), repr(nn.CrossMapLRN2d(5))]
    weight, grad = torch.randn(3, 2, 3, 3), torch.randn(1, 3, 3, 3)
    results["gradients"] = [nn.grad.conv2d_input((1, 2, 5, 5), weight, grad), nn.grad.conv2d_weight(torch.randn(1, 2, 5, 5), (3, 2, 3, 3), grad)]
    results["skipped"] = list(utils.skip_init(nn.Linear, 3, 4).weight.shape)
    results["next number"] = torch.rand(3)
    parallel = nn.DataParallel(nn.Linear(2, 3))
    results["parallel"] = [repr(parallel), parallel(torch.ones(1, 2)).detach(), state(parallel)]
    backends = nn.attention.SDPBackend
    with nn.attention.sdpa_kernel([backends.MATH, backends.FLASH_ATTENTION]):
        results["attention"] = nn.functional.scaled_dot_product_attention(y, y, y)
    results["backends"] = [backend.name for backend in (backends.MATH, backends.EFFICIENT_ATTENTION)]
    return results

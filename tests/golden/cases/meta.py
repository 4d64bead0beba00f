"""Meta tensors: creation, moves, what may be asked of them and what not, modules, gradients, checkpoints, sizes beyond any memory."""

import copy
import io
import pickle
import warnings

from ..dsl import program

CREATED = [
    "empty(3, 4, device='meta')", "zeros(2, device='meta')", "ones(2, dtype=torch.int64, device='meta')", "full((2,), 7, device='meta')",
    "tensor([1, 2], device='meta')", "tensor(1.5, device='meta', requires_grad=True)", "as_tensor([1.0], device='meta')",
    "as_tensor(torch.ones(2), device='meta')", "asarray([1], device='meta')", "arange(5, device='meta')", "arange(1, 2, 0.25, device='meta')",
    "linspace(0, 1, 5, device='meta')", "linspace(0, 9, 4, dtype=torch.int32, device='meta')", "logspace(0, 1, 3, device='meta')",
    "eye(2, 3, device='meta')", "rand(2, device='meta')", "randn(2, dtype=torch.complex64, device='meta')", "randint(3, (2,), device='meta')",
    "randperm(4, device='meta')", "empty_strided((2, 3), (1, 2), device='meta').stride()", "empty_permuted((2, 3), (1, 0), device='meta').stride()",
    "scalar_tensor(2.0, device='meta')", "tril_indices(3, 3, device='meta')", "hann_window(4, device='meta')", "kaiser_window(5, device='meta')",
    "fft.fftfreq(4, device='meta')", "fft.rfftfreq(5, device='meta')", "signal.windows.gaussian(4, device='meta')",
    "empty_like(torch.ones(2, 3).t(), device='meta').stride()", "zeros_like(torch.ones(2), device='meta')", "randn_like(torch.ones(2), device='meta')",
    "ones(2).new_zeros(3, device='meta')", "ones(2).new_tensor([1], device='meta')", "empty(2, device='meta:0').device", "empty(2, device=torch.device('meta', 1)).device",
    "zeros_like(torch.empty(2, device='meta'), device='cpu')", "zeros_like(torch.empty(2, device='meta'))", "empty(2, device='meta').new_zeros(3)",
    "empty(2, device='meta').new_full((2,), 1.0)", "empty(2, device='meta').new_tensor([1.0])", "empty(2, device='meta').new_zeros(3, device='cpu')",
    "UntypedStorage(4, device='meta')", "empty(2, 3, dtype=torch.bfloat16, device='meta')", "empty(0, device='meta')", "empty((), device='meta')",
    "empty(2, device='meta', requires_grad=True)", "Tensor(2, device='meta')",
]
ASKED = [
    "m.device", "m.is_meta", "m.is_cpu", "m.get_device()", "m.dtype", "m.shape", "m.stride()", "m.numel()", "m.nbytes", "m.data_ptr()", "m.type()", "repr(m)", "f'{z}'",
    "m.storage_offset()", "m[1].storage_offset()", "m.untyped_storage()", "m.untyped_storage().nbytes()", "m.storage().device", "len(m)", "list(m)[0]", "m.t().stride()",
    "m[1:, ::2].stride()", "m.view(12).shape", "m.unbind()[2]", "m.split(2)[1]", "m[i]", "m[i, i]", "m[[0, 1]]", "m[c > 0]", "m[..., None].shape", "m == 1", "m + s", "s + m", "s + z",
    "m.add_(1) is m", "m._version > 0", "m.fill_(2)", "m.zero_()", "m.copy_(c)", "m.uniform_()", "m.resize_(2, 2).shape", "torch.where(b, m, 1.0)", "torch.where(b, m, s)",
    "m.half()", "m.to(torch.float64)", "m.to('meta') is m", "c.to('meta')", "c.to(device='meta', dtype=torch.float16)", "c.to(m).device", "c.t().to('meta').stride()",
    "m.index_select(0, i)", "m.gather(0, i.view(1, 2))", "torch.nn.functional.embedding(i, m)", "m.sum()", "m.sort()[1]", "m.all()", "m.any(1)", "torch._is_all_true(b)", "m.contiguous() is m",
    "m.clone()", "m.detach()", "m.expand(2, 3, 4).stride()", "copy.deepcopy(m)", "copy.deepcopy(m.t()[1:]).stride()", "copy.copy(m)", "pickle.loads(pickle.dumps(m.t())).stride()",
    "torch.broadcast_tensors(m, c)[1]", "m.share_memory", "torch.nonzero_static(m, size=5)", "torch.repeat_interleave(i.to('meta'), output_size=7)",
    "torch.nn.functional.one_hot(i.to('meta'), 5)", "torch.quantile(m, 0.5)", "torch.multinomial(m, 2)", "torch.bernoulli(m)", "torch.nn.functional.dropout(m)", "m.__setitem__(b, 0)", "m.__setitem__(m > 0, 1.5)", "m.__setitem__([0, 1], 2)", "m.__setitem__(i, 3)", "m.__setitem__(slice(1, None), c[1:])",
    "m.expand_as(c)", "c.expand_as(m).device", "m.view_as(c)", "torch.result_type(m, c)", "torch.add(m, m, out=torch.empty(0, device='meta'))", "torch.nn.init.trunc_normal_(m)",
    "torch.nn.init.orthogonal_(m)", "torch.nn.init.kaiming_normal_(m)", "torch.testing.assert_close(m, m.clone())", "torch.vmap(torch.sin)(m).shape", "torch.tensor(m)", "m.apply_(abs)",
    "torch.nn.functional.ctc_loss(torch.empty(5, 2, 4, device='meta'), torch.empty(2, 3, dtype=torch.int64, device='meta'), [5, 5], [3, 3])",
]
#: of these the kind of error is compared
REFUSED = [
    "m.item()", "z.item()", "bool(z)", "float(z)", "int(z)", "z.tolist()", "m.tolist()", "m.numpy()", "m.numpy(force=True)", "m.__array__()", "m.nonzero()", "torch.masked_select(m, b)",
    "m[b]", "c[b]", "torch.where(b)", "m.unique()", "torch.unique_consecutive(m)", "i.to('meta').bincount()", "torch.equal(m, m)", "torch.equal(m, c)", "torch.allclose(m, m)", "torch.argwhere(m)",
    "torch.is_nonzero(z)", "m.cpu()", "m.to('cpu')", "m.to(c)", "m.type_as(c)", "m.type(torch.LongTensor)", "c.copy_(m)", "c.__setitem__(0, m[0])", "m.set_(c)", "m.__dlpack__()", "m.pin_memory()",
    "m + c", "c + m", "torch.cat([m, c])", "torch.where(b, m, c)", "torch.maximum(m, c)", "torch.lerp(m, c, 0.5)", "torch.isclose(m, c)", "torch.clamp(m, c, c)", "torch.nn.functional.mse_loss(m, c)",
    "torch.nn.functional.layer_norm(m, (4,), c[0])", "m.masked_fill(c > 0, 0)", "setattr(m, 'data', c)", "setattr(c, 'data', m)", "setattr(c, 'grad', m)", "torch.arange(z, device='meta')",
    "torch.empty(2**40, 2**40, device='meta')", "torch.empty(2**62, device='meta')", "list(m.untyped_storage())", "torch.linalg.lstsq(m, m)", "torch.repeat_interleave(i.to('meta'))",
    "torch.histogram(m)", "torch.combinations(m[0])", "torch.Generator(device='meta')", "torch.testing.assert_close(m, c)", "torch.as_tensor(m, device='cpu')",
    "torch.tensor([z, 1.0])",
]
LARGE = [
    "torch.empty(2**40, device='meta') + 1", "torch.empty(2**20, 2**20, device='meta') @ torch.empty(2**20, 2**20, device='meta')", "torch.empty(2**40, device='meta').sum()",
    "torch.empty(2**20, 2**20, device='meta').mean(0)", "torch.empty(2**20, 2**20, device='meta').softmax(1)", "torch.empty(2**20, 2**20, device='meta').sort()[1]",
    "torch.empty(2**20, 2**20, device='meta').topk(3)[0]", "torch.empty(2**20, 2**20, device='meta').cumsum(0)", "torch.empty(2**20, 2**20, device='meta').t().contiguous()",
    "torch.empty(2**20, 2**20, device='meta').half()", "torch.empty(2**20, 2**20, device='meta').max(1)[1]", "torch.empty(2**20, 2**20, device='meta').var(0)",
    "torch.empty(2**20, 2**20, device='meta')[:, ::2].clone()", "torch.nn.functional.conv2d(torch.empty(2**12, 64, 256, 256, device='meta'), torch.empty(64, 64, 3, 3, device='meta'))",
    "torch.nn.functional.max_pool2d(torch.empty(2**12, 64, 256, 256, device='meta'), 2)", "torch.nn.functional.layer_norm(torch.empty(2**20, 2**20, device='meta'), (2**20,))",
    "torch.nn.functional.batch_norm(torch.empty(2**20, 2**20, device='meta'), None, None, training=True)",
    "torch.nn.functional.scaled_dot_product_attention(*[torch.empty(64, 64, 2**16, 128, device='meta')] * 3)", "torch.fft.rfft(torch.empty(2**20, 2**20, device='meta'))",
    "torch.cat([torch.empty(2**40, device='meta')] * 2)", "torch.empty(2**20, 2**20, device='meta').tril()", "torch.rand(2**40, device='meta')", "torch.arange(2**40, device='meta')",
    "torch.eye(2**20, device='meta')", "torch.nn.functional.embedding(torch.zeros(2, dtype=torch.int64), torch.empty(2**30, 2**10, device='meta'))",
    "torch.linalg.inv(torch.empty(2**20, 2**20, device='meta'))", "torch.empty(2**20, 2**20, device='meta').index_select(1, torch.tensor([0]))",
    "torch.empty(2**20, 2**20, device='meta').flip(0)", "torch.empty(2**20, 2**20, device='meta').roll(1, 0)", "torch.linalg.qr(torch.empty(2**16, 2**16, device='meta'))[0]",
    "torch.nn.functional.interpolate(torch.empty(2**12, 64, 256, 256, device='meta'), scale_factor=2, mode='bilinear')", "torch.empty(2**20, 2**20, device='meta').median(0)[0]",
]
CHOSEN = [
    "zeros(2)", "ones(2)", "tensor([1])", "as_tensor([1.0])", "as_tensor(c)", "rand(2)", "randn(2)", "randint(3, (2,))", "randperm(3)", "arange(3)", "linspace(0, 1, 3)", "logspace(0, 1, 3)",
    "eye(2)", "full((2,), 1.0)", "empty(2)", "empty_strided((2,), (1,))", "zeros_like(c)", "scalar_tensor(1.0)", "tril_indices(2, 2)", "hann_window(3)", "fft.fftfreq(3)", "zeros(2, device='cpu')",
    "Tensor(2).device", "get_default_device()", "nn.Linear(2, 2).weight", "nn.BatchNorm1d(3).num_batches_tracked", "asarray([1])", "normal(0.0, 1.0, (2,)).device", "range(0, 3).device",
    "signal.windows.hann(3)", "frombuffer(bytearray(4), dtype=torch.float32)", "empty_permuted((2, 2), (1, 0))", "cat([c, c]).device", "meshgrid(c[0], c[0])[0].device", "bernoulli(c).device",
    "nn.LSTM(2, 3)._flat_weights[0].device", "nn.Embedding(3, 4).weight.device", "vander(c[0]).device", "zeros(2, device='cuda')",
]


def shown(value):
    return f"({', '.join(map(shown, value))})" if type(value) is tuple else "bound method" if callable(value) and not hasattr(value, "stride") else repr(value)


def answer(torch, text, names, messages=False):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return shown(eval(text, {"torch": torch, "copy": copy, "pickle": pickle, **names}))
        except Exception as error:
            return type(error).__name__ + (f": {str(error)[:60]}" if messages else "")


def some(torch):
    return {"m": torch.empty(3, 4, device="meta"), "c": torch.ones(3, 4), "i": torch.tensor([0, 2]), "s": torch.tensor(2.0), "z": torch.empty((), device="meta"),
            "b": torch.empty(3, 4, dtype=torch.bool, device="meta")}


@program
def created(torch):
    return {text: answer(torch, f"torch.{text}", {}) for text in CREATED}


@program
def asked(torch):
    return {text: answer(torch, text, some(torch)) for text in ASKED}


@program
def refused(torch):
    return {text: answer(torch, text, some(torch)) for text in REFUSED}


@program
def messages(torch):
    texts = ["z.item()", "m.cpu()", "m.numpy()", "c.copy_(m)", "m.set_(c)", "setattr(m, 'data', c)", "setattr(c, 'grad', m)", "torch.empty(2**40, 2**40, device='meta')", "m + c", "m.__dlpack__()",
             "torch.repeat_interleave(i.to('meta'))"]
    return {text: answer(torch, text, some(torch), True) for text in texts}


@program
def large(torch):
    return {text: answer(torch, text, {}) for text in LARGE}


@program
def chosen(torch):
    found, c = {}, torch.ones(3, 4)
    with torch.device("meta"):
        for text in CHOSEN:
            found[text] = answer(torch, f"torch.{text}", {"c": c})
        with torch.device("cpu"):
            found["inner"] = shown(torch.zeros(2).device)
    found["after"] = shown(torch.zeros(2).device)
    torch.set_default_device("meta")
    found["set"] = [shown(torch.zeros(2)), shown(torch.get_default_device())]
    torch.set_default_device(None)
    found["unset"] = [shown(torch.zeros(2)), shown(torch.get_default_device())]
    return found


@program
def random_numbers(torch):
    """Meta tensors take none."""
    torch.manual_seed(3)
    torch.rand(5, device="meta"), torch.empty(4, device="meta").normal_(), torch.nn.Linear(3, 4, device="meta"), torch.nn.utils.skip_init(torch.nn.Linear, 2, 3)
    return torch.rand(3).tolist()


@program
def modules(torch):
    nn = torch.nn
    layer = nn.Linear(3, 4, device="meta")
    found = [shown(layer.weight), shown(copy.deepcopy(layer).weight), shown(pickle.loads(pickle.dumps(layer)).weight), answer(torch, "layer.to('cpu')", {"layer": layer}, True)]
    emptied = layer.to_empty(device="cpu")
    found += [emptied is layer, shown(layer.weight.device), type(layer.weight) is nn.Parameter, layer.weight.requires_grad, layer.weight.is_leaf]
    moved = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    before = moved[0].weight
    before.grad = torch.ones(4, 3)
    moved.to("meta")
    found += [moved[0].weight is before, shown(before.device), shown(moved[0].weight.grad), shown(moved[1].running_mean), [shown(t.device) for t in moved.state_dict().values()]]
    moved.double()
    found += [shown(moved[0].weight)]
    state = nn.Linear(3, 4).state_dict()
    empty = nn.Linear(3, 4, device="meta")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        empty.load_state_dict(state)
    found += [len(caught) > 0, shown(empty.weight.device)]
    empty.load_state_dict(state, assign=True)
    found += [shown(empty.weight.device), empty.weight.requires_grad, type(empty.weight) is nn.Parameter, empty.weight.data_ptr() == state["weight"].data_ptr()]
    found += [answer(torch, "torch.nn.Linear(3, 4).load_state_dict(layer.state_dict())", {"layer": nn.Linear(3, 4, device="meta")})]
    with torch.device("meta"):
        built = [nn.TransformerEncoderLayer(4, 2)(torch.empty(2, 3, 4)), nn.LSTM(2, 3)(torch.empty(4, 1, 2))[0], nn.GRU(2, 3, 2, bidirectional=True)(torch.empty(4, 1, 2))[0],
                 nn.MultiheadAttention(4, 2)(*[torch.empty(3, 1, 4)] * 3)[0], nn.LazyLinear(3)(torch.empty(2, 5)), nn.Conv2d(3, 4, 3)(torch.empty(1, 3, 8, 8)),
                 nn.BatchNorm2d(3)(torch.empty(1, 3, 8, 8)), nn.Embedding(5, 4)(torch.empty(2, 3, dtype=torch.int64)), nn.CrossEntropyLoss()(torch.empty(2, 3), torch.empty(2, dtype=torch.int64))]
    return [*found, *[(list(t.shape), shown(t.device), t.requires_grad) for t in built]]


@program
def registered_on_meta(torch):
    """Parameters that move as they are registered, as loaders of large models have it."""
    Module, found = torch.nn.Module, []
    plain = Module.register_parameter

    def register(self, name, param):
        plain(self, name, param)
        if param is not None:
            self._parameters[name] = type(param)(param.to("meta"), requires_grad=param.requires_grad)

    Module.register_parameter = register
    try:
        model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.LayerNorm(8))
    finally:
        Module.register_parameter = plain
    found.append([(name, shown(p.device), p.requires_grad) for name, p in model.named_parameters()])
    model.load_state_dict(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.LayerNorm(8)).state_dict(), assign=True)
    return [*found, list(model(torch.ones(2, 8)).shape)]


@program
def gradients(torch):
    a = torch.empty(3, 3, device="meta", requires_grad=True)
    loss = (a @ a).relu().sum()
    found = [shown(loss), loss.requires_grad, shown(loss.grad_fn.name())]
    loss.backward()
    found += [shown(a.grad), shown(torch.autograd.grad((a * a).sum(), a, create_graph=True)[0].sum().requires_grad)]
    (a * 2).sum().backward()
    for optimizer in (torch.optim.Adam([a]), torch.optim.SGD([a], lr=0.1, momentum=0.9)):
        optimizer.step()
        found.append({key: shown(value) for key, value in optimizer.state[a].items()})
    b = torch.ones(3, 4, requires_grad=True)
    found += [shown(b.to("meta").requires_grad), answer(torch, "b.to('meta').sum().backward()", {"b": b}), shown(torch.nn.utils.clip_grad_norm_([a], 1.0))]
    return found


@program
def checkpoints(torch):
    kept = io.BytesIO()
    torch.save({"meta": torch.empty(4, 3, device="meta").t(), "here": torch.ones(2)}, kept)
    found = []
    for safe in (True, False):
        kept.seek(0)
        loaded = torch.load(kept, weights_only=safe)
        found.append([shown(loaded["meta"]), list(loaded["meta"].stride()), shown(loaded["here"])])
    kept = io.BytesIO()
    whole = torch.ones(3, 4)
    torch.save({"whole": whole, "turned": whole.t()}, kept)
    for place in ("meta", torch.device("meta")):
        kept.seek(0)
        loaded = torch.load(kept, map_location=place)
        found.append([shown(loaded["whole"]), list(loaded["turned"].stride()), shown(loaded["whole"].untyped_storage())])
    return found

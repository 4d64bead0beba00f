"""Random numbers: the values that follow a seed, bit for bit but for those that go through logarithms and cosines."""

from ..dsl import ALL, FLOATS, HALVES, INTEGERS, Name, T, call, error_of, program

SIGNED_ZEROS = True
SEEDS = (0, 1, 2**32 + 5, -1, 2**63 - 1)
NORMAL_TOLERANCE = 1e-6


def cases():
    yield from uniforms()
    yield from normals()
    yield from integers()
    yield from permutations()
    yield from samples()


def uniforms():
    for count in range(41):
        yield call("torch.rand", count).seed(0).bits()
    for seed in SEEDS:
        yield call("torch.rand", 5).seed(seed).bits()
    for dtype in (*FLOATS, *HALVES):
        for size in ((), (3,), (4, 5), (2, 0)):
            yield call("torch.rand", size, dtype=Name(dtype)).seed(0).bits()
        for low, high in ((0, 1), (-2, 3), (1.5, 1.5)):
            yield call("Tensor.uniform_", T(dtype, (20,), 0), low, high).seed(0)
    for layout in ("transposed", "stepped", "offset"):
        yield call("Tensor.uniform_", T("float32", (4, 5), 0, layout)).seed(0).bits()
    yield call("torch.rand_like", T("float64", (3, 2))).seed(0).bits()
    yield call("torch.rand_like", T("float32", (3, 4), layout="transposed")).seed(0).bits().strides()
    yield call("torch.rand", 2, requires_grad=True).seed(0).bits()
    yield call("Tensor.uniform_", T("float32", (2,)), 2, 1).raises(RuntimeError, "from", "to").seed(0)
    yield call("torch.rand", 3, dtype=Name("int64")).may_raise().seed(0)
    yield call("torch.rand", -1).raises(RuntimeError, "negative").seed(0)
    yield call("Tensor.random_", T("float32", (5,), 0)).seed(0).bits()
    yield call("Tensor.random_", T("int64", (5,), 0), 10).seed(0).bits()
    yield call("Tensor.random_", T("int64", (5,), 0), -5, 5).seed(0).bits()


def normals():
    for count in range(41):
        yield call("torch.randn", count).seed(0).tol(NORMAL_TOLERANCE)
    for seed in SEEDS:
        yield call("torch.randn", 5).seed(seed).tol(NORMAL_TOLERANCE)
        yield call("torch.randn", 4, 5).seed(seed).tol(NORMAL_TOLERANCE)
    for dtype in ("float64",):
        for count in (1, 15, 16, 17, 33):
            yield call("torch.randn", count, dtype=Name(dtype)).seed(0).tol(NORMAL_TOLERANCE)
    for dtype in HALVES:
        for count in (3, 16, 21):
            yield call("torch.randn", count, dtype=Name(dtype)).seed(0)
    for size in ((3,), (4, 5)):
        yield call("Tensor.normal_", T("float32", size, 0)).seed(0).tol(NORMAL_TOLERANCE)
        yield call("Tensor.normal_", T("float32", size, 0), 2.0, 0.5).seed(0).tol(NORMAL_TOLERANCE)
        yield call("torch.normal", 1.0, 2.0, size).seed(0).tol(NORMAL_TOLERANCE)
        yield call("torch.normal", T("float32", size), 2.0).seed(0).tol(NORMAL_TOLERANCE)
        yield call("torch.normal", 1.0, T("float32", size, "positive")).seed(0).tol(NORMAL_TOLERANCE)
        yield call("torch.normal", T("float32", size), T("float32", size, "positive")).seed(0).tol(NORMAL_TOLERANCE)
    for layout in ("transposed", "stepped", "offset"):
        yield call("Tensor.normal_", T("float32", (4, 5), 0, layout)).seed(0).tol(NORMAL_TOLERANCE)
    yield call("torch.randn_like", T("float32", (4, 5))).seed(0).tol(NORMAL_TOLERANCE)
    yield call("Tensor.normal_", T("float32", (2,)), 0, -1).raises(RuntimeError, "std", "-1").seed(0)


def integers():
    for count in (1, 5, 16, 40):
        yield call("torch.randint", 10, (count,)).seed(0)
        yield call("torch.randint", -5, 5, (count,)).seed(0)
        yield call("torch.randint", 0, 2**31, (count,)).seed(0)
        yield call("torch.randint", 0, 2**32, (count,)).seed(0)
        yield call("torch.randint", -(2**40), 2**40, (count,)).seed(0)
        yield call("torch.randint", 0, 2**63 - 1, (count,)).seed(0)
    for dtype in (*INTEGERS, *FLOATS):
        yield call("torch.randint", 0, 100, (8,), dtype=Name(dtype)).seed(0)
    yield call("torch.randint", 0, 2, (8,), dtype=Name("bool")).seed(0)
    yield call("torch.randint", low=2, high=7, size=(2, 3)).seed(0)
    yield call("torch.randint_like", T("int32", (3, 2)), 9).seed(0)
    yield call("torch.randint", 5, 5, (2,)).raises(RuntimeError, "from", "to", "5").seed(0)
    yield call("torch.randint", 0, 300, (2,), dtype=Name("uint8")).raises(RuntimeError, "out of bounds").seed(0)


def permutations():
    for count in (0, 1, 2, 3, 10, 33, 100):
        yield call("torch.randperm", count).seed(0)
    for dtype in ("int32", "float32", "uint8"):
        yield call("torch.randperm", 12, dtype=Name(dtype)).seed(0)
    for seed in SEEDS:
        yield call("torch.randperm", 12).seed(seed)
    yield call("torch.randperm", -1).raises(RuntimeError, "negative").seed(0)


def samples():
    for dtype in (*FLOATS, "bfloat16"):
        yield call("torch.bernoulli", T(dtype, (40,), "unit")).seed(0)
        yield call("torch.bernoulli", T(dtype, (6,), [0.0, 1.0, 0.5, 0.0, 1.0, 0.5])).seed(0)
    for dtype in ALL:
        yield call("Tensor.bernoulli_", T(dtype, (20,), 0), 0.3).seed(0)
    yield call("torch.bernoulli", T("float32", (20,)), 0.7).seed(0)
    yield call("torch.bernoulli", T("float32", (2,), [0.5, 1.5])).raises(RuntimeError, "0", "1").seed(0)
    for p in (0.1, 0.5, 0.9):
        for size in ((20,), (3, 7)):
            yield call("torch.nn.functional.dropout", T("float32", size, grad=True), p).seed(0)
        yield call("torch.nn.functional.dropout", T("float64", (9,), grad=True), p).seed(0)
        yield call("torch.nn.functional.dropout", T("float32", (4, 5), layout="transposed"), p).seed(0)
        yield call("torch.nn.functional.dropout1d", T("float32", (2, 3, 4), grad=True), p).seed(0)
        yield call("torch.nn.functional.dropout2d", T("float32", (2, 3, 4, 2), grad=True), p).seed(0)
        yield call("torch.nn.functional.alpha_dropout", T("float32", (12,), grad=True), p, True).seed(0)
    yield call("torch.nn.functional.dropout", T("float32", (4, 5)), 0.5, True, True).seed(0)
    weights = [0.1, 0.0, 2.0, 0.7, 1.0, 0.2]
    for dtype in FLOATS:
        for replacement in (True, False):
            for count in (1, 3, 5):
                yield call("torch.multinomial", T(dtype, (6,), weights), count, replacement).seed(0)
                yield call("torch.multinomial", T(dtype, (3, 6), weights * 3), count, replacement).seed(0)
    yield call("torch.multinomial", T("float32", (6,), weights), 30, True).seed(0)
    yield call("torch.multinomial", T("float32", (6,), weights), 6).seed(0)
    yield call("torch.multinomial", T("float32", (3,), 1.0), 4).raises(RuntimeError, "replacement").seed(0)
    yield call("torch.multinomial", T("float32", (2,), [-1.0, 2.0]), 1).raises(RuntimeError).seed(0)
    yield call("torch.multinomial", T("float32", (2,), 0.0), 1).raises(RuntimeError).seed(0)
    for rate in (1.0, 2.5):
        for dtype in FLOATS:
            yield call("Tensor.exponential_", T(dtype, (20,), 0), rate).seed(0)
    yield call("Tensor.exponential_", T("float32", (2,)), -1.0).raises(RuntimeError, "-1").seed(0)
    yield call("Tensor.geometric_", T("float32", (10,), 0), 0.3).seed(0)
    yield call("Tensor.cauchy_", T("float32", (10,), 0)).seed(0).tol(1e-4)
    yield call("Tensor.log_normal_", T("float32", (10,), 0)).seed(0)


@program
def sequence_of_draws(torch):
    torch.manual_seed(3)
    first = torch.randn(3)
    second = torch.rand(2)
    third = torch.randn(1)
    fourth = torch.randint(0, 1000, (3,))
    fifth = torch.randn(20)
    sixth = torch.randn(2, dtype=torch.float64)
    seventh = torch.randperm(5)
    eighth = torch.rand(3, dtype=torch.float64)
    return {
        "first": first, "second": second, "third": third, "fourth": fourth, "fifth": fifth, "sixth": sixth, "seventh": seventh,
        "eighth": eighth, "seed": torch.initial_seed(),
    }  # fmt: skip


@program
def odd_normal_is_kept_for_later(torch):
    torch.manual_seed(0)
    ones = [torch.randn(1) for _ in range(5)]
    torch.manual_seed(0)
    return {"ones": ones, "five": torch.randn(5), "then": torch.randn(1, dtype=torch.float64), "last": torch.randn(2)}


@program
def generators(torch):
    one, other = torch.Generator(), torch.Generator()
    one.manual_seed(7)
    other.manual_seed(7)
    state = one.get_state()
    first = torch.rand(3, generator=one)
    again = torch.rand(3, generator=other)
    normal = torch.randn(3, generator=one)
    one.set_state(state)
    permutation = torch.randperm(6, generator=other)
    integers = torch.randint(0, 9, (4,), generator=other)
    filled = torch.empty(3).uniform_(-1, 1, generator=other)
    return {
        "first": first, "again": again, "normal": normal, "replayed": torch.rand(3, generator=one), "permutation": permutation,
        "integers": integers, "filled": filled, "initial_seed": one.initial_seed(), "default_untouched": torch.rand(2),
        "device": str(one.device),
    }  # fmt: skip


@program
def state_of_the_default_generator(torch):
    torch.manual_seed(11)
    torch.rand(3)
    state = torch.get_rng_state()
    before = torch.randn(3)
    torch.set_rng_state(state)
    after = torch.randn(3)
    with torch.random.fork_rng():
        torch.manual_seed(5)
        torch.rand(100)
    return {"before": before, "after": after, "next": torch.rand(2), "dtype": state.dtype, "size": list(state.shape)}


@program
def seeds(torch):
    values = {str(seed): torch.manual_seed(seed) and torch.rand(2) for seed in (0, 1, 42, 2**31, 2**32, 2**63 - 1, -1, -(2**63))}
    values["too large"] = error_of(lambda: torch.manual_seed(2**64))
    values["numbers"] = torch.manual_seed(5).initial_seed()
    return values


@program
def initial_weights(torch):
    nn = torch.nn
    results = {}
    layers = {
        "linear": lambda: nn.Linear(5, 3), "linear without bias": lambda: nn.Linear(4, 2, bias=False), "conv2d": lambda: nn.Conv2d(3, 4, 3),
        "conv2d groups": lambda: nn.Conv2d(4, 8, (2, 3), groups=2), "conv1d": lambda: nn.Conv1d(2, 3, 5), "embedding": lambda: nn.Embedding(4, 6),
        "embedding padding": lambda: nn.Embedding(4, 6, padding_idx=1), "batch_norm": lambda: nn.BatchNorm2d(3),
        "layer_norm": lambda: nn.LayerNorm(4), "group_norm": lambda: nn.GroupNorm(2, 4),
    }  # fmt: skip
    for name, make in layers.items():
        torch.manual_seed(0)
        for key, value in make().state_dict().items():
            results[f"{name} {key}"] = value
        results[f"{name} next"] = torch.rand(1)
    return results


@program
def initialisers(torch):
    init = torch.nn.init
    results = {}
    ways = {
        "uniform": lambda w: init.uniform_(w, -1, 2), "normal": lambda w: init.normal_(w, 1, 0.5), "xavier_uniform": init.xavier_uniform_,
        "xavier_normal": lambda w: init.xavier_normal_(w, gain=2), "kaiming_uniform": lambda w: init.kaiming_uniform_(w, a=0.2),
        "kaiming_normal": lambda w: init.kaiming_normal_(w, mode="fan_out", nonlinearity="relu"), "trunc_normal": init.trunc_normal_,
        "constant": lambda w: init.constant_(w, 3), "zeros": init.zeros_, "ones": init.ones_,
    }  # fmt: skip
    for name, fill in ways.items():
        for size in ((4, 3), (3, 2, 2, 3)):
            torch.manual_seed(0)
            results[f"{name} {size}"] = fill(torch.empty(size))
    results["eye"] = init.eye_(torch.empty(3, 4))
    for nonlinearity in ("linear", "relu", "tanh", "sigmoid", "selu", "conv2d"):
        results[f"gain {nonlinearity}"] = init.calculate_gain(nonlinearity)
    results["gain leaky_relu"] = init.calculate_gain("leaky_relu", 0.3)
    return results


@program
def shuffled_loader(torch):
    data = torch.utils.data
    torch.manual_seed(0)
    dataset = data.TensorDataset(torch.arange(11), torch.arange(11) * 10)
    loader = data.DataLoader(dataset, batch_size=4, shuffle=True)
    epochs = [[[numbers.tolist(), tens.tolist()] for numbers, tens in loader] for _ in range(3)]
    generator = torch.Generator().manual_seed(3)
    own = [
        batch[0].tolist() for batch in data.DataLoader(dataset, batch_size=5, shuffle=True, drop_last=True, generator=generator)
    ]
    first, second = data.random_split(dataset, [8, 3], generator=torch.Generator().manual_seed(1))
    thirds = data.random_split(range(10), [0.5, 0.3, 0.2], generator=torch.Generator().manual_seed(2))
    sampler = data.WeightedRandomSampler([0.1, 0.9, 0.4], 8, generator=torch.Generator().manual_seed(4))
    replaced = data.RandomSampler(range(5), replacement=True, num_samples=9, generator=torch.Generator().manual_seed(4))
    return {
        "epochs": epochs, "own generator": own, "split": [list(first.indices), list(second.indices)],
        "fractions": [list(part.indices) for part in thirds], "weighted": list(sampler), "replaced": list(replaced), "next": torch.rand(2),
        "batches": list(data.BatchSampler(data.SequentialSampler(range(7)), 3, False)), "length": len(loader),
    }  # fmt: skip


@program
def dropout_module_masks(torch):
    layer = torch.nn.Dropout(0.4)
    torch.manual_seed(0)
    trained = layer(torch.ones(30))
    second = layer(torch.ones(4, 5))
    layer.eval()
    return {"trained": trained, "second": second, "evaluated": layer(torch.ones(3)), "next": torch.rand(1)}

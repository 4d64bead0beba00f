"""Lists of any length, as arguments and as results: around the most that a frame holds in place, and beyond a whole frame."""

import pytest

import pywasmtorch as torch

N = 70_000
LENGTHS = [4095, 4096, 4097, 65_535, 65_536, N]


@pytest.fixture(scope="module")
def numbers():
    return torch.arange(N)


def columns(n):
    return list(torch.arange(n).unbind())


@pytest.mark.parametrize("n", LENGTHS)
def test_there_and_back(n):
    pieces = torch.arange(n).unbind()
    assert len(pieces) == n and [int(p) for p in (pieces[0], pieces[n // 2], pieces[-1])] == [0, n // 2, n - 1]
    assert torch.stack(pieces).equal(torch.arange(n))
    assert torch.cat(torch.arange(n).split(1)).equal(torch.arange(n))


@pytest.mark.parametrize("go", [
    lambda x: [int(v) for v in x][::35_000], lambda x: list(map(int, x))[::35_000], lambda x: [int(a) for a, _ in zip(x, x)][::35_000],
])
def test_iteration(numbers, go):
    assert go(numbers) == [0, 35_000]


def test_python_functions_that_iterate(numbers):
    assert int(sum(numbers)) == N * (N - 1) // 2
    assert int(max(numbers)) == N - 1
    assert len(list(numbers)) == N


@pytest.mark.parametrize("divide", [
    lambda x: x.chunk(N), lambda x: x.split(1), lambda x: x.split([1] * N), lambda x: torch.split_with_sizes(x, [1] * N),
    lambda x: x.tensor_split(N), lambda x: x.tensor_split(list(range(1, N))), lambda x: x.tensor_split(torch.arange(1, N)), lambda x: torch.hsplit(x, N),
    lambda x: torch.vsplit(x[:, None], N), lambda x: torch.dsplit(x.reshape(1, 1, N), N), lambda x: torch.unbind_copy(x), lambda x: torch.split_copy(x, 1),
    lambda x: torch.unsafe_chunk(x, N), lambda x: torch.unsafe_split(x, 1), lambda x: torch.broadcast_tensors(*x.split(1)),
    lambda x: torch.atleast_1d(*x.unbind()),
])
def test_pieces(numbers, divide):
    pieces = divide(numbers)
    assert len(pieces) == N
    assert [int(pieces[i]) for i in (0, 4096, 65_535, N - 1)] == [0, 4096, 65_535, N - 1]


@pytest.mark.parametrize("join, shape", [
    (torch.stack, (N,)), (torch.hstack, (N,)), (torch.vstack, (N, 1)), (torch.dstack, (1, 1, N)), (torch.column_stack, (1, N)), (torch.tensor, (N,)),
])
def test_joined(numbers, join, shape):
    joined = join(numbers.unbind())
    assert joined.shape == shape and joined.flatten().equal(numbers)


def test_out():
    out = torch.empty(N, dtype=torch.int64)
    assert torch.stack(columns(N), out=out) is out
    assert out.equal(torch.arange(N))


def test_an_item_of_another_kind_is_refused():
    with pytest.raises(TypeError, match=rf"at pos {N}|as element {N}"):
        torch.stack([*columns(N), 3])
    with pytest.raises(TypeError):
        torch.arange(N).split([1] * (N - 1) + ["1"])


def test_too_many_dimensions_are_still_an_error():
    with pytest.raises(RuntimeError):
        torch.ones(3).permute([0] * N)


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_recurrence_over_many_steps(kind):
    layer = getattr(torch.nn, kind)(1, 1)
    for p in layer.parameters():
        torch.nn.init.zeros_(p)
    x = torch.ones(N, 1, 1, requires_grad=True)
    output, _ = layer(x)
    assert output.shape == (N, 1, 1) and output.count_nonzero() == 0
    output.sum().backward()
    assert x.grad.shape == (N, 1, 1)
    packed, _ = layer(torch.nn.utils.rnn.pack_sequence([torch.ones(N, 1)]))
    assert packed.data.shape == (N, 1) and packed.batch_sizes.shape == (N,)


class TestGradients:
    def test_of_many_pieces(self):
        a = torch.ones(N, requires_grad=True)
        torch.stack(a.unbind()).mul(torch.arange(N)).sum().backward()
        assert a.grad.equal(torch.arange(N).float())

    def test_from_many_roots_and_to_many_leaves(self):
        a = torch.ones(N, requires_grad=True)
        torch.autograd.backward(a.unbind(), [torch.tensor(2.0)] * N)
        assert a.grad.sum() == 2 * N
        leaves = [torch.ones(1, requires_grad=True) for _ in range(N)]
        gradients = torch.autograd.grad((torch.cat(leaves) * torch.arange(N)).sum(), leaves)
        assert len(gradients) == N and gradients[-1].item() == N - 1

    def test_hooks_see_all_of_them_and_replace_them(self):
        a = torch.ones(N, requires_grad=True)
        pieces, seen = a.unbind(), []
        node = pieces[0].grad_fn
        node.register_prehook(lambda grads: seen.append(len(grads)) or tuple(g * 2 for g in grads))
        node.register_hook(lambda inputs, outputs: seen.append((len(inputs), len(outputs))))
        torch.stack(pieces).sum().backward()
        assert seen == [N, (1, N)] and a.grad.sum() == 2 * N

    def test_a_function_with_many_inputs_and_outputs(self):
        n = 5000

        class Doubled(torch.autograd.Function):
            @staticmethod
            def forward(context, *inputs):
                return tuple(x * 2 for x in inputs)

            @staticmethod
            def backward(context, *grads):
                return tuple(g * 2 for g in grads)

        inputs = [torch.ones(1, requires_grad=True) for _ in range(n)]
        (torch.cat(Doubled.apply(*inputs)) * torch.arange(n)).sum().backward()
        assert [float(inputs[i].grad) for i in (0, 1, n - 1)] == [0, 2, 2 * (n - 1)]


def test_an_optimizer_of_many_parameters():
    parameters = [torch.nn.Parameter(torch.ones(1)) for _ in range(N)]
    for p in parameters:
        p.grad = torch.ones(1)
    torch.optim.SGD(parameters, lr=0.5).step()
    assert parameters[0].item() == parameters[-1].item() == 0.5

"""lstm_cell, gru_cell, rnn_*_cell, and recurrent networks: layers and directions over the kernel of one layer in one direction."""

from __future__ import annotations

from typing import Any

from ..._core.dtype import bfloat16, float16, float32
from ..._core.generated import ops
from ..._core.tensor_type import Tensor
from ...autograd.function import Function
from ...autograd.grad_mode import enable_grad, is_grad_enabled

__all__ = ["gru", "gru_cell", "lstm", "lstm_cell", "rnn_relu", "rnn_relu_cell", "rnn_tanh", "rnn_tanh_cell"]

RELU, TANH, LSTM, GRU = range(4)


def composed(gates: Tensor, hx: Tensor, cx: Tensor | None, weight: Tensor, bias: Tensor | None, projection: Tensor | None, batches: Any, mode: int,
             reverse: bool) -> tuple[Any, ...]:
    """What the kernel computes, by operators that differentiate any number of times."""
    cat, chunk = ops.FUNCTIONS["cat"], ops.FUNCTIONS["chunk"]
    starts, outputs = [0], {}
    for count in batches:
        starts.append(starts[-1] + count)
    for t in reversed(range(len(batches))) if reverse else range(len(batches)):
        count = batches[t]
        x, h = ops.narrow(gates, 0, starts[t], count), ops.narrow(hx, 0, 0, count)
        y = ops.linear(h, weight, bias)
        if mode == LSTM:
            c = ops.narrow(cx, 0, 0, count)
            i, f, g, o = chunk(x + y, 4, 1)
            c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
            h = ops.sigmoid(o) * ops.tanh(c)
            if projection is not None:
                h = ops.linear(h, projection)
            cx = cat([c, ops.narrow(cx, 0, count, cx.shape[0] - count)])  # type: ignore[union-attr]
        elif mode == GRU:
            (xr, xz, xn), (yr, yz, yn) = chunk(x, 3, 1), chunk(y, 3, 1)
            n = ops.tanh(xn + ops.sigmoid(xr + yr) * yn)
            h = n + ops.sigmoid(xz + yz) * (h - n)
        else:
            h = ops.tanh(x + y) if mode == TANH else ops.relu(x + y)
        outputs[t] = h
        hx = cat([h, ops.narrow(hx, 0, count, hx.shape[0] - count)])
    return cat([outputs[t] for t in range(len(batches))]), hx, cx


class Steps(Function):
    """All steps of one layer in one direction: (output, hidden state, cell state)."""

    @staticmethod
    def forward(ctx: Any, gates: Tensor, hx: Tensor, cx: Tensor | None, weight: Tensor, bias: Tensor | None, projection: Tensor | None, batches: Any, mode: int,
                reverse: bool) -> Any:
        output, hidden, cell, saved = ops._rnn_steps(gates, hx, cx, weight, bias, projection, batches, mode, reverse)
        ctx.save_for_backward(gates, hx, cx, weight, bias, projection, output)
        ctx.of_steps, ctx.how = saved, (batches, mode, reverse)
        ctx.set_materialize_grads(False)
        return output, hidden, cell

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        *inputs, output = ctx.saved_tensors
        gates, hx, cx, weight, bias, projection = inputs
        if is_grad_enabled():
            return (*composed_gradients(inputs, grads, ctx.how, ctx.needs_input_grad), None, None, None)
        found = list(ops._rnn_steps_backward(*grads, output, ctx.of_steps, hx, cx, weight, projection, *ctx.how))
        return (*(g if given is not None else None for g, given in zip(found, inputs)), None, None, None)


def composed_gradients(inputs: list[Any], grads: Any, how: Any, wanted: Any) -> list[Any]:
    from ...autograd import grad

    with enable_grad():
        # Aliases, so that the gradient by an input does not go on through what that input came from.
        leaves = [None if x is None else ops.view_as(x, x) if x.requires_grad else x for x in inputs]
        results = composed(*leaves, *how)
        pairs = [(r, g) for r, g in zip(results, grads) if r is not None and g is not None]
        places = [i for i, x in enumerate(leaves) if x is not None and x.requires_grad and wanted[i]]
        found = grad([r for r, _ in pairs], [leaves[i] for i in places], [g for _, g in pairs], create_graph=True, allow_unused=True) if pairs and places else ()
    result = [None] * len(inputs)
    for i, g in zip(places, found):
        result[i] = g
    return result


def steps(x: Tensor, hx: Tensor, cx: Tensor | None, weights: Any, batches: Any, mode: int, reverse: bool, single: bool = False) -> tuple[Any, ...]:
    """One layer in one direction over rows [rows, features]; weights: of the input, of the state, their biases, the projection or None."""
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    gates = ops.linear(x, w_ih, b_ih)
    tensors = gates, hx, cx, w_hh, b_hh, w_hr
    narrow = gates.dtype if gates.dtype in (float16, bfloat16) else None
    if narrow:
        tensors = tuple(None if t is None else t.to(float32) for t in tensors)  # type: ignore[assignment]
    if is_grad_enabled() and any(t is not None and t.requires_grad for t in tensors):
        result = Steps.apply(*tensors, batches, mode, reverse)
    else:
        result = ops._rnn_steps(*tensors, batches, mode, reverse)[:3]
    if hx.dtype is float32 and (mode == GRU or mode == LSTM and single):  # autocast, where the state of 32 bits makes the outputs such
        narrow = None
    return tuple(t.to(narrow) for t in result) if narrow else tuple(result)


def run(x: Tensor, hx: Tensor, cx: Tensor | None, params: Any, has_biases: bool, layers: int, dropout: float, training: bool, both: bool, batches: Any,
        mode: int) -> tuple[Any, ...]:
    """All layers and directions over rows [rows, features]; hx and cx: [layers * directions, batch, features]."""
    from . import dropout as drop

    cat, stack = ops.FUNCTIONS["cat"], ops.FUNCTIONS["stack"]
    directions = 2 if both else 1
    each = len(params) // (layers * directions)
    if each * layers * directions != len(params) or each - 2 * has_biases not in (2, 3):
        raise RuntimeError(f"recurrent network of {layers} layers got {len(params)} parameters")
    hidden, cells = [], []
    for layer in range(layers):
        outputs = []
        for direction in range(directions):
            place = layer * directions + direction
            own = list(params[place * each : (place + 1) * each])
            if not has_biases:
                own[2:2] = [None, None]
            own += [None] * (5 - len(own))
            output, h, c = steps(x, hx[place], None if cx is None else cx[place], own, batches, mode, bool(direction))
            outputs.append(output)
            hidden.append(h)
            cells.append(c)
        x = cat(outputs, 1) if both else outputs[0]
        if dropout and training and layer < layers - 1:
            x = drop(x, dropout, True)
    return x, stack(hidden), stack(cells) if mode == LSTM else None


def counts(batch_sizes: Any) -> tuple[int, ...]:
    return tuple(batch_sizes.tolist() if isinstance(batch_sizes, Tensor) else batch_sizes)


def padded(mode: int, input: Tensor, hx: Any, params: Any, has_biases: bool, num_layers: int, dropout: float, train: bool, bidirectional: bool,
           batch_first: bool) -> tuple[Any, ...]:
    h, c = hx if mode == LSTM else (hx, None)
    if input.ndim != 3:
        raise RuntimeError(f"input must have 3 dimensions, got {input.ndim}")
    x = ops.transpose(input, 0, 1) if batch_first else input
    count, batch, width = x.shape
    if count == 0:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    x, h, c = run(ops.reshape(x, (count * batch, width)), h, c, params, has_biases, num_layers, dropout, train, bidirectional, (batch,) * count, mode)
    x = ops.reshape(x, (count, batch, x.shape[1]))
    x = ops.transpose(x, 0, 1) if batch_first else x
    return (x, h, c) if mode == LSTM else (x, h)


def packed(mode: int, data: Tensor, batch_sizes: Any, hx: Any, params: Any, has_biases: bool, num_layers: int, dropout: float, train: bool,
           bidirectional: bool) -> tuple[Any, ...]:
    h, c = hx if mode == LSTM else (hx, None)
    if data.ndim != 2:
        raise RuntimeError(f"input must have 2 dimensions, got {data.ndim}")
    x, h, c = run(data, h, c, params, has_biases, num_layers, dropout, train, bidirectional, counts(batch_sizes), mode)
    return (x, h, c) if mode == LSTM else (x, h)


def network(name: str, mode: int) -> Any:
    def call(input: Tensor, second: Any, third: Any, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        is_packed = isinstance(second, Tensor) if mode == LSTM else isinstance(third, Tensor)
        return (packed if is_packed else padded)(mode, input, second, third, *args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = (
        f"""{name}(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first) of (L, N, E), or
    {name}(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional) of a packed sequence: the outputs of the last
    layer and the final states, as nn.{"LSTM" if mode == LSTM else "GRU" if mode == GRU else "RNN"} gives them. RuntimeError for sizes that do not fit.""")
    return call


def cell(mode: int, input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Any:
    h, c = hx if mode == LSTM else (hx, None)
    states = [h] if c is None else [h, c]
    if input.shape[-1] != w_ih.shape[1]:
        raise RuntimeError(f"input has inconsistent input_size: got {input.shape[-1]} expected {w_ih.shape[1]}")
    for number, state in enumerate(states):
        if state.shape[-1] != w_hh.shape[1]:
            raise RuntimeError(f"hidden{number} has inconsistent hidden_size: got {state.shape[-1]}, expected {w_hh.shape[1]}")
        if state.shape[0] != input.shape[0]:
            raise RuntimeError(f"Input batch size {input.shape[0]} doesn't match hidden{number} batch size {state.shape[0]}")
    _, h, c = steps(input, h, c, (w_ih, w_hh, b_ih, b_hh, None), (input.shape[0],), mode, False, True)
    return (h, c) if mode == LSTM else h


def lstm_cell(input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """One step of nn.LSTM for (N, E) and a pair of (N, H): the next pair. RuntimeError for sizes that do not fit."""
    return cell(LSTM, input, hx, w_ih, w_hh, b_ih, b_hh)


def gru_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """One step of nn.GRU for (N, E) and (N, H): the next (N, H). RuntimeError for sizes that do not fit."""
    return cell(GRU, input, hx, w_ih, w_hh, b_ih, b_hh)


def rnn_tanh_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """One step of nn.RNN for (N, E) and (N, H): the next (N, H). RuntimeError for sizes that do not fit."""
    return cell(TANH, input, hx, w_ih, w_hh, b_ih, b_hh)


def rnn_relu_cell(input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None) -> Tensor:
    """One step of nn.RNN(nonlinearity="relu") for (N, E) and (N, H): the next (N, H). RuntimeError for sizes that do not fit."""
    return cell(RELU, input, hx, w_ih, w_hh, b_ih, b_hh)


lstm, gru, rnn_tanh, rnn_relu = (network(name, mode) for name, mode in (("lstm", LSTM), ("gru", GRU), ("rnn_tanh", TANH), ("rnn_relu", RELU)))
FUNCTIONS = {name: globals()[name] for name in __all__}

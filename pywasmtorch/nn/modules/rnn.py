"""RNN, LSTM, GRU, RNNCell, LSTMCell, GRUCell."""

import math
import numbers
import warnings

import pywasmtorch as torch

from .. import init
from ..functional import recurrent as _recurrent
from ..utils.rnn import PackedSequence
from .module import Module
from .utils import add_parameter

__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNBase", "RNNCell", "RNNCellBase"]

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
_FUNCTIONS = {"LSTM": _recurrent.LSTM, "GRU": _recurrent.GRU, "RNN_TANH": _recurrent.TANH, "RNN_RELU": _recurrent.RELU}


def apply_permutation(tensor, permutation, dim=1):
    """The older name of ``index_select``."""
    warnings.warn(
        "`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead", FutureWarning, stacklevel=2
    )
    return _permuted(tensor, permutation, dim)


def _permuted(tensor, permutation, dim=1):
    return tensor if permutation is None else tensor.index_select(dim, permutation)


def _check_sizes(mode, input_size, hidden_size, num_layers, dropout, proj_size):
    is_number = isinstance(dropout, numbers.Number) and not isinstance(dropout, bool)
    if not is_number or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
        )
    if dropout > 0 and num_layers == 1:
        warnings.warn(
            "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers greater "
            f"than 1, but got dropout={dropout} and num_layers={num_layers}",
            stacklevel=4,
        )
    for name, value in (("input_size", input_size), ("hidden_size", hidden_size)):
        if not isinstance(value, int):
            raise TypeError(f"{name} should be of type int, got: {type(value).__name__}")
    if hidden_size <= 0:
        raise ValueError("hidden_size must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")
    if mode not in _GATES:
        raise ValueError("Unrecognized RNN mode: " + mode)


def _draw(module):
    bound = 1 / math.sqrt(module.hidden_size) if module.hidden_size > 0 else 0
    for weight in module.parameters():
        init.uniform_(weight, -bound, bound)


class RNNBase(Module):
    """What :class:`RNN`, :class:`LSTM` and :class:`GRU` share.

    Parameters start uniform within 1/sqrt(hidden_size).

    Args:
        mode (str): ``"RNN_TANH"``, ``"RNN_RELU"``, ``"LSTM"`` or ``"GRU"``.
        input_size, hidden_size (int): features of the input and of the hidden state.
        num_layers (int): layers, each over the outputs of the one before. Default: 1.
        bias (bool): whether the products have biases. Default: ``True``.
        batch_first (bool): batched inputs and outputs are (N, L, features) rather than (L, N, features). Default: ``False``.
        dropout (float): of the outputs of every layer but the last. Default: 0.
        bidirectional (bool): a second network reads each sequence from its end. Default: ``False``.
        proj_size (int): an LSTM's hidden state is projected to that many features. Default: 0, which means not.

    Attributes:
        weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, weight_hr_l0 (Parameter): of layer 0, and so on;
            those of the other direction end in ``_reverse``.
    """

    def __init__(
        self,
        mode,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        proj_size=0,
        device=None,
        dtype=None,
    ):
        super().__init__()
        _check_sizes(mode, input_size, hidden_size, num_layers, dropout, proj_size)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        rows = _GATES[mode] * hidden_size
        state = proj_size if proj_size > 0 else hidden_size
        directions = 2 if bidirectional else 1
        self._all_weights = []
        for layer in range(num_layers):
            width = input_size if layer == 0 else state * directions
            for suffix in ("", "_reverse")[:directions]:
                shapes = {"weight_ih": (rows, width), "weight_hh": (rows, state)}
                if bias:
                    shapes.update(bias_ih=(rows,), bias_hh=(rows,))
                if proj_size > 0:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                names = [f"{name}_l{layer}{suffix}" for name in shapes]
                for name, shape in zip(names, shapes.values(), strict=True):
                    add_parameter(self, name, shape, device, dtype)
                self._all_weights.append(names)
        self.reset_parameters()

    @property
    def _flat_weights_names(self):
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self):
        return [getattr(self, name) for name in self._flat_weights_names]

    @property
    def all_weights(self):
        """The parameters of each layer and direction, a list each."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self):
        """Nothing to do: the kernels read parameters where they are."""

    def reset_parameters(self):
        """Draw new values."""
        _draw(self)

    def check_input(self, input, batch_sizes):
        dtype = getattr(self, self._all_weights[0][0]).dtype
        if input.dtype != dtype and not torch.is_autocast_enabled("cpu"):
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). "
                f"Convert input: input.to({dtype}), or convert model: model.to({input.dtype})"
            )
        expected = 3 if batch_sizes is None else 2
        if input.dim() != expected:
            raise RuntimeError(f"input must have {expected} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def _expected_size(self, input, batch_sizes, features):
        batch = int(batch_sizes[0]) if batch_sizes is not None else input.size(0 if self.batch_first else 1)
        return self.num_layers * (2 if self.bidirectional else 1), batch, features

    def get_expected_hidden_size(self, input, batch_sizes):
        return self._expected_size(input, batch_sizes, self.proj_size if self.proj_size > 0 else self.hidden_size)

    def check_hidden_size(self, hx, expected_hidden_size, msg="Expected hidden size {}, got {}"):
        if tuple(hx.size()) != tuple(expected_hidden_size):
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input, hidden, batch_sizes):
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx, permutation):
        return _permuted(hx, permutation)

    def _zeros(self, input, batch, features):
        shape = (self.num_layers * (2 if self.bidirectional else 1), batch, features)
        return torch.zeros(shape, dtype=input.dtype, device=input.device)

    def _initial(self, input, batch):
        return self._zeros(input, batch, self.hidden_size)

    def _check_state_dims(self, hx, batched):
        dims = 3 if batched else 2
        if hx.dim() != dims:
            kind = "batched 3-D" if batched else "unbatched 2-D"
            raise RuntimeError(f"For {kind} input, hx should also be {dims}-D but got {hx.dim()}-D tensor")

    @staticmethod
    def _map_state(hx, function):
        return function(hx)

    def forward(self, input, hx=None):
        batch_sizes = sorted_indices = unsorted_indices = None
        packed = isinstance(input, PackedSequence)
        batched = True
        if packed:
            input, batch_sizes, sorted_indices, unsorted_indices = input
            batch = int(batch_sizes[0])
        else:
            if input.dim() not in (2, 3):
                name = "LSTM" if self.mode == "LSTM" else "GRU" if self.mode == "GRU" else "RNN"
                raise ValueError(f"{name}: Expected input to be 2D or 3D, got {input.dim()}D instead")
            batched = input.dim() == 3
            batch_dim = 0 if self.batch_first else 1
            if not batched:
                input = input.unsqueeze(batch_dim)
            batch = input.size(batch_dim)
        if hx is None:
            hx = self._initial(input, batch)
        else:
            if not packed:
                self._check_state_dims(hx, batched)
                if not batched:
                    hx = self._map_state(hx, lambda state: state.unsqueeze(1))
            # A packed sequence is sorted by length; the state comes in the caller's order.
            hx = self.permute_hidden(hx, sorted_indices)
        self.check_forward_args(input, hx, batch_sizes)
        mode, weights = _FUNCTIONS[self.mode], self._flat_weights
        how = (self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        if packed:
            output, *state = _recurrent.packed(mode, input, batch_sizes, hx, weights, *how)
            output = PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices)
        else:
            output, *state = _recurrent.padded(mode, input, hx, weights, *how, self.batch_first)
        state = tuple(state) if self.mode == "LSTM" else state[0]
        if not batched:
            return output.squeeze(batch_dim), self._map_state(state, lambda value: value.squeeze(1))
        return output, self.permute_hidden(state, unsorted_indices)

    def extra_repr(self):
        parts = [f"{self.input_size}, {self.hidden_size}"]
        for name, default in (
            ("proj_size", 0),
            ("num_layers", 1),
            ("bias", True),
            ("batch_first", False),
            ("dropout", 0),
            ("bidirectional", False),
        ):
            value = getattr(self, name)
            if value != default:
                parts.append(f"{name}={value}")
        return ", ".join(parts)

    def __getstate__(self):
        # PyTorch keeps the weights a second time, in a list, and wants it from a file.
        names = self._flat_weights_names
        return {**self.__dict__, "_flat_weights_names": names, "_flat_weights": [getattr(self, name, None) for name in names]}

    def __setstate__(self, state):
        super().__setstate__(state)
        state = self.__dict__
        state.setdefault("proj_size", 0)
        # Older files hold the names with the weights, and those in lists of their own.
        for name in ("_flat_weights", "_flat_weights_names", "_flat_weight_refs"):
            state.pop(name, None)
        names = state.get("_all_weights", [])
        state["_all_weights"] = [[name for name in group if isinstance(name, str) and name in self._parameters] for group in names]


class RNN(RNNBase):
    """A multi-layer Elman network: ``h = tanh(W_ih x + b_ih + W_hh h + b_hh)``.

    Called with (L, N, input_size), (N, L, input_size) under ``batch_first``, (L, input_size) or a
    ``PackedSequence``, and optionally the first hidden state (layers * directions, N, hidden_size); gives the
    outputs (L, N, directions * hidden_size) and the last hidden state.

    Args:
        input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional: as of :class:`RNNBase`.
        nonlinearity (str): ``"tanh"`` or ``"relu"``. Default: ``"tanh"``.
    """

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            self_nonlinearity, args = args[3], args[:3] + args[4:]
            if "nonlinearity" in kwargs:
                raise TypeError("RNN.__init__() got multiple values for argument 'nonlinearity'")
        else:
            self_nonlinearity = kwargs.pop("nonlinearity", "tanh")
        modes = {"tanh": "RNN_TANH", "relu": "RNN_RELU"}
        if self_nonlinearity not in modes:
            raise ValueError(f"Unknown nonlinearity '{self_nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(modes[self_nonlinearity], *args, **kwargs)
        self.nonlinearity = self_nonlinearity


class LSTM(RNNBase):
    """A multi-layer long short-term memory (Hochreiter and Schmidhuber, 1997), with forget gates.

    Called as :class:`RNN`, but for the state, which is a pair: the hidden state (layers * directions, N, hidden_size or
    proj_size) and the cell state (layers * directions, N, hidden_size). Projections are those of Sak et al., 2014.

    Args:
        input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size: as of :class:`RNNBase`.
    """

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input, batch_sizes):
        return self._expected_size(input, batch_sizes, self.hidden_size)

    def check_forward_args(self, input, hidden, batch_sizes):
        self.check_input(input, batch_sizes)
        sizes = self.get_expected_hidden_size(input, batch_sizes), self.get_expected_cell_size(input, batch_sizes)
        for number, (state, expected) in enumerate(zip(hidden, sizes, strict=False)):
            self.check_hidden_size(state, expected, f"Expected hidden[{number}] size {{}}, got {{}}")

    def permute_hidden(self, hx, permutation):
        return hx if permutation is None else (_permuted(hx[0], permutation), _permuted(hx[1], permutation))

    def _initial(self, input, batch):
        hidden = self.proj_size if self.proj_size > 0 else self.hidden_size
        return self._zeros(input, batch, hidden), self._zeros(input, batch, self.hidden_size)

    def _check_state_dims(self, hx, batched):
        dims = 3 if batched else 2
        if hx[0].dim() != dims or hx[1].dim() != dims:
            kind = "batched 3-D" if batched else "unbatched 2-D"
            raise RuntimeError(
                f"For {kind} input, hx and cx should also be {dims}-D but got ({hx[0].dim()}-D, {hx[1].dim()}-D) tensors"
            )

    @staticmethod
    def _map_state(hx, function):
        return function(hx[0]), function(hx[1])


class GRU(RNNBase):
    """A multi-layer gated recurrent unit (Cho et al., 2014), whose reset gate follows the product.

    Called as :class:`RNN`.

    Args:
        input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional: as of :class:`RNNBase`.
    """

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


class RNNCellBase(Module):
    """What the cells share: ``weight_ih``, ``weight_hh`` and, with ``bias``, ``bias_ih`` and ``bias_hh``."""

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        add_parameter(self, "weight_ih", (rows, input_size), device, dtype)
        add_parameter(self, "weight_hh", (rows, hidden_size), device, dtype)
        add_parameter(self, "bias_ih", (rows,), device, dtype, present=bias)
        add_parameter(self, "bias_hh", (rows,), device, dtype, present=bias)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new values."""
        _draw(self)

    def extra_repr(self):
        parts = [f"{self.input_size}, {self.hidden_size}"]
        if self.bias is not True:
            parts.append(f"bias={self.bias}")
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            parts.append(f"nonlinearity={self.nonlinearity}")
        return ", ".join(parts)

    def _weights(self):
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _check_dims(self, input, states):
        name = type(self).__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for label, state in states:
            if state.dim() not in (1, 2):
                raise ValueError(f"{name}: Expected {label} to be 1D or 2D, got {state.dim()}D instead")

    def _step(self, function, input, hx):
        if hx is not None:
            self._check_dims(input, [("hidden", hx)])
        else:
            self._check_dims(input, [])
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
        if hx is None:
            hx = torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
        elif not batched:
            hx = hx.unsqueeze(0)
        result = function(input, hx, *self._weights())
        return result if batched else result.squeeze(0)


class RNNCell(RNNCellBase):
    """One step of :class:`RNN`: (N, input_size) or (input_size), and the state (N, hidden_size) → the next state.

    Args:
        input_size, hidden_size (int): features.
        bias (bool): whether there are biases. Default: ``True``.
        nonlinearity (str): ``"tanh"`` or ``"relu"``. Default: ``"tanh"``.
    """

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        functions = {"tanh": _recurrent.rnn_tanh_cell, "relu": _recurrent.rnn_relu_cell}
        if self.nonlinearity not in functions:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(functions[self.nonlinearity], input, hx)


class LSTMCell(RNNCellBase):
    """One step of :class:`LSTM`: (N, input_size) or (input_size), and the pair of states → the next pair.

    Args:
        input_size, hidden_size (int): features.
        bias (bool): whether there are biases. Default: ``True``.
    """

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input, hx=None):
        states = [] if hx is None else [(f"hx[{number}]", state) for number, state in enumerate(hx)]
        self._check_dims(input, states)
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
        if hx is None:
            zeros = torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)
            hx = (zeros, zeros)
        elif not batched:
            hx = (hx[0].unsqueeze(0), hx[1].unsqueeze(0))
        result = _recurrent.lstm_cell(input, hx, *self._weights())
        return result if batched else (result[0].squeeze(0), result[1].squeeze(0))


class GRUCell(RNNCellBase):
    """One step of :class:`GRU`: (N, input_size) or (input_size), and the state (N, hidden_size) → the next state.

    Args:
        input_size, hidden_size (int): features.
        bias (bool): whether there are biases. Default: ``True``.
    """

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input, hx=None):
        return self._step(_recurrent.gru_cell, input, hx)

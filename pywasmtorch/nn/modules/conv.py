"""Conv1d, Conv2d, Conv3d, ConvTranspose*, and their lazy forms."""

import inspect

from .. import functional as F
from ..parameter import UninitializedParameter
from .lazy import LazyModuleMixin
from .module import Module
from .utils import _ntuple, add_parameter, reset_weight_and_bias

__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """What convolutions of any number of dimensions and their transposes share."""

    _ndim: int
    _transposed = False

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        dilation,
        output_padding,
        groups,
        bias,
        padding_mode,
        device,
        dtype,
    ):
        super().__init__()
        per_dim = _ntuple(self._ndim)
        kernel_size, stride, dilation, output_padding = map(per_dim, (kernel_size, stride, dilation, output_padding))
        if not isinstance(padding, str):
            padding = per_dim(padding)
        _check_arguments(in_channels, out_channels, groups, stride, padding, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = self._transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = _pad_argument(padding, dilation, kernel_size)
        channels = [out_channels, in_channels]
        if self._transposed:
            channels.reverse()
        add_parameter(self, "weight", (channels[0], channels[1] // groups, *kernel_size), device, dtype)
        add_parameter(self, "bias", (out_channels,), device, dtype, present=bias)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw new values."""
        reset_weight_and_bias(self.weight, self.bias)

    def extra_repr(self):
        n = self._ndim
        parts = [
            f"{self.in_channels}, {self.out_channels}",
            f"kernel_size={self.kernel_size}",
            f"stride={self.stride}",
        ]
        if self.padding != (0,) * n:
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * n:
            parts.append(f"dilation={self.dilation}")
        if self.output_padding != (0,) * n:
            parts.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)


def _check_arguments(in_channels, out_channels, groups, stride, padding, padding_mode):
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if in_channels % groups != 0:
        raise ValueError("in_channels must be divisible by groups")
    if out_channels % groups != 0:
        raise ValueError("out_channels must be divisible by groups")
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
        if padding == "same" and any(s != 1 for s in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
    if padding_mode not in _PADDING_MODES:
        modes = ", ".join(repr(mode) for mode in _PADDING_MODES)
        raise ValueError(f"padding_mode must be one of {{{modes}}}, but got padding_mode='{padding_mode}'")


def _pad_argument(padding, dilation, kernel_size):
    """``padding`` as ``F.pad`` takes it: (before, after) of each dimension, the last one first."""
    if padding == "valid":
        pairs = [(0, 0) for _ in kernel_size]
    elif padding == "same":
        totals = [d * (k - 1) for d, k in zip(dilation, kernel_size, strict=True)]
        pairs = [(total // 2, total - total // 2) for total in totals]
    else:
        pairs = [(p, p) for p in padding]
    return tuple(amount for pair in reversed(pairs) for amount in pair)


class _Conv(_ConvNd):
    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            0,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input):
        return self._conv_forward(input, self.weight, self.bias)

    def _padded(self, input):
        """The input and the padding that is left to the convolution itself."""
        if self.padding_mode == "zeros":
            return input, self.padding
        return F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode), 0


class Conv1d(_Conv):
    """Cross-correlation over one dimension: (N, in, L) or (in, L) → (N, out, L') or (out, L').

    Weight and bias start uniform within 1/sqrt(in / groups * kernel_size).

    Args:
        in_channels, out_channels (int): both divisible by ``groups``.
        kernel_size, stride, dilation (int or tuple): per dimension.
        padding (int, tuple, ``"same"`` or ``"valid"``): added on both sides. Default: 0.
        groups (int): blocks of channels that are convolved apart. Default: 1.
        bias (bool): whether to add a bias. Default: ``True``.
        padding_mode (str): ``"zeros"``, ``"reflect"``, ``"replicate"`` or ``"circular"``. Default: ``"zeros"``.

    Attributes:
        weight (Parameter): (out_channels, in_channels / groups, *kernel_size).
        bias (Parameter or None): (out_channels,).
    """

    _ndim = 1

    def _conv_forward(self, input, weight, bias):
        input, padding = self._padded(input)
        return F.conv1d(input, weight, bias, self.stride, padding, self.dilation, self.groups)


class Conv2d(_Conv):
    """Cross-correlation over two dimensions: (N, in, H, W) or (in, H, W) → (N, out, H', W') or (out, H', W').

    Arguments and attributes are those of :class:`Conv1d`.
    """

    _ndim = 2

    def _conv_forward(self, input, weight, bias):
        input, padding = self._padded(input)
        return F.conv2d(input, weight, bias, self.stride, padding, self.dilation, self.groups)


class Conv3d(_Conv):
    """Cross-correlation over three dimensions: (N, in, D, H, W) or (in, D, H, W) to (N, out, …) or (out, …).

    Arguments and attributes are those of :class:`Conv1d`.
    """

    _ndim = 3

    def _conv_forward(self, input, weight, bias):
        input, padding = self._padded(input)
        return F.conv3d(input, weight, bias, self.stride, padding, self.dilation, self.groups)


class _ConvTransposeNd(_ConvNd):
    _transposed = True

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            output_padding,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _output_padding(self, input, output_size):
        """The output padding that gives ``output_size``, or the module's own where that is None."""
        if output_size is None:
            return self.output_padding
        n = self._ndim
        leading = 2 if input.dim() == n + 2 else 1
        if len(output_size) == leading + n:
            output_size = output_size[leading:]
        if len(output_size) != n:
            raise ValueError(
                f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or {leading + n} elements "
                f"(got {len(output_size)})"
            )
        smallest = [
            (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + 1
            for size, stride, padding, dilation, kernel in zip(
                input.shape[leading:], self.stride, self.padding, self.dilation, self.kernel_size, strict=False
            )
        ]
        largest = [size + stride - 1 for size, stride in zip(smallest, self.stride, strict=True)]
        if not all(low <= size <= high for low, size, high in zip(smallest, output_size, largest, strict=True)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {smallest} to {largest} "
                f"(for an input of {input.size()[2:]})"
            )
        return [size - low for size, low in zip(output_size, smallest, strict=True)]

    def _arguments(self, input, output_size):
        if not isinstance(self.padding, tuple):
            raise AssertionError("self.padding must be a tuple")
        output_padding = self._output_padding(input, output_size)
        return input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation


class ConvTranspose1d(_ConvTransposeNd):
    """The gradient of :class:`Conv1d` with respect to its input: (N, in, L) or (in, L) → (N, out, L') or (out, L').

    Weight and bias start uniform within 1/sqrt(out / groups * kernel_size).

    Args:
        in_channels, out_channels (int): both divisible by ``groups``.
        kernel_size, stride, dilation (int or tuple): per dimension.
        padding (int or tuple): ``dilation * (kernel_size - 1) - padding`` zeros are added on both sides. Default: 0.
        output_padding (int or tuple): added to one side of the output's size. Default: 0.
        groups (int): blocks of channels that are convolved apart. Default: 1.
        bias (bool): whether to add a bias. Default: ``True``.

    ``forward`` takes an ``output_size`` from which the output padding follows.

    Attributes:
        weight (Parameter): (in_channels, out_channels / groups, *kernel_size).
        bias (Parameter or None): (out_channels,).
    """

    _ndim = 1

    def forward(self, input, output_size=None):
        return F.conv_transpose1d(*self._arguments(input, output_size))


class ConvTranspose2d(_ConvTransposeNd):
    """The gradient of :class:`Conv2d` with respect to its input.

    Shapes: (N, in, H, W) or (in, H, W) → (N, out, H', W') or (out, H', W').
    Arguments and attributes are those of :class:`ConvTranspose1d`.
    """

    _ndim = 2

    def forward(self, input, output_size=None):
        return F.conv_transpose2d(*self._arguments(input, output_size))


class ConvTranspose3d(_ConvTransposeNd):
    """The gradient of :class:`Conv3d` with respect to its input.

    Shapes: (N, in, D, H, W) or (in, D, H, W) → (N, out, D', H', W') or (out, D', H', W').
    Arguments and attributes are those of :class:`ConvTranspose1d`.
    """

    _ndim = 3

    def forward(self, input, output_size=None):
        return F.conv_transpose3d(*self._arguments(input, output_size))


class _LazyConvNd(LazyModuleMixin):
    """A convolution that takes ``in_channels`` from its first input."""

    def __init__(self, out_channels, *args, **kwargs):
        # Arguments are those of the plain class without its first one; no channels first, so that no memory is spent.
        arguments = _bound(self.cls_to_become, out_channels, args, kwargs)
        bias, arguments["bias"] = arguments["bias"], False
        super().__init__(0, 0, **arguments)
        factory = {"device": arguments["device"], "dtype": arguments["dtype"]}
        self.weight = UninitializedParameter(**factory)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(**factory)

    def reset_parameters(self):
        """Draw new values, once there are any."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input, *args, **kwargs):
        if not self.has_uninitialized_params():
            return
        dims = (self._ndim + 1, self._ndim + 2)
        if input.dim() not in dims:
            raise RuntimeError(
                f"Expected {dims[0]}D (unbatched) or {dims[1]}D (batched) input to {type(self).__name__}, "
                f"but got input of size: {input.shape}"
            )
        self.in_channels = channels = input.shape[-self._ndim - 1]
        if channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        sizes = [self.out_channels, channels]
        if self._transposed:
            sizes.reverse()
        self.weight.materialize((sizes[0], sizes[1] // self.groups, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


def _bound(kind, out_channels, args, kwargs):
    signature = inspect.signature(kind.__init__)
    try:
        bound = signature.bind(None, 0, out_channels, *args, **kwargs)
    except TypeError as error:
        raise TypeError(f"Lazy{kind.__name__}.__init__() {error}") from None
    bound.apply_defaults()
    arguments = dict(bound.arguments)
    for name in ("self", "in_channels", "out_channels"):
        arguments.pop(name)
    return arguments


class LazyConv1d(_LazyConvNd, Conv1d):
    """:class:`Conv1d` whose ``in_channels`` come from the first input; its arguments begin with ``out_channels``."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConvNd, Conv2d):
    """:class:`Conv2d` whose ``in_channels`` come from the first input; its arguments begin with ``out_channels``."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConvNd, Conv3d):
    """:class:`Conv3d` whose ``in_channels`` come from the first input; its arguments begin with ``out_channels``."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvNd, ConvTranspose1d):
    """:class:`ConvTranspose1d` whose ``in_channels`` come from the first input; its arguments begin with ``out_channels``."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvNd, ConvTranspose2d):
    """:class:`ConvTranspose2d` whose ``in_channels`` come from the first input; its arguments begin with ``out_channels``."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvNd, ConvTranspose3d):
    """:class:`ConvTranspose3d` whose ``in_channels`` come from the first input; its arguments begin with ``out_channels``."""

    cls_to_become = ConvTranspose3d

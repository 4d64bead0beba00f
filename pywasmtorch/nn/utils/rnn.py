"""PackedSequence, pack_padded_sequence, pad_packed_sequence, pad_sequence."""

from collections import namedtuple

import pywasmtorch as torch

from ..._tensor import Tensor

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]

_Fields = namedtuple("_Fields", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"])
_Fields.__name__ = "PackedSequence_"


class PackedSequence(_Fields):
    """Sequences, the longest first, written step by step.

    Attributes:
        data (Tensor): (total length, *), the first step of every sequence, then the second of those that have one, …
        batch_sizes (Tensor): int64 on the CPU, how many sequences have each step.
        sorted_indices (Tensor or None): where each sequence stood before sorting.
        unsorted_indices (Tensor or None): where each sequence stands in the sorted order.
    """

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise AssertionError("PackedSequence needs data and batch_sizes")
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes.device.type != "cpu":
            raise ValueError("batch_sizes should always be on CPU")
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def _with_data(self, data):
        return type(self)(data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def pin_memory(self):
        return self._with_data(self.data.pin_memory())

    def cpu(self, *args, **kwargs):
        return self.to("cpu", *args, **kwargs)

    def cuda(self, *args, **kwargs):
        return self._with_data(self.data.cuda(*args, **kwargs))

    def to(self, *args, **kwargs):
        """Convert ``data`` as ``Tensor.to`` does; this object where nothing changes."""
        data = self.data.to(*args, **kwargs)
        return self if data is self.data else self._with_data(data)

    def double(self):
        return self.to(dtype=torch.double)

    def float(self):
        return self.to(dtype=torch.float)

    def half(self):
        return self.to(dtype=torch.half)

    def long(self):
        return self.to(dtype=torch.long)

    def int(self):
        return self.to(dtype=torch.int)

    def short(self):
        return self.to(dtype=torch.short)

    def char(self):
        return self.to(dtype=torch.int8)

    def byte(self):
        return self.to(dtype=torch.uint8)

    @property
    def is_cuda(self):
        return False

    def is_pinned(self):
        return self.data.is_pinned()


def invert_permutation(permutation):
    """The permutation (N,) that undoes ``permutation``; None for None."""
    if permutation is None:
        return None
    inverse = torch.empty_like(permutation)
    inverse[permutation] = torch.arange(permutation.numel(), device=permutation.device, dtype=permutation.dtype)
    return inverse


def _steps(lengths):
    """How many of the sequences, whose lengths do not increase, have each step."""
    counts, alive = [], len(lengths)
    for step in range(lengths[0]):
        while lengths[alive - 1] <= step:
            alive -= 1
        counts.append(alive)
    return counts


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """Pack padded sequences (T, B, *), or (B, T, *) under ``batch_first``.

    Args:
        input (Tensor): the sequences with padding after each one's end.
        lengths (Tensor or list of int): (B,), each above 0.
        enforce_sorted (bool): refuse lengths that increase; else the sequences are sorted. Default: ``True``.

    Raises:
        RuntimeError: lengths that do not fit, or increase under ``enforce_sorted``.
    """
    if not isinstance(lengths, Tensor):
        lengths = torch.as_tensor(lengths, dtype=torch.int64)
    sorted_indices = None
    if not enforce_sorted:
        lengths, sorted_indices = torch.sort(lengths, descending=True)
        input = input.index_select(0 if batch_first else 1, sorted_indices)
    if batch_first:
        input = input.transpose(0, 1)
    if input.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    sizes = lengths.tolist()
    if len(sizes) != input.size(1):
        raise RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got {len(sizes)} (batch_size={input.size(1)})")
    if any(later > earlier for earlier, later in zip(sizes, sizes[1:])):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not "
            "need ONNX exportability."
        )
    if sizes[-1] <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0")
    if sizes[0] > input.size(0):
        raise RuntimeError(f"lengths go up to {sizes[0]}, but the padded sequences have {input.size(0)} steps")
    counts = _steps(sizes)
    picked = _picked(input.flatten(0, 1), counts, input.size(1))
    return PackedSequence(picked, torch.tensor(counts, dtype=torch.int64), sorted_indices)


def _picked(rows, counts, batch):
    if all(count == batch for count in counts):
        return rows[: len(counts) * batch]
    places = [step * batch + k for step, count in enumerate(counts) for k in range(count)]
    return rows.index_select(0, torch.tensor(places, dtype=torch.int64))


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """The inverse of :func:`pack_padded_sequence`: the padded sequences and their lengths (B,).

    Args:
        padding_value (float): what stands after each sequence's end. Default: 0.
        total_length (int, optional): how many steps to pad to; not less than the longest sequence.

    Raises:
        ValueError: ``total_length`` is too small.
    """
    counts = sequence.batch_sizes.tolist()
    steps, batch, data = len(counts), counts[0], sequence.data
    if total_length is not None:
        if total_length < steps:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {steps}"
            )
        steps = total_length
    places = [step * batch + k for step, count in enumerate(counts) for k in range(count)]
    padded = data.new_full((steps * batch, *data.shape[1:]), padding_value)
    padded = padded.index_copy(0, torch.tensor(places, dtype=torch.int64), data)
    padded = padded.reshape(steps, batch, *data.shape[1:])
    lengths = torch.tensor([sum(count > k for count in counts) for k in range(batch)], dtype=torch.int64)
    if batch_first:
        padded = padded.transpose(0, 1)
    if sequence.unsorted_indices is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, sequence.unsorted_indices), lengths[sequence.unsorted_indices.cpu()]


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """Sequences (L, *) of different lengths in one tensor (T, B, *), or (B, T, *) under ``batch_first``.

    Args:
        padding_value (float): what fills the rest. Default: 0.
        padding_side (str): ``"right"`` or ``"left"``. Default: ``"right"``.
    """
    if isinstance(sequences, Tensor):
        sequences = sequences.unbind(0)
    elif not isinstance(sequences, (list, tuple)):
        try:
            sequences = tuple(sequences)
        except TypeError:
            raise RuntimeError(
                f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
            ) from None
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    longest, rest = max(s.size(0) for s in sequences), tuple(sequences[0].shape[1:])
    if any(tuple(s.shape[1:]) != rest for s in sequences):
        raise RuntimeError("The size of tensors must match in all dimensions but the first of pad_sequence")
    columns = []
    for sequence in sequences:
        missing = longest - sequence.size(0)
        if missing:
            filler = sequence.new_full((missing, *rest), padding_value)
            sequence = torch.cat([filler, sequence] if padding_side == "left" else [sequence, filler])
        columns.append(sequence)
    return torch.stack(columns, 0 if batch_first else 1)


def unpad_sequence(padded_sequences, lengths, batch_first=False):
    """The sequences of a padded tensor, each of its own length."""
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    sizes = lengths.tolist() if isinstance(lengths, Tensor) else lengths
    return [sequence[: int(size)] for sequence, size in zip(padded_sequences, sizes, strict=False)]


def pack_sequence(sequences, enforce_sorted=True):
    """Pack a list of sequences (L, *); see :func:`pack_padded_sequence`."""
    lengths = torch.as_tensor([sequence.size(0) for sequence in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences):
    """The list of sequences that :func:`pack_sequence` packed."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)

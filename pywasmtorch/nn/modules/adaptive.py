"""AdaptiveLogSoftmaxWithLoss."""

from collections import namedtuple

import pywasmtorch as torch

from .. import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Adaptive softmax (Grave et al., 2017) over classes sorted by how often they occur.

    ``forward(input, target)`` takes (N, in_features) or (in_features,) and (N,) or a number; it gives a named tuple of the
    target's log-probabilities ``output`` and their negative mean ``loss``.

    Args:
        in_features (int): features of the input.
        n_classes (int): classes.
        cutoffs (sequence of int): where clusters of rarer classes begin, increasing.
        div_value (float): each cluster's features are fewer by this factor. Default: 4.
        head_bias (bool): whether the head has a bias. Default: ``False``.
    """

    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None):
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        is_whole = all(int(c) == c for c in cutoffs)
        if (
            not is_whole
            or cutoffs != sorted(cutoffs)
            or len(set(cutoffs)) != len(cutoffs)
            or min(cutoffs) <= 0
            or max(cutoffs) > n_classes - 1
        ):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each value is "
                "between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, **factory)
        self.tail = ModuleList()
        for number in range(self.n_clusters):
            width = int(in_features // (div_value ** (number + 1)))
            size = self.cutoffs[number + 1] - self.cutoffs[number]
            self.tail.append(
                Sequential(
                    Linear(in_features, width, bias=False, **factory),
                    Linear(width, size, bias=False, **factory),
                )
            )

    def reset_parameters(self):
        """Draw new values."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_, target_):
        if target_.dim() == 1:
            if input_.size(0) != target_.size(0):
                raise RuntimeError("Input and target should have the same size in the batch dimension.")
            if input_.dim() != 2:
                raise RuntimeError(f"1D target tensor expects 2D input tensors, but found inputs with size {input_.size()}")
        elif target_.dim() == 0:
            if input_.dim() != 1:
                raise RuntimeError(f"0D target tensor expects 1D input tensors, but found inputs with size {input_.size()}")
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        batched = target_.dim() > 0
        inputs = input_ if batched else input_.unsqueeze(0)
        target = target_ if batched else target_.unsqueeze(0)
        if target.numel() and bool(((target < 0) | (target >= self.n_classes)).any()):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range [{target.min().item()}, "
                f"{target.max().item()}] were found. "
            )
        output = self._log_probabilities(inputs, target)
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _log_probabilities(self, inputs, target):
        head_classes = target.clone()
        output = inputs.new_zeros(target.size(0))
        for number, cluster in enumerate(self.tail):
            low, high = self.cutoffs[number], self.cutoffs[number + 1]
            rows = ((target >= low) & (target < high)).nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            logs = F.log_softmax(cluster(inputs.index_select(0, rows)), dim=1)
            own = logs.gather(1, (target[rows] - low).unsqueeze(1)).squeeze(1)
            output = output.index_copy(0, rows, own.to(output.dtype))
            head_classes = head_classes.index_fill(0, rows, self.shortlist_size + number)
        head = F.log_softmax(self.head(inputs), dim=1)
        return output + head.gather(1, head_classes.unsqueeze(1)).squeeze(1)

    def _log_prob_of(self, input, head_output):
        head = F.log_softmax(head_output, dim=1)
        parts = [head[:, : self.shortlist_size]]
        for number, cluster in enumerate(self.tail):
            parts.append(F.log_softmax(cluster(input), dim=1) + head[:, self.shortlist_size + number].unsqueeze(1))
        return torch.cat(parts, 1)

    def log_prob(self, input):
        """Log-probabilities of all classes: (N, in_features) → (N, n_classes)."""
        return self._log_prob_of(input, self.head(input))

    def predict(self, input):
        """The most probable class: (N, in_features) → (N,). Clusters are computed for the rows that need them."""
        head_output = self.head(input)
        output = head_output.argmax(dim=1)
        in_tail = output >= self.shortlist_size
        if not bool(in_tail.any()):
            return output
        if bool(in_tail.all()):
            return self._log_prob_of(input, head_output).argmax(dim=1)
        rows = in_tail.nonzero().squeeze(1)
        found = self._log_prob_of(input[rows], head_output[rows]).argmax(dim=1)
        return output.index_copy(0, rows, found)

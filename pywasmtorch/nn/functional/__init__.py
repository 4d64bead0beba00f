"""torch.nn.functional, gathered from one file per family and the generated operators."""

from types import FunctionType as _function

from ..._core.checks import tensors_checked as _tensors_checked
from ..._core.generated.ops import NN as _generated
from ..._core.names import absent as _absent
from ..._functions.autocast import in_float32 as _in_float32
from ..._functions.autocast import in_lower as _in_lower
from ..._functions.conv import *  # noqa: F403
from ..._functions.distance import pdist  # noqa: F401
from .activation import *  # noqa: F403
from .attention import *  # noqa: F403
from .ctc import *  # noqa: F403
from .distance import *  # noqa: F403
from .dropout import *  # noqa: F403
from .fold import *  # noqa: F403
from .fractional import *  # noqa: F403
from .grouped import *  # noqa: F403
from .linear_loss import *  # noqa: F403
from .loss import *  # noqa: F403
from .margin import *  # noqa: F403
from .norm import *  # noqa: F403
from .norm import sixteen_bits as _sixteen_bits
from .pooling import *  # noqa: F403
from .sampling import *  # noqa: F403
from .sparse import *  # noqa: F403
from .unpooling import *  # noqa: F403
from .upsampling import *  # noqa: F403
from .vision import *  # noqa: F403

# what PyTorch has in C++ takes NumPy's names of arguments
_IN_CPP = set("channel_shuffle conv1d conv2d conv3d cosine_similarity pairwise_distance pdist pixel_shuffle pixel_unshuffle".split())
# activations are called often, and refuse other types by themselves
globals().update({n: _tensors_checked(f, n in _IN_CPP) for n, f in list(globals().items()) if type(f) is _function and (f.__module__ != f"{__name__}.activation" or n in ("gumbel_softmax", "rrelu", "rrelu_")) and n[0] != "_"})
globals().update({name: function for name, function in _generated.items() if name not in globals()})

# what autocast computes in another dtype as a whole; the tables mark the operators
_WIDE = (
    "cosine_embedding_loss hinge_embedding_loss kl_div margin_ranking_loss max_unpool1d max_unpool2d max_unpool3d multi_margin_loss multilabel_margin_loss "
    "poisson_nll_loss soft_margin_loss triplet_margin_loss"
)
globals().update({n: _in_float32(globals()[n]) for n in _WIDE.split()})
globals()["rms_norm"] = _sixteen_bits(globals()["rms_norm"])
globals()["scaled_dot_product_attention"] = _in_lower(globals()["scaled_dot_product_attention"])

_absent_here = _absent(__name__)


def __getattr__(name: str) -> object:
    """`grad` needs the functions of convolutions first."""
    if name == "grad":
        from importlib import import_module

        return import_module(f"{__name__.rpartition('.')[0]}.grad")
    return _absent_here(name)


# Files name functions by the place where PyTorch has them.
for _found in list(globals().values()):
    if type(_found) is _function and _found.__module__.startswith(f"{__name__}."):
        _found.__module__ = __name__
del _found

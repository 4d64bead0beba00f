"""torch.nn.functional: the functions behind the modules, one file a family."""

from types import FunctionType as _function

from ..._checks import tensors_checked as _tensors_checked
from ..._conv import *  # noqa: F403
from ..._generated.ops import NN as _generated
from ..._names import absent as _absent
from ..._products import pdist  # noqa: F401
from .activation import *  # noqa: F403
from .attention import *  # noqa: F403
from .ctc import *  # noqa: F403
from .distance import *  # noqa: F403
from .dropout import *  # noqa: F403
from .fold import *  # noqa: F403
from .fractional import *  # noqa: F403
from .linear_loss import *  # noqa: F403
from .loss import *  # noqa: F403
from .margin import *  # noqa: F403
from .norm import *  # noqa: F403
from .pooling import *  # noqa: F403
from .sampling import *  # noqa: F403
from .sparse import *  # noqa: F403
from .unpooling import *  # noqa: F403
from .upsampling import *  # noqa: F403
from .vision import *  # noqa: F403

# activations are called often, and refuse other types by themselves
globals().update({n: _tensors_checked(f) for n, f in list(globals().items()) if type(f) is _function and (f.__module__ != f"{__name__}.activation" or n in ("gumbel_softmax", "rrelu", "rrelu_")) and n[0] != "_"})
globals().update({name: function for name, function in _generated.items() if name not in globals()})

__getattr__ = _absent(__name__)

"""The modules, one file a family."""

from .activation import *
from .batchnorm import *
from .channelshuffle import *
from .container import *
from .conv import *
from .distance import *
from .dropout import *
from .flatten import *
from .fold import *
from .instancenorm import *
from .linear import *
from .loss import *
from .module import Module
from .normalization import *
from .padding import *
from .pixelshuffle import *
from .pooling import *
from .sparse import *
from .upsampling import *

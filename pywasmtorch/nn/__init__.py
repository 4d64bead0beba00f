"""Building blocks of neural networks: modules, parameters, their functions and starting values."""

from . import functional, init, modules, parameter, utils
from .modules import *
from .modules.module import Module
from .parameter import Buffer, Parameter

"""efficientnet-lite-pytorch: its networks with their own initial values, forward and backward."""

from common import case, finish, package, pattern, report

package("efficientnet-lite-pytorch")

import torch  # noqa: E402
from efficientnet_lite_pytorch import EfficientNet  # noqa: E402
from efficientnet_lite_pytorch.utils import MemoryEfficientSwish, drop_connect, get_same_padding_conv2d  # noqa: E402


def lite(name, training):
    model = EfficientNet.from_name(name, num_classes=10).train(training)
    if training:  # rounding grows from layer to layer where each normalizes by its few values
        return model, model.double()(pattern(2, 3, 64, 64).double())
    return model, model(pattern(2, 3, 64, 64))


case("lite0", lambda: lite("efficientnet-lite0", False))
case("lite0_training", lambda: lite("efficientnet-lite0", True))
case("lite1", lambda: lite("efficientnet-lite1", False))


def endpoints():
    model = EfficientNet.from_name("efficientnet-lite0", in_channels=1).eval()
    return model, torch.cat([x.mean((2, 3)) for x in [model.extract_features(pattern(1, 1, 64, 64))]], 1)


def same_padding():
    model = torch.nn.Sequential(get_same_padding_conv2d()(3, 4, 3, stride=2), MemoryEfficientSwish(),
                                get_same_padding_conv2d(image_size=9)(4, 4, 4, stride=2))
    return model, model(pattern(2, 3, 17, 17))


case("endpoints", endpoints)
case("same_padding", same_padding)
torch.manual_seed(3)
report(connected=drop_connect(pattern(8, 3, 2, 2), 0.5, True))
finish()

"""lpips: its learned distances over trunks with their own initial values, with the linear layers that the package carries."""

from common import case, finish, need_numpy, package, pattern, report, stand_in

package("lpips")
need_numpy()
for name in ("skimage.transform", "scipy.ndimage", "tqdm", "matplotlib.pyplot", "PIL", "cv2", "IPython"):
    stand_in(name)

import torch  # noqa: E402
from torch import nn  # noqa: E402


def alexnet(pretrained):
    return with_features(
        nn.Conv2d(3, 64, 11, 4, 2), nn.ReLU(True), nn.MaxPool2d(3, 2), nn.Conv2d(64, 192, 5, padding=2), nn.ReLU(True),
        nn.MaxPool2d(3, 2), nn.Conv2d(192, 384, 3, padding=1), nn.ReLU(True), nn.Conv2d(384, 256, 3, padding=1), nn.ReLU(True),
        nn.Conv2d(256, 256, 3, padding=1), nn.ReLU(True), nn.MaxPool2d(3, 2))


class Fire(nn.Module):
    def __init__(self, channels, squeezed, expanded):
        super().__init__()
        self.squeeze = nn.Conv2d(channels, squeezed, 1)
        self.expand = nn.ModuleList([nn.Conv2d(squeezed, expanded, 1), nn.Conv2d(squeezed, expanded, 3, padding=1)])

    def forward(self, x):
        x = self.squeeze(x).relu()
        return torch.cat([layer(x).relu() for layer in self.expand], 1)


def squeezenet1_1(pretrained):
    pool = [nn.MaxPool2d(3, 2, ceil_mode=True) for _ in range(3)]
    return with_features(
        nn.Conv2d(3, 64, 3, 2), nn.ReLU(True), pool[0], Fire(64, 16, 64), Fire(128, 16, 64), pool[1], Fire(128, 32, 128),
        Fire(256, 32, 128), pool[2], Fire(256, 48, 192), Fire(384, 48, 192), Fire(384, 64, 256), Fire(512, 64, 256))


def with_features(*layers):
    network = nn.Module()
    network.features = nn.Sequential(*layers)
    return network


stand_in("torchvision.models", alexnet=alexnet, squeezenet1_1=squeezenet1_1)

import lpips  # noqa: E402


def distance(net, **settings):
    model = lpips.LPIPS(net=net, pnet_rand=True, pnet_tune=True, verbose=False, **settings)
    one, other = pattern(2, 3, 64, 64), pattern(2, 3, 64, 64, step=0.31)
    return model, model(one, other)


case("alex", lambda: distance("alex"))
case("alex_spatial", lambda: distance("alex", spatial=True))
case("alex_old", lambda: distance("alex", version="0.0"))
case("squeeze", lambda: distance("squeeze"))
linear = lpips.LPIPS(net="alex", pnet_rand=True, verbose=False)
report(**{f"linear_{i}": layer.model[-1].weight[0, ::4, 0, 0] for i, layer in enumerate(linear.lins)})


def ranking():
    model = lpips.BCERankingLoss()
    loss = model(pattern(4, 1, 1, 1).abs(), pattern(4, 1, 1, 1, step=0.9).abs(), pattern(4, 1, 1, 1, step=0.2))
    return model, loss, loss


case("ranking", ranking)
finish()

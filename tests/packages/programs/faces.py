"""facenet-pytorch: the three networks of its face detector, and the whole detector on a face drawn with closed forms."""

import sys

from common import finish, need_numpy, package, pattern, report, stand_in

folder = package("facenet-pytorch")
have_numpy = need_numpy()
stand_in("PIL", Image=stand_in("PIL.Image"))
stand_in("requests.adapters")
stand_in("tqdm")
stand_in("torchvision.transforms.functional", to_tensor=lambda array: torch.from_numpy(array).permute(2, 0, 1))

import torch  # noqa: E402


def batched_nms(boxes, scores, groups, threshold):
    """Greedy suppression of boxes of the same group that overlap, as torchvision has it."""
    kept = []
    order = scores.argsort(descending=True, stable=True).tolist()
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    while order:
        best, rest = order[0], torch.tensor(order[1:], dtype=torch.int64)
        kept.append(best)
        low = torch.maximum(boxes[best, :2], boxes[rest, :2])
        high = torch.minimum(boxes[best, 2:], boxes[rest, 2:])
        common = (high - low).clamp(min=0).prod(1)
        over = common / (area[best] + area[rest] - common)
        order = rest[(over <= threshold) | (groups[rest] != groups[best])].tolist()
    return torch.tensor(kept, dtype=torch.int64)


stand_in("torchvision.ops.boxes", batched_nms=batched_nms)

from facenet_pytorch.models.inception_resnet_v1 import InceptionResnetV1  # noqa: E402
from facenet_pytorch.models.mtcnn import MTCNN, ONet, PNet, RNet, prewhiten  # noqa: E402


def networks():
    with torch.no_grad():
        for name, network, size in (("pnet", PNet(), 30), ("rnet", RNet(), 24), ("onet", ONet(), 48)):
            report(**{f"{name}_{i}": out for i, out in enumerate(network(pattern(2, 3, size, size)))})
            stored = torch.load(folder / "facenet_pytorch" / "data" / f"{name}.pt")
            report(**{f"{name}_strides": [list(w.stride()) for w in stored.values()]})

    network = RNet()
    boxes, scores = network(prewhiten(pattern(2, 3, 24, 24, step=0.51)))
    (boxes.square().sum() + scores[:, 1].log().sum()).backward()
    report(**{f"grad_{name}": p.grad.flatten()[::61] for name, p in network.named_parameters()})


def detect():
    rows, columns = torch.meshgrid(torch.arange(96.0), torch.arange(96.0), indexing="ij")

    def ellipse(x, y, width, height, soft=1.0):
        return torch.sigmoid((1 - (((columns - x) / width) ** 2 + ((rows - y) / height) ** 2)) * 6 / soft)

    skin = torch.tensor([222.0, 176.0, 150.0])
    image = torch.tensor([70.0, 90.0, 120.0]).expand(96, 96, 3)
    for color, shape in (
        (torch.tensor([60.0, 40.0, 30.0]), ellipse(48, 42, 27, 33)),
        (skin, ellipse(48, 50, 22, 29)),
        (skin * 0.75, ellipse(48, 56, 4, 8, 3)),
        (torch.tensor([50.0, 35.0, 30.0]), ellipse(39, 38, 6, 1.8)),
        (torch.tensor([50.0, 35.0, 30.0]), ellipse(57, 38, 6, 1.8)),
        (torch.tensor([240.0, 235.0, 230.0]), ellipse(39, 44, 5, 2.6)),
        (torch.tensor([240.0, 235.0, 230.0]), ellipse(57, 44, 5, 2.6)),
        (torch.tensor([30.0, 20.0, 20.0]), ellipse(39, 44, 2.4, 2.4)),
        (torch.tensor([30.0, 20.0, 20.0]), ellipse(57, 44, 2.4, 2.4)),
        (torch.tensor([110.0, 70.0, 60.0]), ellipse(45.5, 60, 1.6, 1.2)),
        (torch.tensor([110.0, 70.0, 60.0]), ellipse(50.5, 60, 1.6, 1.2)),
        (torch.tensor([170.0, 70.0, 70.0]), ellipse(48, 67, 9, 3)),
    ):
        image = image + shape[..., None] * (color - image)
    image = image.round().clamp(0, 255).byte()
    report(image_sum=image.long().sum())
    detector = MTCNN(image_size=32, thresholds=[0.5, 0.5, 0.5], keep_all=True)
    found, scores, points = detector.detect(image, landmarks=True)
    report(found=torch.as_tensor(found.astype("float64")), scores=torch.as_tensor(scores.astype("float64")))
    report(points=torch.as_tensor(points.astype("float64")), crop=detector(image)[0, :, ::4, ::4])


def embed():
    torch.manual_seed(0)
    embedder = InceptionResnetV1(num_classes=5).eval()
    with torch.no_grad():
        report(embedding=embedder(pattern(1, 3, 80, 80)), parameters=sum(p.numel() for p in embedder.parameters()))


for part in (networks, detect, embed):
    if part.__name__ in sys.argv:
        part()

finish()

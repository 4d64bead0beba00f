"""map_location and device tags of loaded storages; register_package."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from .._core.device import device
from .._tensor.storage import UntypedStorage

DEVICES_ELSEWHERE = ("cuda", "mps", "xpu", "xla", "hpu", "privateuse1")
_registry: list[tuple[int, Callable[[Any], Any], Callable[[Any, str], Any]]] = []


def register_package(priority: int, tagger: Callable[[Any], Any], deserializer: Callable[[Any, str], Any]) -> None:
    """Lets other code tag storages that are saved and place storages that are loaded, those of low priority first.

    `tagger(storage)` gives a tag or None; `deserializer(storage, tag)` gives a storage or None.
    """
    _registry.append((priority, tagger, deserializer))
    _registry.sort(key=operator.itemgetter(0))


def location_tag(storage: Any) -> str:
    """The tag that a storage is saved with."""
    for _, tagger, _ in _registry:
        tag = tagger(storage)
        if tag:
            return tag
    raise RuntimeError(f"don't know how to determine data location of {type(storage).__name__}")


def default_restore_location(storage: Any, location: str) -> Any:
    """The storage where `location` says. RuntimeError for devices that are not here."""
    for _, _, deserializer in _registry:
        placed = deserializer(storage, location)
        if placed is not None:
            return placed
    raise RuntimeError(f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with {location})")


def _place_on_cpu(storage: Any, location: str) -> Any:
    return storage if location == "cpu" or re.fullmatch(r"cpu(:\d+)?", location) else None


def _refuse_other_devices(storage: Any, location: str) -> Any:
    kind = location.partition(":")[0]
    if kind in DEVICES_ELSEWHERE:
        name = kind.upper()
        raise RuntimeError(
            f"Attempting to deserialize object on a {name} device but torch.{kind}.is_available() is False. If you are running on a "
            "CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU."
        )
    return None


def _tag_on_meta(storage: Any) -> str | None:
    return "meta" if storage.device.type == "meta" else None


def _place_on_meta(storage: Any, location: str) -> Any:
    return UntypedStorage(storage.nbytes(), device="meta") if location == "meta" else None


register_package(10, lambda storage: "cpu", _place_on_cpu)
register_package(5, _tag_on_meta, _place_on_meta)
register_package(20, lambda storage: None, _refuse_other_devices)


def restorer(map_location: Any) -> Callable[[Any, str], Any]:
    """The function (storage, tag) -> storage that `map_location` stands for."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(storage, str(map_location.get(location, location)))
    if isinstance(map_location, bytes):
        map_location = map_location.decode("ascii")
    if isinstance(map_location, (str, device)):
        place = str(map_location)
        if isinstance(map_location, str):
            device(map_location)
        return lambda storage, location: default_restore_location(storage, place)
    if not callable(map_location):
        raise TypeError(f"map_location must be a str, a torch.device, a dict or a function, not {type(map_location).__name__}")

    def restore(storage: Any, location: str) -> Any:
        placed = map_location(storage, location)
        if placed is None:
            placed = default_restore_location(storage, location)
        if not isinstance(placed, UntypedStorage):
            raise TypeError(f"map_location must return a storage or None, not {type(placed).__name__}")
        return placed

    return restore

"""torch.hub stub: load and download functions raise, with an alternative in the message."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]


def _absent(name: str, instead: str) -> Any:
    def refuse(*arguments: Any, **names: Any) -> NoReturn:
        raise NotImplementedError(f"pywasmtorch has no torch.hub.{name}: it downloads nothing; {instead}")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


_OTHERWISE = "fetch the file yourself and give its path to torch.load"
load_state_dict_from_url = _absent("load_state_dict_from_url", _OTHERWISE)
download_url_to_file = _absent("download_url_to_file", _OTHERWISE)
load = _absent("load", "install the model's package")
list = _absent("list", "install the model's package")
help = _absent("help", "install the model's package")
get_dir = _absent("get_dir", "there is no folder of downloads")
set_dir = _absent("set_dir", "there is no folder of downloads")

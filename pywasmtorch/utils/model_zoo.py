"""torch.utils.model_zoo stub: load_url raises."""

from ..hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]

"""RemovableHandle: removes a hook."""

import weakref
from collections import OrderedDict


class RemovableHandle:
    """Removes one hook from the dictionaries it was entered in.

    It is also a context manager: leaving the block removes the hook.

    Args:
        hooks_dict: the (ordered) dictionary that maps ``handle.id`` to the hook.
        extra_dict: a dictionary, or a list of them, with further entries under the same id.
    """

    next_id = 0

    def __init__(self, hooks_dict, *, extra_dict=None):
        if extra_dict is None:
            extra_dict = ()
        elif isinstance(extra_dict, dict):
            extra_dict = (extra_dict,)
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.extra_dict_ref = tuple(weakref.ref(d) for d in extra_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1

    def remove(self):
        """Remove the hook; doing so twice, or after its owner is gone, does nothing."""
        for ref in (self.hooks_dict_ref, *self.extra_dict_ref):
            entries = ref()
            if entries is not None:
                entries.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        self.remove()

    def __getstate__(self):
        return self.hooks_dict_ref(), self.id, tuple(ref() for ref in self.extra_dict_ref)

    def __setstate__(self, state):
        hooks_dict, self.id, extra_dicts = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks_dict is None else hooks_dict)
        self.extra_dict_ref = tuple(weakref.ref(d) for d in extra_dicts if d is not None)
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)

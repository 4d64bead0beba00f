"""torch.distributed for a group of one process: collectives with a world size of 1.

A group of more raises NotImplementedError: the core's memory is its process's own, and nothing here speaks to other processes."""

from __future__ import annotations

import os
from enum import IntEnum
from typing import Any

from .._core.names import absent as _absent
from ..autograd.grad_mode import no_grad

__all__ = [
    "GroupMember", "ReduceOp", "all_gather", "all_gather_into_tensor", "all_gather_object", "all_reduce", "all_to_all", "barrier", "broadcast", "broadcast_object_list",
    "destroy_process_group", "gather", "get_backend", "get_rank", "get_world_size", "group", "init_process_group", "is_available", "is_gloo_available", "is_initialized",
    "is_mpi_available", "is_nccl_available", "is_torchelastic_launched", "new_group", "reduce", "reduce_scatter", "reduce_scatter_tensor", "scatter",
]


class ReduceOp:
    """The reductions; all of them leave what one process holds as it is."""

    class RedOpType(IntEnum):
        SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR = range(8)

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR = RedOpType


reduce_op = ReduceOp


class GroupMember:
    WORLD: Any = None
    NON_GROUP_MEMBER = -100


group = GroupMember


class Work:
    """A collective that is over."""

    def wait(self, timeout: Any = None) -> bool:
        return True

    def is_completed(self) -> bool:
        return True


class ProcessGroup:
    """One process."""

    def __init__(self, backend: str) -> None:
        self.backend = backend

    def rank(self) -> int:
        return 0

    def size(self) -> int:
        return 1


_world: ProcessGroup | None = None


def is_available() -> bool:
    return True


def is_initialized() -> bool:
    return _world is not None


def is_nccl_available() -> bool:
    return False


is_mpi_available = is_ucc_available = is_xccl_available = is_torchelastic_launched = is_nccl_available


def is_gloo_available() -> bool:
    return True


def init_process_group(
    backend: str | None = None, init_method: str | None = None, timeout: Any = None, world_size: int = -1, rank: int = -1, store: Any = None, group_name: str = "",
    pg_options: Any = None, device_id: Any = None,
) -> None:
    """Starts the group of this process alone. The size comes from `world_size` or the variable WORLD_SIZE.

    ValueError where there is a group already or no size, NotImplementedError for another size than 1, RuntimeError for backends of devices."""
    global _world
    if _world is not None:
        raise ValueError("trying to initialize the default process group twice!")
    if world_size < 0 and init_method in (None, "env://"):
        for name in ("RANK", "WORLD_SIZE"):
            if name not in os.environ:
                raise ValueError(f"Error initializing torch.distributed using env:// rendezvous: environment variable {name} expected, but not set")
        world_size, rank = int(os.environ["WORLD_SIZE"]), int(os.environ["RANK"])
    if world_size != 1 or rank > 0:
        raise NotImplementedError(f"pywasmtorch has torch.distributed for one process, and world_size is {world_size}; see docs/differences.md")
    if backend in ("nccl", "mpi", "ucc", "xccl"):
        raise RuntimeError(f"Distributed package doesn't have {backend.upper()} built in")
    _world = GroupMember.WORLD = ProcessGroup(backend or "gloo")


def destroy_process_group(group: Any = None) -> None:
    """AssertionError where there is none."""
    global _world
    if _world is None:
        raise AssertionError("Process group cannot be None")
    if group is None or group is _world:
        _world = GroupMember.WORLD = None


def _checked(group: Any) -> ProcessGroup:
    if _world is None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return group or _world


def _only_rank(rank: Any) -> None:
    if rank not in (None, 0):
        raise ValueError(f"rank {rank} is not in a group of 1 process")


def get_rank(group: Any = None) -> int:
    _checked(group)
    return 0


def get_world_size(group: Any = None) -> int:
    _checked(group)
    return 1


def get_backend(group: Any = None) -> str:
    return _checked(group).backend


def new_group(ranks: Any = None, timeout: Any = None, backend: str | None = None, **_: Any) -> ProcessGroup:
    for rank in ranks or ():
        _only_rank(rank)
    return ProcessGroup(backend or get_backend())


def barrier(group: Any = None, async_op: bool = False, device_ids: Any = None) -> Work | None:
    return _over(group, async_op)


def _over(group: Any, async_op: bool) -> Work | None:
    _checked(group)
    return Work() if async_op else None


def all_reduce(tensor: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Work | None:
    """Leaves `tensor` as it is."""
    return _over(group, async_op)


def reduce(tensor: Any, dst: Any = None, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False, group_dst: Any = None) -> Work | None:
    _only_rank(dst)
    return _over(group, async_op)


def broadcast(tensor: Any, src: Any = None, group: Any = None, async_op: bool = False, group_src: Any = None) -> Work | None:
    _only_rank(src)
    return _over(group, async_op)


def broadcast_object_list(object_list: Any, src: Any = None, group: Any = None, device: Any = None, group_src: Any = None) -> None:
    _only_rank(src)
    _checked(group)


def _only(tensors: Any, name: str) -> Any:
    if len(tensors) != 1:
        raise ValueError(f"{name} must be a list of 1 tensor, one for each process; it has {len(tensors)}")
    return tensors[0]


def all_gather(tensor_list: Any, tensor: Any, group: Any = None, async_op: bool = False) -> Work | None:
    """Copies `tensor` into the one tensor of the list."""
    work = _over(group, async_op)
    with no_grad():
        _only(tensor_list, "tensor_list").copy_(tensor)
    return work


def all_gather_into_tensor(output_tensor: Any, input_tensor: Any, group: Any = None, async_op: bool = False) -> Work | None:
    work = _over(group, async_op)
    with no_grad():
        output_tensor.copy_(input_tensor.reshape(output_tensor.shape))
    return work


reduce_scatter_single = all_gather_single = all_gather_into_tensor


def reduce_scatter_tensor(output: Any, input: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Work | None:
    return all_gather_into_tensor(output, input, group, async_op)


def all_gather_object(object_list: Any, obj: Any, group: Any = None) -> None:
    _checked(group)
    _only(object_list, "object_list")
    object_list[0] = obj


def gather_object(obj: Any, object_gather_list: Any = None, dst: Any = None, group: Any = None, group_dst: Any = None) -> None:
    _only_rank(dst)
    all_gather_object(object_gather_list or (), obj, group)


def scatter_object_list(scatter_object_output_list: Any, scatter_object_input_list: Any = None, src: Any = None, group: Any = None, group_src: Any = None) -> None:
    _only_rank(src)
    _checked(group)
    scatter_object_output_list[0] = _only(scatter_object_input_list or (), "scatter_object_input_list")


def get_global_rank(group: Any, group_rank: int) -> int:
    _only_rank(group_rank)
    return 0


def get_process_group_ranks(group: Any = None) -> list[int]:
    _checked(group)
    return [0]


def monitored_barrier(group: Any = None, timeout: Any = None, wait_all_ranks: bool = False) -> None:
    _checked(group)


def all_to_all_single(
    output: Any, input: Any, output_split_sizes: Any = None, input_split_sizes: Any = None, group: Any = None, async_op: bool = False
) -> Work | None:
    return all_gather_into_tensor(output, input, group, async_op)


def gather(tensor: Any, gather_list: Any = None, dst: Any = None, group: Any = None, async_op: bool = False, group_dst: Any = None) -> Work | None:
    _only_rank(dst)
    return all_gather(gather_list or (), tensor, group, async_op)


def scatter(tensor: Any, scatter_list: Any = None, src: Any = None, group: Any = None, async_op: bool = False, group_src: Any = None) -> Work | None:
    _only_rank(src)
    return all_gather([tensor], _only(scatter_list or (), "scatter_list"), group, async_op)


def reduce_scatter(output: Any, input_list: Any, op: Any = ReduceOp.SUM, group: Any = None, async_op: bool = False) -> Work | None:
    return all_gather([output], _only(input_list, "input_list"), group, async_op)


def all_to_all(output_tensor_list: Any, input_tensor_list: Any, group: Any = None, async_op: bool = False) -> Work | None:
    return all_gather(output_tensor_list, _only(input_tensor_list, "input_tensor_list"), group, async_op)

__getattr__ = _absent(__name__)

"""Saving and loading a module's state."""

import copy
from collections import OrderedDict

import pytest

import pywasmtorch as torch
from pywasmtorch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 3)
        self.norm = nn.BatchNorm1d(3)
        self.register_buffer("kept", torch.zeros(1))
        self.register_buffer("lost", torch.zeros(1), persistent=False)


KEYS = [
    "kept",
    "layer.weight",
    "layer.bias",
    "norm.weight",
    "norm.bias",
    "norm.running_mean",
    "norm.running_var",
    "norm.num_batches_tracked",
]


def message_of(function):
    with pytest.raises(RuntimeError) as caught:
        function()
    return str(caught.value)


class TestSaving:
    def test_keys_and_metadata(self):
        state = Net().state_dict()
        assert type(state) is OrderedDict and list(state) == KEYS
        assert dict(state._metadata) == {"": {"version": 1}, "layer": {"version": 1}, "norm": {"version": 2}}

    def test_values_share_memory_but_no_graph(self):
        net = Net()
        state = net.state_dict()
        assert not state["layer.weight"].requires_grad and type(state["layer.weight"]) is torch.Tensor
        state["layer.weight"].fill_(7)
        assert net.layer.weight[0, 0].item() == 7
        assert net.state_dict(keep_vars=True)["layer.weight"] is net.layer.weight

    def test_prefix_and_destination(self):
        mine = {"mine": 1}
        assert Net().state_dict(destination=mine, prefix="net.") is mine
        assert list(mine) == ["mine", *(f"net.{key}" for key in KEYS)]
        with pytest.warns(FutureWarning, match="Positional args are being deprecated"):
            assert list(Net().layer.state_dict({}, "x.")) == ["x.weight", "x.bias"]

    def test_hooks(self):
        net = Net()
        seen = []
        net.register_state_dict_pre_hook(
            lambda module, prefix, keep_vars: seen.append((module is net, prefix, keep_vars))
        )

        def drop(module, state_dict, prefix, local_metadata):
            del state_dict["kept"]

        net.register_state_dict_post_hook(drop)
        assert list(net.state_dict()) == KEYS[1:]
        assert seen == [(True, "", False)]
        net.layer.register_state_dict_post_hook(lambda module, state_dict, prefix, local_metadata: state_dict)
        with pytest.raises(RuntimeError, match="state_dict post-hook must return None"):
            net.state_dict()
        with pytest.raises(RuntimeError, match="Cannot register the same function"):
            net._register_state_dict_hook(drop)


class TestLoading:
    def test_all_keys(self):
        source, target = Net(), Net()
        weight = target.layer.weight
        keys = target.load_state_dict(source.state_dict())
        assert repr(keys) == str(keys) == "<All keys matched successfully>"
        assert keys.missing_keys == [] and keys.unexpected_keys == []
        assert target.layer.weight is weight and weight.tolist() == source.layer.weight.tolist()
        assert weight.requires_grad

    def test_missing_and_unexpected(self):
        net = Net()
        state = net.state_dict()
        del state["layer.bias"], state["kept"]
        state["extra"] = torch.zeros(1)
        state["layer.deep.one"] = torch.zeros(1)
        assert message_of(lambda: net.load_state_dict(state)) == (
            "Error(s) in loading state_dict for Net:\n"
            '\tMissing key(s) in state_dict: "kept", "layer.bias". \n'
            '\tUnexpected key(s) in state_dict: "extra", "layer.deep.one". '
        )
        keys = net.load_state_dict(state, strict=False)
        assert keys.missing_keys == ["kept", "layer.bias"]
        assert keys.unexpected_keys == ["extra", "layer.deep.one"]
        assert repr(keys) == (
            "_IncompatibleKeys(missing_keys=['kept', 'layer.bias'], unexpected_keys=['extra', 'layer.deep.one'])"
        )

    def test_sizes(self):
        net = nn.Linear(2, 3)
        state = {"weight": torch.zeros(3, 5), "bias": torch.zeros(3)}
        for strict in (True, False):
            assert message_of(lambda strict=strict: net.load_state_dict(state, strict=strict)) == (
                "Error(s) in loading state_dict for Linear:\n"
                "\tsize mismatch for weight: copying a param with shape torch.Size([3, 5]) from checkpoint, "
                "the shape in current model is torch.Size([3, 2])."
            )

    def test_no_tensors(self):
        assert message_of(lambda: nn.Linear(2, 3).load_state_dict({"weight": [1], "bias": torch.zeros(3)})) == (
            "Error(s) in loading state_dict for Linear:\n"
            '\tWhile copying the parameter named "weight", expected torch.Tensor or Tensor-like object from checkpoint '
            "but received <class 'list'>"
        )
        with pytest.raises(TypeError, match="Expected state_dict to be dict-like, got <class 'list'>."):
            nn.Linear(2, 3).load_state_dict([])

    def test_one_element_for_a_scalar(self):
        net = nn.Module()
        net.scale = nn.Parameter(torch.tensor(1.0))
        net.load_state_dict({"scale": torch.tensor([4.0])})
        assert net.scale.item() == 4.0 and net.scale.dim() == 0

    def test_other_dtypes_are_converted(self):
        net = nn.Linear(2, 1)
        net.load_state_dict({"weight": torch.tensor([[1, 2]]), "bias": torch.tensor([0.5], dtype=torch.float64)})
        assert net.weight.tolist() == [[1.0, 2.0]] and net.bias.dtype == torch.float32

    def test_assign(self):
        net = Net()
        net.layer.bias.requires_grad_(False)
        state = {key: torch.ones_like(value, dtype=value.dtype) for key, value in net.state_dict().items()}
        state["layer.weight"] = state["layer.weight"].double()
        net.load_state_dict(state, assign=True)
        assert isinstance(net.layer.weight, nn.Parameter) and net.layer.weight.dtype == torch.float64
        assert net.layer.weight.requires_grad and not net.layer.bias.requires_grad
        assert net.kept is state["kept"]
        state["layer.weight"][0, 0] = 9
        assert net.layer.weight[0, 0].item() == 9

    def test_the_given_dictionary_stays_as_it_is(self):
        net = Net()
        state = net.state_dict()
        before = copy.deepcopy(dict(state._metadata))
        net.load_state_dict(state)
        assert list(state) == KEYS and dict(state._metadata) == before

    def test_batch_norm_of_an_older_version(self):
        norm = nn.BatchNorm1d(2)
        state = OrderedDict((key, value) for key, value in norm.state_dict().items() if key != "num_batches_tracked")
        assert norm.load_state_dict(state).missing_keys == []
        state._metadata = {"": {"version": 2}}
        assert message_of(lambda: norm.load_state_dict(state)).endswith(
            'Missing key(s) in state_dict: "num_batches_tracked". '
        )

    def test_instance_norm_that_keeps_no_statistics(self):
        state = {"running_mean": torch.zeros(2), "running_var": torch.ones(2)}
        message = message_of(lambda: nn.InstanceNorm1d(2).load_state_dict(state))
        assert (
            'Unexpected running stats buffer(s) "running_mean" and "running_var" for InstanceNorm1d '
            "with track_running_stats=False" in message
        )

    def test_hooks(self):
        net = Net()
        state = net.state_dict()
        state["old"] = state.pop("kept")

        def rename(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
            assert module is net and prefix == "" and strict is True
            state_dict["kept"] = state_dict.pop("old")

        handle = net.register_load_state_dict_pre_hook(rename)
        assert net.load_state_dict(state).unexpected_keys == []
        handle.remove()
        net.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
        assert net.load_state_dict(state, strict=False) == ([], ["old"])
        net.register_load_state_dict_post_hook(lambda module, keys: keys)
        with pytest.raises(AssertionError, match="are not expected to return new values"):
            net.load_state_dict(state, strict=False)

    def test_pre_hooks_survive_a_copy(self):
        net = nn.Linear(1, 1)
        seen = []
        net.register_load_state_dict_pre_hook(lambda module, *rest: seen.append(module))
        net.load_state_dict(net.state_dict())
        assert seen == [net]


class TestExtraState:
    class Counted(nn.Module):
        count = 3

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"]

    def test_round_trip(self):
        source, target = nn.Sequential(self.Counted()), nn.Sequential(self.Counted())
        source[0].count = 8
        state = source.state_dict()
        assert dict(state) == {"0._extra_state": {"count": 8}}
        target.load_state_dict(state)
        assert target[0].count == 8

    def test_missing_and_unexpected(self):
        assert self.Counted().load_state_dict({}, strict=False) == (["_extra_state"], [])
        assert nn.ReLU().load_state_dict({"_extra_state": 1}, strict=False) == ([], ["_extra_state"])
        with pytest.raises(RuntimeError):
            nn.ReLU().get_extra_state()


def test_consume_prefix():
    state = nn.Sequential(nn.Linear(1, 1)).state_dict()
    nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "0.")
    assert list(state) == ["weight", "bias"]
    assert dict(state._metadata) == {"": {"version": 1}}


@pytest.mark.filterwarnings("ignore:Lazy modules")
def test_lazy_modules_load_what_is_lazy_and_what_is_not():
    for make in (lambda: nn.LazyLinear(3), lambda: nn.LazyConv2d(3, 3), nn.LazyBatchNorm1d):
        module = make()
        assert not any(module.load_state_dict(make().state_dict()))
        assert any(isinstance(p, nn.parameter.UninitializedParameter) for p in module.parameters())
    known, lazy = nn.LazyLinear(3), nn.LazyLinear(3)
    known(torch.ones(1, 2))
    lazy.load_state_dict(known.state_dict())
    assert torch.equal(lazy.weight, known.weight)

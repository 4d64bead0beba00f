"""Sequential, ModuleList, ModuleDict, ParameterList and ParameterDict."""

import re
from collections import OrderedDict

import pytest

import pywasmtorch as torch
from pywasmtorch import nn


def names(container):
    return [type(module).__name__ for module in container]


class TestSequential:
    def test_calls_in_order(self):
        assert nn.Sequential(nn.ReLU(), nn.Hardtanh(0, 2))(torch.tensor([-1.0, 1.0, 5.0])).tolist() == [0.0, 1.0, 2.0]
        assert nn.Sequential()(3) == 3

    def test_names(self):
        named = nn.Sequential(OrderedDict([("a", nn.ReLU()), ("b", nn.Tanh())]))
        assert list(named._modules) == ["a", "b"] and named.a is named[0]
        assert repr(named) == "Sequential(\n  (a): ReLU()\n  (b): Tanh()\n)"
        with pytest.raises(TypeError, match="int is not a Module subclass"):
            nn.Sequential(3)

    def test_indexing(self):
        net = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.ELU())
        assert len(net) == 3 and isinstance(net[-1], nn.ELU)
        assert isinstance(net[1:], nn.Sequential) and names(net[1:]) == ["Tanh", "ELU"]
        assert list(net[::2]._modules) == ["0", "2"]
        net[1] = nn.SiLU()
        assert names(net) == ["ReLU", "SiLU", "ELU"]
        for bad in (3, -4):
            with pytest.raises(IndexError, match=f"index {bad} is out of range"):
                net[bad]
        with pytest.raises(TypeError):
            net["0"]

    def test_deleting_renumbers(self):
        net = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.ELU(), nn.SiLU())
        del net[1]
        assert list(net._modules) == ["0", "1", "2"] and names(net) == ["ReLU", "ELU", "SiLU"]
        del net[:2]
        assert list(net._modules) == ["0"] and names(net) == ["SiLU"]

    def test_growing(self):
        net = nn.Sequential(nn.ReLU())
        assert net.append(nn.Tanh()) is net
        assert net.insert(0, nn.ELU()) is net and net.insert(-1, nn.SiLU()) is net
        assert net.extend([nn.Mish()]) is net
        assert names(net) == ["ELU", "ReLU", "SiLU", "Tanh", "Mish"]
        assert list(net._modules) == ["0", "1", "2", "3", "4"]
        assert isinstance(net.pop(1), nn.ReLU) and len(net) == 4
        with pytest.raises(IndexError, match="Index out of range: 9"):
            net.insert(9, nn.ReLU())
        with pytest.raises(AssertionError, match="module should be of type"):
            net.insert(0, 3)

    def test_arithmetic(self):
        first, second = nn.Sequential(nn.ReLU()), nn.Sequential(nn.Tanh(), nn.ELU())
        assert names(first + second) == ["ReLU", "Tanh", "ELU"] and len(first) == 1
        first += second
        assert names(first) == ["ReLU", "Tanh", "ELU"] and list(first._modules) == ["0", "1", "2"]
        assert names(second * 2) == names(2 * second) == ["Tanh", "ELU", "Tanh", "ELU"]
        second *= 3
        assert len(second) == 6 and second[0] is second[2]
        with pytest.raises(
            ValueError, match="add operator supports only objects of Sequential class, but <class 'list'> is given."
        ):
            first + [nn.ReLU()]
        with pytest.raises(ValueError, match="Non-positive multiplication factor 0"):
            first * 0
        with pytest.raises(TypeError, match=re.escape("unsupported operand type(s) for *")):
            first * 1.5


class TestModuleList:
    def test_like_a_list(self):
        modules = nn.ModuleList([nn.ReLU(), nn.Tanh()])
        modules.append(nn.ELU()).extend([nn.SiLU()])
        modules += [nn.Mish()]
        assert names(modules) == ["ReLU", "Tanh", "ELU", "SiLU", "Mish"]
        assert isinstance(modules[-1], nn.Mish) and names(modules[1:3]) == ["Tanh", "ELU"]
        assert type(modules[1:3]) is nn.ModuleList and list(modules[1:3]._modules) == ["0", "1"]
        modules[0] = nn.SELU()
        modules.insert(1, nn.CELU())
        del modules[2:4]
        assert names(modules) == ["SELU", "CELU", "SiLU", "Mish"] and list(modules._modules) == ["0", "1", "2", "3"]
        assert isinstance(modules.pop(0), nn.SELU)
        assert names(modules + [nn.ReLU()]) == ["CELU", "SiLU", "Mish", "ReLU"] and len(modules) == 3

    def test_parameters_are_registered(self):
        modules = nn.ModuleList(nn.Linear(1, 1) for _ in range(2))
        assert [name for name, _ in modules.named_parameters()] == ["0.weight", "0.bias", "1.weight", "1.bias"]

    def test_refused(self):
        with pytest.raises(TypeError, match="ModuleList.extend should be called with an iterable, but got ReLU"):
            nn.ModuleList().extend(nn.ReLU())
        with pytest.raises(IndexError, match="index 0 is out of range"):
            nn.ModuleList()[0]
        with pytest.raises(NotImplementedError, match='missing the required "forward" function'):
            nn.ModuleList()(1)

    def test_repeated_blocks_are_printed_once(self):
        modules = nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Sequential(nn.Tanh()), nn.ReLU()])
        assert repr(modules) == (
            "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Sequential(\n    (0): Tanh()\n  )\n  (3): ReLU()\n)"
        )
        assert repr(nn.ModuleList()) == "ModuleList()"


class TestModuleDict:
    def test_like_a_dict(self):
        modules = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Tanh()})
        modules["c"] = nn.ELU()
        modules.update([["a", nn.SiLU()], ("d", nn.Mish())])
        modules.update(nn.ModuleDict({"e": nn.GELU()}))
        assert list(modules) == list(modules.keys()) == ["a", "b", "c", "d", "e"] and len(modules) == 5
        assert names(modules.values()) == ["SiLU", "Tanh", "ELU", "Mish", "GELU"]
        assert dict(modules.items())["b"] is modules["b"] and "b" in modules and "z" not in modules
        del modules["b"]
        assert isinstance(modules.pop("c"), nn.ELU) and list(modules) == ["a", "d", "e"]
        assert repr(modules) == "ModuleDict(\n  (a): SiLU()\n  (d): Mish()\n  (e): GELU(approximate='none')\n)"
        modules.clear()
        assert len(modules) == 0
        with pytest.raises(KeyError):
            modules["a"]

    def test_refused(self):
        with pytest.raises(TypeError, match="should be called with an iterable of key/value pairs, but got int"):
            nn.ModuleDict(3)
        with pytest.raises(TypeError, match="ModuleDict update sequence element #0 should be Iterable; isint"):
            nn.ModuleDict([3])
        with pytest.raises(ValueError, match="ModuleDict update sequence element #0 has length 1; 2 is required"):
            nn.ModuleDict([["a"]])
        with pytest.raises(KeyError, match="attribute 'keys' already exists"):
            nn.ModuleDict({"keys": nn.ReLU()})


class TestParameterList:
    def test_like_a_list(self):
        values = nn.ParameterList([torch.zeros(1), nn.Parameter(torch.ones(2))])
        values.append(torch.ones(3)).extend([torch.ones(4)])
        values += [torch.ones(5)]
        assert len(values) == 5 and all(isinstance(value, nn.Parameter) for value in values)
        assert [name for name, _ in values.named_parameters()] == ["0", "1", "2", "3", "4"]
        assert [len(value) for value in values[1:3]] == [2, 3] and values[-1] is values[4]
        values[0] = torch.ones(7)
        assert isinstance(values[0], nn.Parameter) and len(values[0]) == 7
        assert "0" not in dir(values)

    def test_other_values(self):
        values = nn.ParameterList([torch.zeros(2, 3), "text"])
        assert values[1] == "text" and list(values.state_dict()) == ["0"]
        assert repr(values) == (
            "ParameterList(\n"
            "    (0): Parameter containing: [torch.float32 of size 2x3]\n"
            "    (1): Object of type: str\n)"
        )

    def test_refused(self):
        with pytest.raises(IndexError, match="index 1 is out of range"):
            nn.ParameterList([torch.ones(1)])[1]
        with pytest.raises(TypeError, match="ParameterList.extend should be called with an iterable, but got Tensor"):
            nn.ParameterList(torch.ones(2))
        with pytest.raises(RuntimeError, match="ParameterList should not be called."):
            nn.ParameterList()()


class TestParameterDict:
    def test_like_a_dict(self):
        values = nn.ParameterDict({"b": torch.ones(2), "a": nn.Parameter(torch.ones(1))})
        assert list(values) == ["a", "b"]
        values["c"] = torch.ones(3)
        values.update([("d", torch.ones(4))])
        values.update(OrderedDict([("f", torch.ones(6)), ("e", torch.ones(5))]))
        assert list(values.keys()) == ["a", "b", "c", "d", "f", "e"] and list(reversed(values))[0] == "e"
        assert all(isinstance(value, nn.Parameter) for value in values.values())
        assert [len(value) for _, value in values.items()] == [1, 2, 3, 4, 6, 5]
        assert values.get("z") is None and values.get("a") is values["a"] and "a" in values
        assert len(values.setdefault("g", torch.ones(8))) == 8 and len(values.setdefault("a", None)) == 1
        assert values.popitem()[0] == "g" and len(values.pop("f")) == 6 and len(values) == 5
        del values["a"]
        twin = values.copy()
        values.clear()
        assert len(values) == 0 and list(twin) == ["b", "c", "d", "e"]
        assert list(nn.ParameterDict().fromkeys(["x", "y"], 1).items()) == [("x", 1), ("y", 1)]

    def test_union(self):
        first, second = (
            nn.ParameterDict({"a": torch.zeros(1)}),
            nn.ParameterDict({"a": torch.ones(1), "b": torch.ones(1)}),
        )
        assert (first | second)["a"].item() == 1 and (second | first)["a"].item() == 0
        first |= second
        assert list(first) == ["a", "b"]

    def test_printing(self):
        values = nn.ParameterDict({"w": torch.zeros(2, 3), "n": 4})
        assert repr(values) == (
            "ParameterDict(\n"
            "    (n): Object of type: int\n"
            "    (w): Parameter containing: [torch.FloatTensor of size 2x3]\n)"
        )

    def test_refused(self):
        with pytest.raises(TypeError, match="cannot be used as a key as it is not a string .type is 'int'."):
            nn.ParameterDict()[3] = torch.ones(1)
        with pytest.raises(ValueError, match="element #0 has length 1; 2 is required"):
            nn.ParameterDict([["a"]])
        with pytest.raises(RuntimeError, match="ParameterDict should not be called."):
            nn.ParameterDict()(1)

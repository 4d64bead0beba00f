"""Module: attributes, registration, iteration, modes, conversions, printing, copying. Expectations are PyTorch 2.13's."""

import contextlib
import copy
import pickle

import pytest

import pywasmtorch as torch
from pywasmtorch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.rest = nn.Sequential(nn.ReLU(), nn.Linear(3, 1, bias=False))
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer("count", torch.zeros(1))
        self.register_buffer("scratch", torch.zeros(2), persistent=False)
        self.absent = None

    def forward(self, x):
        return self.rest(self.first(x * self.scale))


@contextlib.contextmanager
def raises(kind, message):
    with pytest.raises(kind) as caught:
        yield
    assert message in caught.value.args[0]


class TestAttributes:
    def test_parameters_modules_and_buffers_are_registered(self):
        net = Net()
        assert list(net._parameters) == ["scale"]
        assert list(net._modules) == ["first", "rest"]
        assert list(net._buffers) == ["count", "scratch"]
        assert "scale" not in net.__dict__
        assert net.absent is None

    def test_missing(self):
        with raises(AttributeError, "'Net' object has no attribute 'nothing'"):
            Net().nothing  # noqa: B018

    def test_parameter_takes_the_place_of_anything(self):
        net = Net()
        net.absent = nn.Parameter(torch.zeros(1))
        net.count = nn.Parameter(torch.zeros(1))
        net.first = nn.Parameter(torch.zeros(1))
        net.scratch = nn.Parameter(torch.zeros(1))
        assert set(net._parameters) == {"scale", "absent", "count", "first", "scratch"}
        assert list(net._buffers) == [] and list(net._modules) == ["rest"]
        assert "absent" not in net.__dict__ and net._non_persistent_buffers_set == set()

    def test_module_takes_the_place_of_anything(self):
        net = Net()
        net.absent = nn.ReLU()
        net.count = nn.Tanh()
        net.first = nn.ELU()
        assert list(net._modules) == ["first", "rest", "absent", "count"]
        assert list(net._buffers) == ["scratch"] and "absent" not in net.__dict__

    def test_none_keeps_the_place(self):
        net = Net()
        net.scale = None
        net.first = None
        net.count = None
        assert net._parameters == {"scale": None}
        assert net._modules["first"] is None and net._buffers["count"] is None
        assert list(net.state_dict()) == ["rest.1.weight"]
        assert [name for name, _ in net.named_children()] == ["rest"]
        net.scale = nn.Parameter(torch.ones(1))
        net.first = nn.Tanh()
        net.count = torch.ones(1)
        assert net._buffers["count"] is net.count

    def test_refused(self):
        net = Net()
        with raises(
            TypeError, "cannot assign 'torch.FloatTensor' as parameter 'scale' (torch.nn.Parameter or None expected)"
        ):
            net.scale = torch.ones(2)
        with raises(TypeError, "cannot assign 'int' as child module 'first' (torch.nn.Module or None expected)"):
            net.first = 3
        with raises(
            TypeError, "cannot assign 'int' as buffer 'count' (torch.nn.Buffer, torch.Tensor or None expected)"
        ):
            net.count = 3

    def test_before_init(self):
        class Early(nn.Module):
            def __init__(self, value):
                self.value = value

        with raises(AttributeError, "cannot assign parameters before Module.__init__() call"):
            Early(nn.Parameter(torch.ones(1)))
        with raises(AttributeError, "cannot assign module before Module.__init__() call"):
            Early(nn.ReLU())
        with raises(AttributeError, "cannot assign buffer before Module.__init__() call"):
            Early(nn.Buffer(torch.ones(1)))
        assert Early(3).value == 3
        with raises(AttributeError, "'Early' object has no attribute 'other'"):
            Early(3).other  # noqa: B018

    def test_delete(self):
        net = Net()
        del net.scale, net.first, net.count, net.scratch, net.absent
        assert not net._parameters and not net._buffers and list(net._modules) == ["rest"]
        assert not net._non_persistent_buffers_set
        with pytest.raises(AttributeError):
            del net.scale

    def test_buffer_class(self):
        net = nn.Module()
        net.kept = nn.Buffer(torch.ones(2))
        net.lost = nn.Buffer(torch.ones(2), persistent=False)
        assert list(net.state_dict()) == ["kept"]
        assert isinstance(net.kept, nn.Buffer) and type(net.kept) is torch.Tensor
        assert not isinstance(torch.ones(1), nn.Buffer)

    def test_a_reassigned_buffer_stays_out_of_the_state(self):
        net = Net()
        net.scratch = torch.ones(3)
        assert "scratch" not in net.state_dict()
        net.count = torch.ones(3)
        assert "count" in net.state_dict()

    def test_dir(self):
        names = dir(nn.Sequential(nn.ReLU()))
        assert "0" not in names and "forward" in names
        assert {"scale", "first", "count", "absent"} <= set(dir(Net()))

    def test_constructor_arguments(self):
        with raises(TypeError, "Module.__init__() got an unexpected keyword argument 'a'"):
            nn.Module(a=1)
        with raises(TypeError, "Module.__init__() takes 1 positional argument but 3 were given"):
            nn.Module(1, 2)

    def test_call_super_init(self):
        class Mixin:
            def __init__(self, value):
                self.value = value

        class Both(nn.Module, Mixin):
            call_super_init = True

        assert Both(5).value == 5

    def test_forward_is_required(self):
        with raises(NotImplementedError, 'Module [Module] is missing the required "forward" function'):
            nn.Module()(1)


class TestRegistration:
    def test_buffer(self):
        net = nn.Module()
        net.taken = 1
        for name, kind, message in (
            (3, TypeError, "buffer name should be a string. Got int"),
            ("a.b", KeyError, 'buffer name can\'t contain "."'),
            ("", KeyError, 'buffer name can\'t be empty string ""'),
            ("taken", KeyError, "attribute 'taken' already exists"),
        ):
            with raises(kind, message):
                net.register_buffer(name, None)
        with raises(TypeError, "cannot assign 'list' object to buffer 'x' (torch Tensor or None required)"):
            net.register_buffer("x", [1])

    def test_parameter(self):
        net = nn.Module()
        net.taken = 1
        with raises(TypeError, "parameter name should be a string. Got int"):
            net.register_parameter(3, None)
        with raises(KeyError, 'parameter name can\'t contain "."'):
            net.register_parameter("a.b", None)
        with raises(KeyError, 'parameter name can\'t be empty string ""'):
            net.register_parameter("", None)
        with raises(KeyError, "attribute 'taken' already exists"):
            net.register_parameter("taken", None)
        with raises(
            TypeError, "cannot assign 'torch.FloatTensor' object to parameter 'x' (torch.nn.Parameter or None required)"
        ):
            net.register_parameter("x", torch.ones(1))
        computed = nn.Parameter(torch.ones(1))
        computed.requires_grad_()
        with raises(ValueError, "Cannot assign non-leaf Tensor to parameter 'x'"):
            net.register_parameter("x", NonLeaf(computed))
        net.register_parameter("x", None)
        assert net._parameters == {"x": None}

    def test_module(self):
        net = nn.Module()
        net.taken = 1
        with raises(TypeError, "int is not a Module subclass"):
            net.add_module("x", 3)
        with raises(TypeError, "module name should be a string. Got int"):
            net.add_module(3, nn.ReLU())
        with raises(KeyError, "attribute 'taken' already exists"):
            net.add_module("taken", nn.ReLU())
        with raises(KeyError, 'module name can\'t contain ".", got: a.b'):
            net.add_module("a.b", nn.ReLU())
        with raises(KeyError, 'module name can\'t be empty string ""'):
            net.add_module("", nn.ReLU())
        net.register_module("x", None)
        assert net._modules == {"x": None}


class NonLeaf(nn.Parameter):
    """A parameter that claims to be computed."""

    def __new__(cls, parameter):
        return super().__new__(cls, parameter)

    @property
    def grad_fn(self):
        return "a node"


class TestLookup:
    def test_submodule(self):
        net = Net()
        assert net.get_submodule("") is net
        assert net.get_submodule("rest.1") is net.rest[1]
        with raises(AttributeError, "Net has no attribute `other`"):
            net.get_submodule("other.1")
        with raises(AttributeError, "`scale` is not an nn.Module"):
            net.get_submodule("scale")

    def test_set_submodule(self):
        net = Net()
        net.set_submodule("rest.0", nn.Tanh())
        net.set_submodule("new", nn.ELU())
        assert isinstance(net.rest[0], nn.Tanh) and isinstance(net.new, nn.ELU)
        with raises(ValueError, "Cannot set the submodule without a target name!"):
            net.set_submodule("", nn.ReLU())
        with raises(ValueError, "`module` is not an nn.Module, found <class 'int'>"):
            net.set_submodule("rest.0", 3)
        with raises(AttributeError, "Sequential has no attribute `7`"):
            net.set_submodule("rest.7", nn.ReLU(), strict=True)
        with raises(AttributeError, "`absent` is not an nn.Module"):
            net.set_submodule("absent", nn.ReLU())

    def test_parameter_and_buffer(self):
        net = Net()
        assert net.get_parameter("first.weight") is net.first.weight
        assert net.get_buffer("count") is net.count
        with raises(AttributeError, "`count` is not an nn.Parameter"):
            net.get_parameter("count")
        with raises(AttributeError, "Linear has no attribute `other`"):
            net.get_parameter("first.other")
        with raises(AttributeError, "`scale` is not a buffer"):
            net.get_buffer("scale")


class TestWalking:
    def test_names(self):
        net = Net()
        assert [name for name, _ in net.named_modules()] == ["", "first", "rest", "rest.0", "rest.1"]
        assert [name for name, _ in net.named_children()] == ["first", "rest"]
        assert [name for name, _ in net.named_parameters()] == ["scale", "first.weight", "first.bias", "rest.1.weight"]
        assert [name for name, _ in net.named_parameters("net")][1] == "net.first.weight"
        assert [name for name, _ in net.named_parameters(recurse=False)] == ["scale"]
        assert [name for name, _ in net.named_buffers()] == ["count", "scratch"]
        assert list(net.modules())[0] is net and list(net.children())[0] is net.first
        assert list(net.buffers())[0] is net.count

    def test_shared_members_appear_once(self):
        net = nn.Module()
        net.a = nn.Linear(2, 2)
        net.b = net.a
        net.c = nn.Linear(2, 2)
        net.c.weight = net.a.weight
        assert [name for name, _ in net.named_children()] == ["a", "c"]
        assert [name for name, _ in net.named_modules()] == ["", "a", "c"]
        assert [name for name, _ in net.named_modules(remove_duplicate=False)] == ["", "a", "b", "c"]
        assert [name for name, _ in net.named_parameters()] == ["a.weight", "a.bias", "c.bias"]
        assert len(list(net.named_parameters(remove_duplicate=False))) == 6


class TestModes:
    def test_train_and_eval(self):
        net = Net()
        assert net.eval() is net
        assert not any(module.training for module in net.modules())
        net.train()
        assert all(module.training for module in net.modules())
        with raises(ValueError, "training mode is expected to be boolean"):
            net.train("yes")

    def test_gradients(self):
        net = Net()
        net(torch.ones(4, 2)).sum().backward()
        assert all(param.grad is not None for param in net.parameters())
        net.zero_grad(set_to_none=False)
        assert net.first.bias.grad.tolist() == [0.0, 0.0, 0.0]
        net.zero_grad()
        assert all(param.grad is None for param in net.parameters())
        net.requires_grad_(False)
        assert not net(torch.ones(1, 2)).requires_grad

    def test_apply_goes_from_the_leaves_up(self):
        seen = []
        net = Net()
        assert net.apply(lambda module: seen.append(type(module).__name__)) is net
        assert seen == ["Linear", "ReLU", "Linear", "Sequential", "Net"]


class TestConversions:
    def test_dtypes(self):
        net = Net()
        net.register_buffer("steps", torch.tensor([3]))
        weight = net.first.weight
        net(torch.ones(1, 2)).sum().backward()
        for convert, dtype in (
            (lambda: net.double(), torch.float64),
            (lambda: net.half(), torch.float16),
            (lambda: net.bfloat16(), torch.bfloat16),
            (lambda: net.float(), torch.float32),
            (lambda: net.to(torch.float64), torch.float64),
            (lambda: net.to("cpu", torch.float32), torch.float32),
            (lambda: net.to(dtype=torch.float16), torch.float16),
            (lambda: net.to(torch.ones(1, dtype=torch.float64)), torch.float64),
            (lambda: net.type(torch.float32), torch.float32),
        ):
            assert convert() is net
            assert net.first.weight is weight and weight.dtype == dtype and weight.grad.dtype == dtype
            assert isinstance(weight, nn.Parameter) and weight.requires_grad and weight.is_leaf
            assert net.count.dtype == dtype
        net.type(torch.float64)
        assert net.steps.dtype == torch.float64

    def test_integer_buffers_keep_their_dtype(self):
        norm = nn.BatchNorm1d(2).double()
        assert norm.num_batches_tracked.dtype == torch.int64 and norm.running_mean.dtype == torch.float64

    def test_refused(self):
        with raises(
            TypeError, "nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.int64"
        ):
            Net().to(torch.int64)

    def test_cuda_is_missing(self):
        with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
            Net().cuda()
        assert isinstance(nn.ReLU().cuda(), nn.ReLU)
        net = Net()
        assert net.cpu() is net

    def test_to_empty(self):
        net = Net().to_empty(device="cpu")
        assert list(net.first.weight.shape) == [3, 2]


class TestPrinting:
    def test_nested(self):
        assert repr(Net()) == (
            "Net(\n"
            "  (first): Linear(in_features=2, out_features=3, bias=True)\n"
            "  (rest): Sequential(\n"
            "    (0): ReLU()\n"
            "    (1): Linear(in_features=3, out_features=1, bias=False)\n"
            "  )\n"
            ")"
        )

    def test_extra_lines(self):
        class Wordy(nn.Module):
            def extra_repr(self):
                return "a=1\nb=2"

        assert repr(Wordy()) == "Wordy(\n  a=1\n  b=2\n)"
        wordy = Wordy()
        wordy.child = Wordy()
        assert repr(wordy) == "Wordy(\n  a=1\n  b=2\n  (child): Wordy(\n    a=1\n    b=2\n  )\n)"
        assert repr(nn.Module()) == "Module()"

    def test_parameter(self):
        assert repr(nn.Parameter(torch.ones(2))) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"
        assert repr(nn.Parameter(torch.ones(1), requires_grad=False)) == "Parameter containing:\ntensor([1.])"


class TestCopies:
    def test_deepcopy(self):
        net = Net()
        twin = copy.deepcopy(net)
        assert type(twin.first.weight) is nn.Parameter and twin.first.weight is not net.first.weight
        assert twin.first.weight.tolist() == net.first.weight.tolist()
        with torch.no_grad():
            twin.first.weight.zero_()
        assert net.first.weight.abs().sum().item() > 0
        assert list(twin.state_dict()) == list(net.state_dict())

    def test_deepcopy_keeps_sharing(self):
        net = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])
        net[1].weight = net[0].weight
        twin = copy.deepcopy(net)
        assert twin[1].weight is twin[0].weight and twin[0].weight is not net[0].weight

    def test_pickle(self):
        net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).eval()
        net[0].weight.requires_grad_(False)
        twin = pickle.loads(pickle.dumps(net))
        assert repr(twin) == repr(net) and not twin.training
        assert [p.requires_grad for p in twin.parameters()] == [False, True, True, True]
        assert twin(torch.ones(1, 2)).tolist() == net(torch.ones(1, 2)).tolist()
        assert type(twin[0].weight) is nn.Parameter

    def test_an_older_pickle_gets_what_it_lacks(self):
        net = Net()
        state = net.__getstate__()
        del state["_forward_hooks_with_kwargs"], state["_load_state_dict_post_hooks"]
        twin = Net.__new__(Net)
        twin.__setstate__(state)
        twin.register_forward_hook(lambda module, args, kwargs, output: None, with_kwargs=True)
        assert list(twin(torch.ones(1, 2)).shape) == [1, 1]


class TestParameter:
    def test_it_shares_its_data(self):
        data = torch.zeros(2)
        parameter = nn.Parameter(data)
        data[0] = 5
        assert parameter.tolist() == [5.0, 0.0] and parameter.is_leaf and parameter.requires_grad
        assert not data.requires_grad

    def test_results_are_plain_tensors(self):
        parameter = nn.Parameter(torch.ones(2))
        assert type(parameter + 1) is torch.Tensor and type(parameter.detach()) is torch.Tensor
        assert type(parameter.data) is torch.Tensor
        assert isinstance(parameter, torch.Tensor) and not isinstance(torch.ones(1), nn.Parameter)

    def test_of_nothing_and_of_a_parameter(self):
        assert list(nn.Parameter().shape) == [0]
        first = nn.Parameter(torch.ones(1), requires_grad=False)
        assert nn.Parameter(first).requires_grad
        assert not nn.Parameter(torch.tensor([1, 2]), requires_grad=False).requires_grad
        with pytest.raises(RuntimeError, match="floating point"):
            nn.Parameter(torch.tensor([1, 2]))
        with pytest.raises(AttributeError, match="'list' object has no attribute 'detach'"):
            nn.Parameter([1.0])

    def test_attributes_survive_copies(self):
        parameter = nn.Parameter(torch.ones(1))
        parameter.group = "slow"
        (parameter * 2).sum().backward()
        assert parameter.grad.tolist() == [2.0]
        twin = pickle.loads(pickle.dumps(parameter))
        assert twin.group == "slow" and twin.grad is None and twin.tolist() == [1.0]


def test_global_registration_hooks():
    seen = []
    module_lib = nn.modules.module
    handles = [
        module_lib.register_module_parameter_registration_hook(
            lambda module, name, value: seen.append(("parameter", name))
        ),
        module_lib.register_module_buffer_registration_hook(lambda module, name, value: seen.append(("buffer", name))),
        module_lib.register_module_module_registration_hook(lambda module, name, value: seen.append(("module", name))),
    ]
    try:
        Net()
    finally:
        for handle in handles:
            handle.remove()
    Net()
    assert seen == [
        ("parameter", "weight"),
        ("parameter", "bias"),
        ("module", "first"),
        ("parameter", "weight"),
        ("module", "0"),
        ("module", "1"),
        ("module", "rest"),
        ("parameter", "scale"),
        ("buffer", "count"),
        ("buffer", "scratch"),
    ]

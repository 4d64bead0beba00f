"""Functions of lists, `torch._foreach_*`: values, dtypes, gradients, versions and errors; the fused steps; the scaling of gradients."""

from ..dsl import error_of, program, relative

UNARY = (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc"
).split()
BINARY = "add sub mul div maximum minimum clamp_max clamp_min".split()


def lists(torch, dtype="float32"):
    torch.manual_seed(3)
    kind = getattr(torch, dtype)
    sizes = [(3,), (2, 2), (1,), ()]
    return [[(torch.rand(size) * 0.8 + 0.1 + k).to(kind) for size in sizes] for k in range(3)]


def forms(torch, name, self, *rest, **names):
    """The new tensors, those after the in-place form, and whether that gives back its list."""
    new = getattr(torch, f"_foreach_{name}")([x.clone() for x in self], *rest, **names)
    changed = [x.clone() for x in self]
    same = getattr(torch, f"_foreach_{name}_")(changed, *rest, **names) is changed
    return [*new, *changed, same, type(new).__name__, [x._version for x in changed]]


@program
def unary(torch):
    found = {}
    for dtype in ("float32", "float64", "bfloat16"):
        x = lists(torch, dtype)[0]
        found.update({f"{name} {dtype}": forms(torch, name, x) for name in UNARY})
    integers = [torch.tensor([1, 4]), torch.tensor([[9]], dtype=torch.int32)]
    found.update({f"{name} int": list(getattr(torch, f"_foreach_{name}")(integers)) for name in ("abs", "sqrt", "exp", "neg", "sign", "sigmoid", "ceil")})
    return found


@program
def binary(torch):
    found = {}
    for dtype in ("float32", "bfloat16", "int64"):
        x, y, _ = lists(torch, dtype)
        for name in BINARY:
            if name == "div" and dtype == "int64":
                continue
            found[f"{name} {dtype} list"] = forms(torch, name, x, y) if name != "div" else forms(torch, name, x, [v + 1 for v in y])
            found[f"{name} {dtype} number"] = forms(torch, name, x, 2)
            found[f"{name} {dtype} numbers"] = forms(torch, name, x, [1, 2, 3, 4])
    x, y, _ = lists(torch)
    for name in ("add", "sub"):
        found[f"{name} alpha"] = forms(torch, name, x, y, alpha=-0.5)
    for name in ("add", "mul", "div"):
        found[f"{name} tensor"] = forms(torch, name, x, torch.tensor(3.0))
        found[f"{name} float64 tensor"] = list(getattr(torch, f"_foreach_{name}")(x[:3], torch.tensor(3.0, dtype=torch.float64)))
    found["add tensor alpha"] = forms(torch, "add", x, torch.tensor(3.0), alpha=2)
    found["promotion"] = [*torch._foreach_add([torch.tensor([1])], 0.5), *torch._foreach_mul([torch.tensor([1])], [torch.tensor([1.5])]), *torch._foreach_mul([torch.tensor([1.5])], 2j)]
    found["broadcast"] = list(torch._foreach_mul([torch.ones(2, 1)], [torch.arange(3.0)]))
    found["pow list"], found["pow number"], found["pow numbers"] = forms(torch, "pow", x, y), forms(torch, "pow", x, 2), forms(torch, "pow", x, [1, 2, 0.5, 3])
    found["number pow"] = list(torch._foreach_pow(2, x))
    found["names"] = [*torch._foreach_add(self=x, other=y), *torch._foreach_add(x, scalar=3), *torch._foreach_add(tuple(x), scalars=(1, 2, 3, 4))]
    found["mm"] = list(torch._foreach_mm([torch.ones(2, 3), torch.eye(2)], [torch.ones(3, 1), torch.ones(2, 2)]))
    return found


@program
def ternary(torch):
    found = {}
    x, y, z = lists(torch)
    for name in ("addcmul", "addcdiv"):
        found[name] = forms(torch, name, x, y, z)
        found[f"{name} value"] = forms(torch, name, x, y, z, value=-2)
        found[f"{name} positional"] = forms(torch, name, x, y, z, 0.5)
        found[f"{name} numbers"] = forms(torch, name, x, y, z, [1, 2.5, 3, 4])
        found[f"{name} tensor"] = forms(torch, name, x, y, z, torch.tensor([1, 2.5, 3, 4]))
    found["lerp list"], found["lerp number"], found["lerp numbers"] = forms(torch, "lerp", x, y, z), forms(torch, "lerp", x, y, 0.3), forms(torch, "lerp", x, y, [0.1, 0.6, 0.5, 1])
    return found


@program
def reductions_and_copies(torch):
    x, y, _ = lists(torch)
    found = {f"norm {order}": list(torch._foreach_norm(x, order)) for order in (2, 1, 0, 3, float("inf"), -1.0)}
    found["norm dtype"] = list(torch._foreach_norm([v.half() for v in x], 2, torch.float32))
    found["powsum"], found["max"] = list(torch._foreach_powsum(x, 3)), list(torch._foreach_max(x))
    to = [v.clone() for v in x]
    found["copy"] = [torch._foreach_copy_(to, y) is to, *to, to[0]._version]
    found["copy dtype"] = list(torch._foreach_copy_([torch.zeros(3, dtype=torch.int32)], [torch.tensor([1.5, 2.5, -3.5])]))
    found["copy broadcast"] = list(torch._foreach_copy_([torch.zeros(2, 3)], [torch.tensor([1.0, 2.0, 3.0])]))
    found["zero"] = [torch._foreach_zero_(to) is to, *to, to[0]._version]
    copies = torch._foreach_clone(x)
    found["clone"] = [*copies, copies[0].data_ptr() != x[0].data_ptr(), torch._foreach_clone([torch.zeros(2, 3).t()], memory_format=torch.contiguous_format)[0].stride()]
    return found


@program
def gradients(torch):
    found = {}

    def of(name, make, *rest, **names):
        leaves = [[t.requires_grad_() for t in items] for items in lists(torch, "float64")]
        out = make(*leaves)
        sum((v * v).sum() for v in out).backward()
        found[name] = [t.grad for items in leaves for t in items if t.grad is not None]

    for name in ("exp", "sqrt", "abs", "sigmoid", "tanh", "neg", "lgamma", "reciprocal"):
        of(name, lambda x, y, z, name=name: getattr(torch, f"_foreach_{name}")(x))
        of(f"{name}_", lambda x, y, z, name=name: getattr(torch, f"_foreach_{name}_")([v * 1 for v in x]))
    for name in ("add", "sub", "mul", "div", "maximum", "minimum"):
        of(f"{name} list", lambda x, y, z, name=name: getattr(torch, f"_foreach_{name}")(x, y))
        of(f"{name} ties", lambda x, y, z, name=name: getattr(torch, f"_foreach_{name}")(x, x))
        of(f"{name}_ list", lambda x, y, z, name=name: getattr(torch, f"_foreach_{name}_")([v * 1 for v in x], y))
        of(f"{name} number", lambda x, y, z, name=name: getattr(torch, f"_foreach_{name}")(x, 0.5))
    of("addcmul", lambda x, y, z: torch._foreach_addcmul(x, y, z, 2.0))
    of("lerp", lambda x, y, z: torch._foreach_lerp(x, y, z))
    of("pow", lambda x, y, z: torch._foreach_pow(x, 3))
    of("pow list", lambda x, y, z: torch._foreach_pow(x, y))
    of("norm", lambda x, y, z: torch._foreach_norm(x))
    of("norm inf", lambda x, y, z: torch._foreach_norm(x, float("inf")))
    of("max", lambda x, y, z: torch._foreach_max(x))
    of("clone", lambda x, y, z: torch._foreach_clone(x))
    return found


@program
def errors(torch):
    t = torch.tensor
    x, y, _ = lists(torch)
    leaf = t([1.0], requires_grad=True)
    return {
        "empty": error_of(lambda: torch._foreach_exp([]), "at least one tensor"), "empty add": error_of(lambda: torch._foreach_add([], 1), "at least one tensor"),
        "lengths": error_of(lambda: torch._foreach_add(x, y[:2]), "same number of tensors, got 4 and 2"), "numbers": error_of(lambda: torch._foreach_add(x, [1.0]), "same number of elements as scalar list"),
        "0-d": error_of(lambda: torch._foreach_add(x, t([1.0, 2.0])), "expected to be 0 dim but it has 1 dimensions and 2 elements"), "str": error_of(lambda: torch._foreach_add(x, "a"), "invalid combination of arguments"),
        "too few": error_of(lambda: torch._foreach_add(x), "invalid combination"), "no tensor": error_of(lambda: torch._foreach_exp([1])), "no list": error_of(lambda: torch._foreach_exp(t([1.0])), "must be tuple of Tensors"),
        "cast": error_of(lambda: torch._foreach_add_([t([1])], 1.5), "can't be cast to the desired output type Long"), "bool": error_of(lambda: torch._foreach_sub([t([True])], 1), "bool tensor is not supported"),
        "shapes": error_of(lambda: torch._foreach_add([t([1.0, 2.0])], [t([1.0, 2.0, 3.0])]), "must match the size of tensor b"), "grown": error_of(lambda: torch._foreach_add_([t([1.0])], [t([1.0, 2.0])]), "doesn't match the broadcast shape"),
        "leaf": error_of(lambda: torch._foreach_add_([leaf], 1), "leaf variable that requires grad"), "sqrt_": error_of(lambda: torch._foreach_sqrt_([t([1, 2])]), "can't be cast"),
        "norm of ints": error_of(lambda: torch._foreach_norm([t([1, 2])]), "floating point or complex"), "norm of nothing": error_of(lambda: torch._foreach_norm([torch.zeros(0)], float("inf")), "infinity norm on an empty tensor"),
        "max of nothing": error_of(lambda: torch._foreach_max([torch.zeros(0)]), "maximum of an empty tensor"), "packed": error_of(lambda: torch._foreach_addcmul(x, x, x, t([1.0])), "expected length of scalars to match input of length 4 but got 1"),
        "copy": error_of(lambda: torch._foreach_copy_(x, y[:1]), "same number of tensors"), "sign": error_of(lambda: torch._foreach_sign([t([1j])])), "abs_": error_of(lambda: torch._foreach_abs_([t([1j])]), "in-place abs is not supported"),
    }  # fmt: skip


@program
@relative(1e-5)
def fused_steps(torch):
    found = {}
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        for name in ("adam", "adamw"):
            for amsgrad in (False, True):
                params, grads, state = [[v.to(dtype) for v in items] for items in lists(torch)]
                averages, squares, largest = [torch.zeros_like(p) for p in params], [torch.zeros_like(p) for p in params], [torch.zeros_like(p) for p in params]
                for count in (1.0, 2.0):
                    steps = [torch.tensor(count) for _ in params]
                    result = getattr(torch, f"_fused_{name}_")(
                        params, grads, averages, squares, largest if amsgrad else [], steps, lr=0.1, beta1=0.9, beta2=0.99, weight_decay=0.01, eps=1e-8, amsgrad=amsgrad, maximize=count == 2,
                        grad_scale=torch.tensor(2.0) if count == 2 else None, found_inf=torch.tensor(0.0),
                    )  # fmt: skip
                found[f"{name} {amsgrad} {dtype}".replace("pywasm", "")] = [*params, *grads, *averages, *squares, *largest, result, steps[0]]
    params, grads, state = lists(torch)
    torch._fused_adam_(params, grads, state, state, [], state, lr=torch.tensor(0.1), beta1=0.9, beta2=0.99, weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False, found_inf=torch.tensor(1.0))
    found["skipped"] = [*params, *grads, *state]
    for momentum, nesterov in ((0.0, False), (0.9, False), (0.9, True)):
        params, grads, buffers = lists(torch)
        for first in (True, False):
            torch._fused_sgd_(params, grads, buffers if momentum else [], weight_decay=0.1, momentum=momentum, lr=0.1, dampening=0.0 if nesterov else 0.5, nesterov=nesterov, maximize=False, is_first_step=first)
        found[f"sgd {momentum} {nesterov}"] = [*params, *buffers]
    params, grads, sums = lists(torch)
    torch._fused_adagrad_(params, grads, sums, [torch.tensor(3.0) for _ in params], lr=0.1, lr_decay=0.1, weight_decay=0.1, eps=1e-10, maximize=False)
    found["adagrad"] = [*params, *sums]
    found["nothing"] = error_of(lambda: torch._fused_adagrad_([], [], [], [], lr=0.1, lr_decay=0.1, weight_decay=0.1, eps=1e-10, maximize=False), "no tensor arguments")
    found["dtypes"] = error_of(
        lambda: torch._fused_sgd_([torch.zeros(1)], [torch.zeros(1).double()], [], weight_decay=0.0, momentum=0.0, lr=0.1, dampening=0.0, nesterov=False, maximize=False, is_first_step=True),
        "expected scalar type float but found double",
    )
    return found


@program
def scaling(torch):
    found, t = {}, torch.tensor
    for name, values in {"finite": [1.0, 2.0], "inf": [1.0, float("inf")], "nan": [float("nan"), 3.0]}.items():
        for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
            grads, wrong = [t(values).to(dtype), t([[4.0]]).to(dtype)], t(0.0)
            torch._amp_foreach_non_finite_check_and_unscale_(grads, wrong, t(0.5))
            found[f"{name} {dtype}".replace("pywasm", "")] = [*grads, wrong]
    for scale, tracker, wrong, interval in ((65536.0, 0, 0.0, 1), (65536.0, 5, 1.0, 2), (65536.0, 0, 0.0, 2), (3e38, 1, 0.0, 2)):
        s, g = t(scale), t(tracker, dtype=torch.int32)
        same = torch._amp_update_scale_(s, g, t(wrong), 2.0, 0.5, interval) is s
        found[f"{scale} {tracker} {wrong} {interval}"] = [s, g, same]
    g, one = t(0, dtype=torch.int32), t(1.0)
    found["errors"] = [
        error_of(lambda: torch._amp_foreach_non_finite_check_and_unscale_([one], t([0.0, 1.0]), one), "found_inf must be a 1-element tensor"),
        error_of(lambda: torch._amp_foreach_non_finite_check_and_unscale_([one], one, t([0.0, 1.0])), "inv_scale must be a 1-element tensor"),
        error_of(lambda: torch._amp_foreach_non_finite_check_and_unscale_([one], one.double(), one), "found_inf must be a float tensor"),
        error_of(lambda: torch._amp_foreach_non_finite_check_and_unscale_([t([1])], one, one), "not implemented for 'long'"),
        error_of(lambda: torch._amp_update_scale_(one, one, one, 2.0, 0.5, 2), "growth_tracker must be an int tensor"),
        error_of(lambda: torch._amp_update_scale_(t([1.0, 2.0]), g, one, 2.0, 0.5, 2), "current_scale must be a 1-element tensor"),
        error_of(lambda: torch._amp_update_scale_(one.double(), g, one, 2.0, 0.5, 2), "current_scale must be a float tensor"),
    ]
    return found


@program
def gradient_clipping(torch):
    found = {}
    for order in (2.0, 1.0, float("inf")):
        params = lists(torch)[0]
        for p in params:
            p.grad = p * 3
        found[f"norm {order}"] = [torch.nn.utils.clip_grad_norm_(params, 1.0, order, foreach=True), *(p.grad for p in params)]
    torch.nn.utils.clip_grad_value_(params, 0.1, foreach=True)
    found["value"] = [p.grad for p in params]
    from_utils = __import__(f"{torch.__name__}.utils._foreach_utils", fromlist=["_"])
    a = [torch.tensor(1.0), torch.tensor(2), torch.tensor(3.0)]
    groups = from_utils._group_tensors_by_device_and_dtype([a, [None] * 3, []], True)
    found["groups"] = sorted([str(dtype).split(".")[-1], len(lists_[0]), lists_[1], lists_[2], places] for (_, dtype), (lists_, places) in groups.items())
    found["support"] = from_utils._has_foreach_support(a, torch.device("cpu"))
    return found

"""Autocast on the CPU: the dtypes and values of operators, training, nesting, the scaler's state."""

from ..dsl import program, relative


@program
@relative(1e-2)
def operators(torch):
    F = torch.nn.functional
    found = {}
    for dtype in (torch.float32, torch.bfloat16, torch.float64):
        torch.manual_seed(0)
        x, v, b, image = torch.rand(4, 4, dtype=dtype), torch.rand(4, dtype=dtype), torch.rand(2, 4, 4, dtype=dtype), torch.rand(1, 4, 8, 8, dtype=dtype)
        classes = torch.tensor([0, 1, 2, 3])
        functions = {
            "mm": lambda: torch.mm(x, x), "matmul": lambda: x @ x, "bmm": lambda: torch.bmm(b, b), "baddbmm": lambda: torch.baddbmm(b, b, b), "addmm": lambda: torch.addmm(x, x, x),
            "addbmm": lambda: torch.addbmm(x, b, b), "mv": lambda: torch.mv(x, v), "dot": lambda: torch.dot(v, v), "linear": lambda: F.linear(x, x, v), "einsum": lambda: torch.einsum("ij,jk->ik", x, x),
            "conv1d": lambda: F.conv1d(b, b[:, :, :3]), "conv2d": lambda: F.conv2d(image, image[:, :, :3, :3]), "conv_transpose2d": lambda: F.conv_transpose2d(image, image[:, :, :3, :3].transpose(0, 1)),
            "attention": lambda: F.scaled_dot_product_attention(b, b, b), "multi_dot": lambda: torch.linalg.multi_dot([x, x, x]), "tensordot": lambda: torch.tensordot(x, x, 1),
            "softmax": lambda: F.softmax(x, -1), "log_softmax": lambda: F.log_softmax(x, -1), "layer_norm": lambda: F.layer_norm(x, (4,)), "gelu": lambda: F.gelu(x), "exp": lambda: x.exp(), "sum": lambda: x.sum(),
            "prod": lambda: x.prod(), "mse": lambda: F.mse_loss(x, x.T), "l1": lambda: F.l1_loss(x, x.T), "cross_entropy": lambda: F.cross_entropy(x, classes), "nll": lambda: F.nll_loss(x, classes),
            "logits": lambda: F.binary_cross_entropy_with_logits(x, x), "kl": lambda: F.kl_div(x, x.T, reduction="batchmean"), "huber": lambda: F.huber_loss(x, x.T), "avg_pool2d": lambda: F.avg_pool2d(image, 2),
            "reflect": lambda: F.pad(image, (1, 1, 1, 1), mode="reflect"), "cat": lambda: torch.cat([x, x]), "mixed cat": lambda: torch.cat([x, x.bfloat16()]), "mixed stack": lambda: torch.stack([x.bfloat16(), x]),
            "triplet": lambda: F.triplet_margin_loss(x, x, x.T), "poisson": lambda: F.poisson_nll_loss(x, x), "out": lambda: torch.mm(x, x, out=torch.empty_like(x)), "add": lambda: x + x,
        }  # fmt: skip
        with torch.autocast("cpu"):
            for name, function in functions.items():
                try:
                    found[f"{dtype} {name}".replace("pywasm", "")] = function()
                except RuntimeError:
                    found[f"{dtype} {name}".replace("pywasm", "")] = "error"
    return found


@program
@relative(2e-2)
def training(torch):
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(32, 8), torch.randint(0, 3, (32,))
    scaler, losses = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=3), []
    for _ in range(8):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            out = model(x)
            loss = F.cross_entropy(out, y)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.item())
    kinds = [str(t.dtype).split(".")[-1] for t in (out, loss, model[0].weight, model[0].weight.grad)]
    return {"losses": losses, "dtypes": kinds, "scaler": scaler.state_dict()}


@program
def nesting_and_state(torch):
    x, found = torch.ones(2, 2), []

    def note():
        product = str((x @ x).dtype).split(".")[-1]
        found.append([torch.is_autocast_enabled("cpu"), str(torch.get_autocast_dtype("cpu")).split(".")[-1], torch.is_autocast_cache_enabled(), product])

    note()
    with torch.autocast("cpu"):
        note()
        with torch.autocast("cpu", enabled=False):
            note()
            with torch.autocast("cpu", dtype=torch.float16, cache_enabled=False):
                note()
            note()
        note()
    note()

    @torch.autocast("cpu")
    def decorated():
        note()
        return 3

    found.append(decorated())
    torch.set_autocast_enabled("cpu", True)
    torch.set_autocast_dtype("cpu", torch.float16)
    note()
    torch.set_autocast_enabled("cpu", False)
    torch.set_autocast_dtype("cpu", torch.bfloat16)
    note()
    try:
        with torch.autocast("cpu"):
            raise KeyError
    except KeyError:
        note()
    return {"found": found}


@program
def custom_functions(torch):
    found = []

    class Double(torch.autograd.Function):
        @staticmethod
        @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
        def forward(ctx, a, b):
            found.append([str(a.dtype).split(".")[-1], torch.is_autocast_enabled("cpu")])
            ctx.save_for_backward(a, b)
            return a @ b

        @staticmethod
        @torch.amp.custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            a, b = ctx.saved_tensors
            found.append([str(grad.dtype).split(".")[-1], torch.is_autocast_enabled("cpu")])
            return grad @ b.T, a.T @ grad

    a = torch.ones(2, 2, dtype=torch.bfloat16, requires_grad=True)
    b = torch.ones(2, 2, requires_grad=True)
    with torch.autocast("cpu"):
        out = Double.apply(a, b)
    out.sum().backward()
    return {"found": found, "out": out.detach(), "a": a.grad, "b": b.grad}


@program
def scaler_steps(torch):
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1.0)
    scaler, found = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2), []
    for factor in (1.0, float("inf"), 1.0, 1.0, float("nan"), 0.5):
        optimizer.zero_grad()
        scaler.scale((w * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        found.append([w.tolist(), scaler.get_scale(), scaler.state_dict()["_growth_tracker"]])
    disabled = torch.amp.GradScaler("cpu", enabled=False)
    found.append([disabled.state_dict(), disabled.get_scale(), disabled.is_enabled(), disabled.scale(w) is w])
    return {"found": found}

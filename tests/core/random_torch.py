"""Draws the cases of random_cases with torch. Needs torch; only recording and the live comparison import it."""

import torch

from core import random_cases as rc


def seeded(seed):
    generator = torch.Generator()
    generator.manual_seed(seed - 2**64 if seed >= 2**63 else seed)
    return generator


def parameters(values, n, dtype):
    return torch.tensor(rc.cycle(values, n), dtype=torch.float64).to(dtype)


def fill(generator, case, n):
    dtype = getattr(torch, case.dtype)
    out = torch.empty(n, dtype=dtype)
    name, arguments = case.fill, case.arguments
    if name == "normal_strided":
        return out.copy_(torch.empty(2 * n, dtype=dtype)[::2].normal_(*arguments, generator=generator))
    if name == "randperm":
        return torch.randperm(n, dtype=dtype, generator=generator)
    if name == "random_from":
        return out.random_(arguments[0], None, generator=generator)
    if name == "random_from_to":
        return out.random_(*arguments, generator=generator)
    if name == "bernoulli_tensor":
        return out.bernoulli_(parameters(rc.PROBABILITIES, n, getattr(torch, arguments[0])), generator=generator)
    if name == "poisson":
        return torch.poisson(parameters(rc.RATES, n, dtype), generator=generator)
    if name == "gamma":
        return torch._standard_gamma(parameters(rc.ALPHAS, n, dtype), generator=generator)
    if name == "binomial":
        return torch.binomial(parameters(rc.COUNTS, n, dtype), parameters(rc.CHANCES, n, dtype), generator=generator)
    if name == "dirichlet":
        return torch._sample_dirichlet(parameters(rc.ALPHAS[1:], 3 * n, dtype).reshape(3, n), generator=generator).reshape(-1)
    if name == "multinomial":
        weights = parameters(rc.WEIGHTS, rc.WEIGHT_ROWS * n, dtype).reshape(rc.WEIGHT_ROWS, n)
        return torch.multinomial(weights, *arguments, generator=generator).reshape(-1)
    return getattr(out, name + "_")(*arguments, generator=generator)


def as_bytes(tensor):
    return bytes(tensor.contiguous().view(torch.uint8).numpy().tobytes()) if tensor.numel() else b""


def state(generator):
    return bytes(generator.get_state().numpy().tobytes())


def draw(case):
    """(bytes of all fills in a row, final state)"""
    generator = seeded(case.seed)
    drawn = b"".join(as_bytes(fill(generator, case, n)) for n in case.sizes)
    return drawn, state(generator)

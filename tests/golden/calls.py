"""Recorded calls that are expressions, and the unique part of results that are defined up to sign, phase or order."""


def resized(lib, x, shape):
    return x.clone().resize_(shape)


def resized_as(lib, x, other):
    return x.clone().resize_as_(other)


def zeroed(lib, x):
    return lib.zero_(x.clone())


def sliced(lib, x, dim=0, start=None, end=None, step=1):
    return x[(slice(None),) * (dim % max(x.dim(), 1)) + (slice(start, end, step),)]


def lstsq_results(lib, a, b, driver):
    return tuple(lib.linalg.lstsq(a, b, driver=driver)[:2])


def pinv_of_product(lib, a, b):
    return lib.linalg.pinv(a @ b.mT)


def svd_lowrank_product(lib, a, b, **kwargs):
    u, s, v = lib.svd_lowrank(a @ b.mT, **kwargs)
    return (u * s.unsqueeze(-2)) @ v.mH, s


def pca_lowrank_product(lib, a, b, **kwargs):
    u, s, v = lib.pca_lowrank(a @ b.mT, **kwargs)
    return (u * s.unsqueeze(-2)) @ v.mH, s


def of_equals(name, place):
    """A call that gives values and indices: the values, and the elements that the indices name."""

    def call(lib, x, *args, **kwargs):
        x = x.detach()
        result = getattr(lib, name)(x, *args, **kwargs)
        if place is None:
            return result
        values, indices = result if isinstance(result, tuple) else (None, result)
        dim = args[place] if len(args) > place else kwargs.get("dim", -1)
        keep = indices if indices.dim() == x.dim() else indices.unsqueeze(dim)
        named = x.gather(dim, keep) if x.dim() else x
        return values, named if keep is indices else named.squeeze(dim)

    call.__name__ = name
    return call


topk, kthvalue, mode, sort, argsort, msort = map(of_equals, ("topk", "kthvalue", "mode", "sort", "argsort", "msort"), (1, 1, 0, 0, 0, None))

CALLS = {call.__name__: call for call in (resized, resized_as, zeroed, sliced, lstsq_results, pinv_of_product, svd_lowrank_product,
                                          pca_lowrank_product, topk, kthvalue, mode, sort, argsort, msort)}


def _svd(lib, result):
    u, s, vh = result
    k = s.shape[-1]
    return u[..., :k].abs(), s, vh[..., :k, :].abs()


def _svd_in_columns(lib, result):
    u, s, v = result
    k = s.shape[-1]
    return u[..., :k].abs(), s, v[..., :k].abs()


def _eigenvectors(lib, result):
    return result[0], result[1].abs()


def _order(lib, values):
    """By real part, then by imaginary part; both rounded so that noise does not decide."""
    key = (values.detach().real * 1e3).round() + (values.detach().imag * 1e3).round() * 1e-6
    return key.argsort(-1)


def _eigenvalues(lib, values):
    return values.gather(-1, _order(lib, values))


def _eigen(lib, result):
    values, vectors = result
    order = _order(lib, values)
    return values.gather(-1, order), vectors.gather(-1, order.unsqueeze(-2).expand(vectors.shape)).abs()


AFTERWARDS = {"svd": _svd, "svd_in_columns": _svd_in_columns, "eigenvectors": _eigenvectors, "eigen": _eigen, "eigenvalues": _eigenvalues}

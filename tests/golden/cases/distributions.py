"""Distributions: samples from a seed, densities, moments, divergences, gradients, transforms, constraints and errors."""

import math
import warnings

from ..dsl import program, relative


def rising(torch, *size):
    return torch.arange(1, 1 + math.prod(size), dtype=torch.float32).reshape(size) / 3 + 0.2


def made(torch):
    """A distribution or more of each class."""
    D, t = torch.distributions, torch.tensor
    odds = t([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
    covariance = t([[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 0.8]])
    three, loc, scale, third = rising(torch, 3), t([0.0, 1.0]), t([1.0, 0.5]), t([0.1, 0.5, 0.9])
    return {
        "normal": D.Normal(loc, scale),
        "normal of numbers": D.Normal(0.0, 2.0),
        "normal64": D.Normal(loc.double(), 1.0),
        "laplace": D.Laplace(loc, scale),
        "cauchy": D.Cauchy(loc, scale),
        "student": D.StudentT(t([1.5, 3.0, 0.9]), t([0.0, 1.0, 2.0]), 2.0),
        "uniform": D.Uniform(loc, t([1.0, 2.5])),
        "von_mises": D.VonMises(loc, t([0.5, 8.0])),
        "exponential": D.Exponential(three),
        "gamma": D.Gamma(three, three * 2),
        "chi2": D.Chi2(three),
        "dirichlet": D.Dirichlet(rising(torch, 2, 3)),
        "beta": D.Beta(three, three + 0.3),
        "fisher": D.FisherSnedecor(three, three * 5),
        "poisson": D.Poisson(three * 4),
        "negative_binomial": D.NegativeBinomial(t([3.0, 5.0]), t([0.2, 0.6])),
        "negative_binomial of logits": D.NegativeBinomial(5, logits=t([0.2, -0.6])),
        "bernoulli": D.Bernoulli(third),
        "bernoulli of logits": D.Bernoulli(logits=third),
        "continuous_bernoulli": D.ContinuousBernoulli(third),
        "geometric": D.Geometric(third),
        "binomial": D.Binomial(7, third),
        "binomial of logits": D.Binomial(7, logits=third),
        "categorical": D.Categorical(odds),
        "categorical of logits": D.Categorical(logits=odds),
        "one_hot": D.OneHotCategorical(odds),
        "one_hot straight through": D.OneHotCategoricalStraightThrough(logits=odds),
        "multinomial": D.Multinomial(6, odds),
        "independent": D.Independent(D.Normal(torch.zeros(2, 3), rising(torch, 2, 3)), 1),
        "mixture": D.MixtureSameFamily(D.Categorical(odds), D.Normal(torch.arange(6.0).reshape(2, 3), rising(torch, 2, 3))),
        "mixture of vectors": D.MixtureSameFamily(
            D.Categorical(odds[0]), D.Independent(D.Normal(torch.arange(6.0).reshape(3, 2), rising(torch, 3, 2)), 1)),
        "transformed": D.TransformedDistribution(D.Normal(loc, 1.0), [D.AffineTransform(1.0, -2.0), D.SigmoidTransform()]),
        "broken stick": D.TransformedDistribution(D.Normal(torch.zeros(3), 1.0), [D.StickBreakingTransform()]),
        "log_normal": D.LogNormal(loc, scale),
        "logistic_normal": D.LogisticNormal(loc, scale),
        "half_normal": D.HalfNormal(scale),
        "half_cauchy": D.HalfCauchy(scale),
        "gumbel": D.Gumbel(loc, scale),
        "inverse_gamma": D.InverseGamma(three * 2, three),
        "kumaraswamy": D.Kumaraswamy(three * 2, three + 1),
        "pareto": D.Pareto(t([1.0, 2.0]), t([1.5, 3.0])),
        "weibull": D.Weibull(t([1.0, 2.0]), t([1.5, 3.0])),
        "relaxed_bernoulli": D.RelaxedBernoulli(t(0.5), third),
        "relaxed_one_hot": D.RelaxedOneHotCategorical(t(0.5), logits=odds),
        "generalized_pareto": D.GeneralizedPareto(t([0.0, 1.0, 2.0]), t([1.0, 0.5, 0.7]), t([0.3, 0.0, -0.4])),
        "multivariate_normal": D.MultivariateNormal(t([1.0, 2.0, 3.0]), covariance),
        "multivariate_normal of precision": D.MultivariateNormal(torch.zeros(2, 3), precision_matrix=covariance),
        "multivariate_normals": D.MultivariateNormal(torch.zeros(3), scale_tril=torch.stack([torch.eye(3), torch.linalg.cholesky(covariance)])),
        "low_rank": D.LowRankMultivariateNormal(torch.zeros(2, 3), torch.arange(6.0).reshape(3, 2) / 5, t([1.0, 2.0, 0.5])),
        "wishart": D.Wishart(t(5.0), covariance),
        "lkj": D.LKJCholesky(3, t([0.5, 2.0])),
    }


def gather(found, name, function):
    """What a distribution answers; that it has no such thing is an answer too."""
    try:
        found[name] = function()
    except NotImplementedError:
        found[name] = "no"


@program
@relative(2e-4)
def samples(torch):
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch's Wishart says that it draws again
        for name, d in made(torch).items():
            for size in ((), (2, 3)):
                torch.manual_seed(1)
                found[f"{name} {size}"] = d.sample(size)
            if d.has_rsample:
                torch.manual_seed(1)
                found[f"{name} with gradient"] = d.rsample((4,))
            torch.manual_seed(1)
            gather(found, f"{name} expanded", d.expand((2, *d.batch_shape)).sample)
    return found


@program
@relative(2e-4)
def densities(torch):
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, d in made(torch).items():
            torch.manual_seed(1)
            values = d.sample((3,)) if name not in ("wishart", "von_mises") else d.mean.expand(3, *d.mean.shape)
            found[f"{name} log_prob"] = d.log_prob(values)
            gather(found, f"{name} cdf", lambda: d.cdf(values))
            if not d.event_shape:
                gather(found, f"{name} icdf", lambda: d.icdf(torch.tensor([0.1, 0.5, 0.99]).reshape(3, *[1] * len(d.batch_shape))))
    return found


@program
@relative(2e-4)
def moments(torch):
    found = {}
    for name, d in made(torch).items():
        found[name] = [repr(d), list(d.batch_shape), list(d.event_shape), d.has_rsample, d.has_enumerate_support, repr(d.support)]
        for what in ("mean", "variance", "stddev", "mode"):
            if (name, what) != ("kumaraswamy", "mode"):  # torch's is NaN
                gather(found, f"{name} {what}", lambda: getattr(d, what))
        gather(found, f"{name} entropy", d.entropy)
        gather(found, f"{name} support", d.enumerate_support)
        gather(found, f"{name} support alone", lambda: d.enumerate_support(False))
    return found


@program
@relative(2e-4)
def divergences(torch):
    D, t = torch.distributions, torch.tensor
    a, b = t([0.3, 0.8]), t([1.5, 2.5])
    c, e = t([0.6, 0.2]), t([2.0, 1.2])
    both = {
        "Bernoulli": [D.Bernoulli(t([0.0, 0.3])), D.Bernoulli(t([0.2, 1.0]))],
        "Beta": [D.Beta(a, b), D.Beta(c, e)],
        "Binomial": [D.Binomial(5, a), D.Binomial(5, c)],
        "Categorical": [D.Categorical(a), D.Categorical(c)],
        "Cauchy": [D.Cauchy(a, b), D.Cauchy(c, e)],
        "Chi2": [D.Chi2(a), D.Chi2(c)],
        "ContinuousBernoulli": [D.ContinuousBernoulli(a), D.ContinuousBernoulli(c)],
        "Dirichlet": [D.Dirichlet(a), D.Dirichlet(c)],
        "Exponential": [D.Exponential(a), D.Exponential(c)],
        "Gamma": [D.Gamma(a, b), D.Gamma(c, e)],
        "Geometric": [D.Geometric(a), D.Geometric(c)],
        "Gumbel": [D.Gumbel(a, b), D.Gumbel(c, e)],
        "HalfNormal": [D.HalfNormal(a), D.HalfNormal(c)],
        "Independent": [D.Independent(D.Normal(a, b), 1), D.Independent(D.Normal(c, e), 1)],
        "Laplace": [D.Laplace(a, b), D.Laplace(c, e)],
        "LogNormal": [D.LogNormal(a, b), D.LogNormal(c, e)],
        "LowRank": [D.LowRankMultivariateNormal(a, b.reshape(2, 1), c), D.LowRankMultivariateNormal(c, e.reshape(2, 1), a)],
        "MultivariateNormal": [D.MultivariateNormal(a, torch.diag(b)), D.MultivariateNormal(c, t([[1.0, 0.3], [0.3, 2.0]]))],
        "Normal": [D.Normal(a, b), D.Normal(c, e)],
        "OneHotCategorical": [D.OneHotCategorical(a), D.OneHotCategorical(c)],
        "Pareto": [D.Pareto(a, b), D.Pareto(c, e)],
        "Poisson": [D.Poisson(a), D.Poisson(c)],
        "Uniform": [D.Uniform(t([0.2, -0.1]), t([0.9, 2.0])), D.Uniform(t([0.0, -1.0]), t([1.0, 4.0]))],
        "VonMises": [D.VonMises(a, b), D.VonMises(c, e)],
        "Wishart": [D.Wishart(t(3.0), torch.diag(b)), D.Wishart(t(4.0), torch.diag(e))],
    }  # fmt: skip
    found = {}
    for p, (left, _) in both.items():
        for q, (_, right) in both.items():
            gather(found, f"{p} to {q}", lambda: D.kl_divergence(left, right))
    return {k: v for k, v in found.items() if not isinstance(v, str)} | {"absent": [k for k, v in found.items() if isinstance(v, str)]}


@program
@relative(1e-3)
def gradients_of_parameters(torch):
    D = torch.distributions
    classes = {
        "Beta": D.Beta, "Cauchy": D.Cauchy, "FisherSnedecor": D.FisherSnedecor, "Gamma": D.Gamma, "Gumbel": D.Gumbel, "InverseGamma": D.InverseGamma,
        "Kumaraswamy": D.Kumaraswamy, "Laplace": D.Laplace, "LogNormal": D.LogNormal, "LogisticNormal": D.LogisticNormal, "Normal": D.Normal,
        "Pareto": D.Pareto, "Weibull": D.Weibull, "VonMises": D.VonMises,
        "Dirichlet": lambda a, b: D.Dirichlet(torch.stack([a, b], -1)),
        "StudentT": lambda a, b: D.StudentT(a, b, 1.0),
        "Uniform": lambda a, b: D.Uniform(a, a + b),
        "Exponential": lambda a, b: D.Exponential(a * b),
        "HalfNormal": lambda a, b: D.HalfNormal(a * b),
        "Bernoulli": lambda a, b: D.Bernoulli(logits=a * b),
        "Categorical": lambda a, b: D.Categorical(logits=torch.stack([a, b], -1)),
        "NegativeBinomial": lambda a, b: D.NegativeBinomial(a, logits=b),
        "RelaxedBernoulli": lambda a, b: D.RelaxedBernoulli(torch.tensor(0.7), logits=a * b),
        "RelaxedOneHotCategorical": lambda a, b: D.RelaxedOneHotCategorical(torch.tensor(0.7), logits=torch.stack([a, b], -1)),
        "StraightThrough": lambda a, b: D.OneHotCategoricalStraightThrough(logits=torch.stack([a, b], -1)),
        "MultivariateNormal": lambda a, b: D.MultivariateNormal(a, torch.outer(b, b) + torch.eye(3)),
        "LowRank": lambda a, b: D.LowRankMultivariateNormal(a, torch.outer(b, b), b),
        "Mixture": lambda a, b: D.MixtureSameFamily(D.Categorical(logits=a), D.Normal(a, b)),
    }  # fmt: skip
    found = {}
    for name, make in classes.items():
        a = torch.tensor([0.5, 1.2, 2.0], requires_grad=True)
        b = torch.tensor([1.5, 0.7, 1.1], requires_grad=True)

        def take(what, value):
            weights = torch.arange(1, 1 + value.numel()).reshape(value.shape)
            found[f"{name} {what}"] = torch.autograd.grad((value * weights).sum(), (a, b), allow_unused=True, retain_graph=True)

        d = make(a, b)
        torch.manual_seed(0)
        if d.has_rsample:
            take("rsample", d.rsample((2,)))
        take("log_prob", d.log_prob(d.sample((2,))))
        gather(found, f"{name} entropy", lambda: take("entropy", d.entropy()))
    return found


@program
@relative(2e-3)
def transforms(torch):
    D, t = torch.distributions, torch.tensor
    x = torch.arange(12.0).reshape(2, 6) / 7 - 0.8
    square = x.reshape(3, 2, 2)
    several = {
        "abs": (D.AbsTransform(), x), "affine": (D.AffineTransform(1.0, -2.0), x), "exp": (D.ExpTransform(), x), "power": (D.PowerTransform(t(2.5)), x.abs() + 0.1),
        "vector": (D.AffineTransform(t(1.0), t([1.0, 2.0, 3.0, -1.0, 0.5, 2.0]), event_dim=1), x), "sigmoid": (D.SigmoidTransform(), x),
        "softplus": (D.SoftplusTransform(), x * 20), "tanh": (D.TanhTransform(), x), "softmax": (D.SoftmaxTransform(), x),
        "stick": (D.StickBreakingTransform(), x[:, :4]), "correlation": (D.CorrCholeskyTransform(), x), "reshape": (D.ReshapeTransform((6,), (2, 3)), x),
        "cholesky": (D.LowerCholeskyTransform(), square), "definite": (D.PositiveDefiniteTransform(), square),
        "independent": (D.IndependentTransform(D.ExpTransform(), 1), x), "compose": (D.ComposeTransform([D.AffineTransform(1.0, 0.3), D.ExpTransform()]), x),
        "cat": (D.CatTransform([D.ExpTransform(), D.TanhTransform()], dim=1, lengths=[2, 4]), x),
        "stack": (D.StackTransform([D.ExpTransform(), D.TanhTransform()], dim=0), x),
        "cdf": (D.CumulativeDistributionTransform(D.Normal(0.0, 1.0)), x), "identity": (D.identity_transform, x),
    }  # fmt: skip
    found = {}
    for name, (f, value) in several.items():
        y = f(value)
        found[name] = [y, f.inv(y), repr(f), f.bijective, repr(f.domain), repr(f.codomain), f == f, f == D.ExpTransform()]
        gather(found, f"{name} jacobian", lambda: f.log_abs_det_jacobian(value, y))
        gather(found, f"{name} inverse jacobian", lambda: f.inv.log_abs_det_jacobian(y, value))
        gather(found, f"{name} sign", lambda: f.sign)
        found[f"{name} shapes"] = [list(f.forward_shape(value.shape)), list(f.inverse_shape(y.shape))]
        g = f.with_cache()
        found[f"{name} cached"] = g.inv(g(value)) is value or not isinstance(g, D.ExpTransform)
    return found


@program
@relative(1e-4)
def constraints(torch):
    D, t = torch.distributions, torch.tensor
    C, x = D.constraints, torch.arange(12.0).reshape(2, 6) / 7 - 0.8
    matrices = t([[[2.0, 1.0], [1.0, 2.0]], [[1.0, 2.0], [2.0, 1.0]]])
    several = {
        "real": (C.real, t([1.0, math.nan, math.inf])), "boolean": (C.boolean, t([0.0, 1.0, 2.0])), "positive": (C.positive, x), "nonnegative": (C.nonnegative, x),
        "unit": (C.unit_interval, x), "integers": (C.integer_interval(0, 3), t([0.0, 0.5, 3.0, 4.0])), "half open": (C.half_open_interval(0, 1), t([0.0, 1.0])),
        "simplex": (C.simplex, t([[0.5, 0.5], [0.5, 0.6]])), "cholesky": (C.lower_cholesky, matrices), "triangular": (C.lower_triangular, matrices.tril()),
        "correlation": (C.corr_cholesky, t([[1.0, 0.0], [0.6, 0.8]])), "definite": (C.positive_definite, matrices), "semidefinite": (C.positive_semidefinite, matrices),
        "symmetric": (C.symmetric, matrices.tril()), "square": (C.square, matrices), "one hot": (C.one_hot, t([[0.0, 1.0], [1.0, 1.0]])),
        "counts": (C.nonnegative_integer, t([0.0, 1.5, -1.0])), "positive counts": (C.positive_integer, t([0.0, 1.0])), "greater": (C.greater_than(1.0), x),
        "less": (C.less_than(0.0), x), "independent": (C.independent(C.positive, 1), x), "multinomial": (C.multinomial(3), t([1.0, 3.0])),
        "cat": (C.cat([C.real, C.positive], 1, [2, 4]), x), "stack": (C.stack([C.positive, C.real]), x), "interval": (C.interval(-2.0, 3.0), x),
    }  # fmt: skip
    found = {}
    for name, (c, value) in several.items():
        found[name] = [c.check(value), repr(c), c.event_dim, c.is_discrete]
        for registry in ("biject_to", "transform_to"):
            gather(found, f"{name} {registry}", lambda: getattr(D, registry)(c)(x.reshape(3, 2, 2) if c.event_dim == 2 and "corr" not in name else x))
    return found


@program
def errors_of_distributions(torch):
    D, t = torch.distributions, torch.tensor
    C = D.constraints
    wrong = {
        "scale": lambda: D.Normal(0.0, -1.0), "text": lambda: D.Normal("a", 1.0), "nan": lambda: D.Normal(t([0.0, math.nan]), 1.0), "value": lambda: D.Normal(0.0, 1.0).log_prob(t(math.nan)),
        "number": lambda: D.Normal(0.0, 1.0).log_prob(1.0), "neither": lambda: D.Bernoulli(), "both": lambda: D.Bernoulli(0.5, 0.5), "no dimension": lambda: D.Categorical(t(1.0)),
        "negative": lambda: D.Categorical(t([-1.0, 2.0])), "sizes": lambda: D.Normal(torch.zeros(3), 1.0).log_prob(torch.zeros(2)), "order": lambda: D.Uniform(1.0, 0.0),
        "too many": lambda: D.Independent(D.Normal(0.0, 1.0), 1), "two": lambda: D.MultivariateNormal(torch.zeros(2), torch.eye(2), torch.eye(2)),
        "base": lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), [D.SoftmaxTransform()]), "transform": lambda: D.TransformedDistribution(D.Normal(0.0, 1.0), 3),
        "mixture": lambda: D.MixtureSameFamily(D.Normal(0.0, 1.0), D.Normal(0.0, 1.0)), "zero": lambda: D.Geometric(0.0), "event": lambda: D.Dirichlet(torch.ones(3)).log_prob(torch.ones(2)),
        "class": lambda: D.Categorical(torch.ones(3)).log_prob(t(1.5)), "dim": lambda: D.LKJCholesky(1), "df": lambda: D.Wishart(t(1.0), torch.eye(3)), "cache": lambda: D.ExpTransform(cache_size=3),
        "elements": lambda: D.ReshapeTransform((2,), (3,)), "dependent": lambda: C.dependent.check(t(1.0)), "registry": lambda: D.biject_to(C.lower_cholesky), "rsample": lambda: D.Poisson(1.0).rsample(),
        "pair": lambda: D.kl_divergence(D.Poisson(1.0), D.Categorical(t([1.0]))), "family": lambda: D.kl_divergence(D.Poisson(1.0), D.Normal(0.0, 1.0)), "entropy": lambda: D.Poisson(1.0).entropy(),
        "counts": lambda: D.Binomial(t([1, 2]), t(0.5)).enumerate_support(), "default": lambda: D.Distribution.set_default_validate_args(3),
    }  # fmt: skip
    found = {}
    for name, function in wrong.items():
        try:
            function()
            found[name] = "nothing"
        except Exception as error:
            found[name] = f"{type(error).__name__}: {' '.join(str(error).split())}"
    found["unchecked"] = D.Normal(0.0, -1.0, validate_args=False).scale
    return found

"""gpytorch: an exact Gaussian process fitted to a sine, and what it predicts."""

import json

import gpytorch
import torch


class Process(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


x = torch.linspace(0, 1, 20)
y = torch.sin(6 * x)
likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = Process(x, y, likelihood)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
likelihood_of = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
losses = []
for _ in range(5):
    optimizer.zero_grad()
    loss = -likelihood_of(model(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
model.eval()
likelihood.eval()
with torch.no_grad():
    found = likelihood(model(torch.tensor([0.25, 0.6])))
print(json.dumps({"losses": losses, "mean": found.mean.tolist(), "variance": found.variance.tolist()}))

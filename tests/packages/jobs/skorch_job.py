"""skorch: a classifier with scikit-learn's face fitted, in a grid search and a pipeline, saved and loaded."""

import json
import tempfile

import numpy
import torch
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier, NeuralNetRegressor


class Network(torch.nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, width), torch.nn.ReLU(), torch.nn.Linear(width, 3), torch.nn.Softmax(-1))

    def forward(self, x):
        return self.layers(x)


torch.manual_seed(0)
x = numpy.sin(numpy.arange(120 * 4, dtype=numpy.float32).reshape(120, 4))
y = (x.sum(1) > 0).astype(numpy.int64) + (x[:, 0] > 0.5)
net = NeuralNetClassifier(Network, max_epochs=5, lr=0.1, optimizer=torch.optim.Adam, verbose=0, train_split=None, iterator_train__shuffle=True)
net.fit(x, y)
with tempfile.TemporaryDirectory() as folder:
    net.save_params(f_params=f"{folder}/params.pt", f_history=f"{folder}/history.json")
    again = NeuralNetClassifier(Network).initialize()
    again.load_params(f_params=f"{folder}/params.pt", f_history=f"{folder}/history.json")
pipeline = make_pipeline(StandardScaler(), NeuralNetClassifier(Network, max_epochs=2, lr=0.05, verbose=0, train_split=None, module__width=5))
crossed = cross_val_predict(pipeline, x, y, cv=3, method="predict_proba")
regressor = NeuralNetRegressor(torch.nn.Linear(4, 1), max_epochs=3, lr=0.1, verbose=0).fit(x, x.sum(1, keepdims=True))
print(json.dumps({
    "losses": net.history[:, "train_loss"], "probabilities": net.predict_proba(x[:5]).flatten().tolist(), "again": again.predict_proba(x[:5]).flatten().tolist(),
    "crossed": crossed[:5].flatten().tolist(), "valid": regressor.history[:, "valid_loss"],
}))  # fmt: skip

"""pytorch-lightning: a classifier trained with a schedule, callbacks and the logger of tensorboard, its best checkpoint loaded, tested."""

import json
import logging
import tempfile
import warnings
from pathlib import Path

import pytorch_lightning as pl
import torch

warnings.simplefilter("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)


class Model(pl.LightningModule):
    def __init__(self, width=16, lr=0.05):
        super().__init__()
        self.save_hyperparameters()
        self.net = torch.nn.Sequential(torch.nn.Linear(6, width), torch.nn.BatchNorm1d(width), torch.nn.ReLU(), torch.nn.Linear(width, 3))
        self.losses = []

    def training_step(self, batch, index):
        loss = torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        self.losses.append(loss.item())
        self.log("loss", loss, on_step=True)
        return loss

    def validation_step(self, batch, index):
        self.log("validation", torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1]))

    def test_step(self, batch, index):
        self.log("accuracy", (self.net(batch[0]).argmax(1) == batch[1]).float().mean())

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)]


pl.seed_everything(1, verbose=False)
x = torch.randn(48, 6)
data = torch.utils.data.TensorDataset(x, x[:, :3].argmax(1))
loader = torch.utils.data.DataLoader(data, batch_size=8)
with tempfile.TemporaryDirectory() as folder:
    best = pl.callbacks.ModelCheckpoint(folder, monitor="validation", filename="best")
    trainer = pl.Trainer(max_epochs=3, accelerator="cpu", callbacks=[best, pl.callbacks.EarlyStopping("validation", patience=5)], gradient_clip_val=0.5, enable_progress_bar=False,
                         enable_model_summary=False, default_root_dir=folder, logger=pl.loggers.TensorBoardLogger(folder), log_every_n_steps=2)
    model = Model()
    trainer.fit(model, loader, loader)
    again = Model.load_from_checkpoint(best.best_model_path, weights_only=False)
    tested = trainer.test(again, loader, verbose=False)[0]
    events = len(list(Path(folder).rglob("events.out.tfevents.*")))
print(json.dumps({"losses": model.losses, "tested": [tested["accuracy"]], "width": [again.hparams.width], "events": [float(events > 0)]}))

"""lightning: a module trained by its Trainer, saved, loaded, and its predictions."""

import json
import logging
import tempfile
import warnings

import lightning
import torch

warnings.simplefilter("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
        self.losses = []

    def training_step(self, batch, index):
        loss = torch.nn.functional.mse_loss(self.net(batch[0]), batch[1])
        self.losses.append(loss.item())
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, index):
        self.log("validation", torch.nn.functional.mse_loss(self.net(batch[0]), batch[1]))

    def predict_step(self, batch, index):
        return self.net(batch[0])

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=0.01)


lightning.seed_everything(0, verbose=False)
x = torch.linspace(-1, 1, 64).reshape(16, 4)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True)), batch_size=4)
with tempfile.TemporaryDirectory() as folder:
    trainer = lightning.Trainer(max_epochs=3, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                                enable_model_summary=False, default_root_dir=folder)
    model = Model()
    trainer.fit(model, loader, loader)
    trainer.save_checkpoint(f"{folder}/model.ckpt")
    again = Model.load_from_checkpoint(f"{folder}/model.ckpt", weights_only=False)
    predicted = torch.cat(trainer.predict(again, loader))
print(json.dumps({"losses": model.losses, "predicted": predicted.flatten().tolist()}))

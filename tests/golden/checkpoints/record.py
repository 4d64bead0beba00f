"""Records the checkpoints: run with PyTorch 2.13 installed."""

import json

import torch

from . import recipe


def main():
    for name, options in (("zip", {}), ("stream", {"_use_new_zipfile_serialization": False}), ("protocol4", {"pickle_protocol": 4})):
        torch.save(recipe.everything(torch), recipe.FOLDER / f"{name}.pt", **options)
    torch.save(recipe.network(torch), recipe.FOLDER / "network.pt")
    states = {name: {"weight": weight.detach(), **optimizer.state_dict()} for name, (weight, optimizer) in recipe.optimizers(torch).items()}
    torch.save(states, recipe.FOLDER / "optimizers.pt")
    values = {name: {"weight": recipe.bits(s["weight"]).hex(), **{k: recipe.bits(v).hex() for k, v in s["state"][0].items() if v is not None}} for name, s in states.items()}
    (recipe.FOLDER / "optimizers.json").write_text(json.dumps(values, indent=1) + "\n")


if __name__ == "__main__":
    main()

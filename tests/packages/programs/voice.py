"""silero-vad: where there is a voice in a sound. The package's network is written for tinygrad, whose names are torch's nearly."""

import math

from common import finish, package, report, stand_in

folder = package("silero-vad", without_init="silero_vad")

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402

stand_in("tinygrad", nn=torch.nn)
stand_in("packaging.version")
torch.Tensor.pad = lambda self, padding, mode: F.pad(self, padding, mode)
torch.Tensor.stack = lambda self, *others, dim: torch.stack((self, *others), dim)

from safetensors.torch import load_file  # noqa: E402
from silero_vad.tinygrad_model import TinySileroVAD  # noqa: E402
from silero_vad.utils_vad import VADIterator, collect_chunks, get_speech_timestamps  # noqa: E402


class Voice:
    """The package's network behind the interface that its helpers expect of a model."""

    def __init__(self):
        self.network = TinySileroVAD()
        weights = load_file(folder / "silero_vad" / "data" / "silero_vad_16k.safetensors")
        for name, layer in vars(self.network).items():
            if isinstance(layer, torch.nn.Module):
                layer.load_state_dict({key[len(name) + 1 :]: w for key, w in weights.items() if key.startswith(name + ".")})
        self.reset_states()

    def reset_states(self):
        self.state, self.context, self.probabilities = None, torch.zeros(1, 64), []

    def __call__(self, chunk, sampling_rate):
        chunk = torch.cat([self.context, chunk.reshape(1, -1)], dim=1)
        self.context = chunk[:, -64:]
        probability, self.state = self.network(chunk, self.state)
        self.probabilities.append(probability)
        return probability


# three sounds like vowels, with pauses: a pulse train through resonances, which closed forms give
RATE = 16000
t = torch.arange(RATE * 3, dtype=torch.float64) / RATE
pitch = 110 + 20 * torch.sin(2 * math.pi * 1.3 * t)
phase = 2 * math.pi * pitch.cumsum(0) / RATE
sound = torch.zeros_like(t)
for k in range(1, 30):
    f = k * pitch
    formants = sum(a / (1 + ((f - c - s * torch.sin(2 * math.pi * 2 * t)) / 90) ** 2)
                   for a, c, s in ((1.0, 600, 200), (0.5, 1300, 300), (0.25, 2500, 100)))
    sound += torch.sin(k * phase) * formants
sound = (0.3 * sound * (torch.sin(2 * math.pi * t * 0.9) > -0.3) * (0.6 + 0.4 * torch.sin(2 * math.pi * 4 * t))).float()

model = Voice()
with torch.no_grad():
    single, state = model.network(sound[:1152].reshape(2, 576))
report(single=single, state=state[:, :, ::8])
spans = get_speech_timestamps(sound, model, threshold=0.4, min_speech_duration_ms=64)
report(probabilities=torch.cat(model.probabilities, 1), spans=[[span["start"], span["end"]] for span in spans])
report(collected=len(collect_chunks(spans, sound)))

iterator = VADIterator(model, threshold=0.4)
events = [iterator(sound[i : i + 512]) for i in range(0, len(sound) - 511, 512)]
report(events=[event for event in events if event])

finish()

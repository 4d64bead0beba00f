"""torchaudio: spectra, filters and other transforms of two tones, and four small models."""

import json

import torch
import torchaudio.functional as F
import torchaudio.models as M
import torchaudio.transforms as T

RATE = 8000
found = {}


def keep(name, *tensors, step=1):
    found[name] = [round(x, 7) for t in tensors for x in t.detach().double().flatten().tolist()[::step]]


time = torch.arange(2000) / RATE
wave = torch.stack([torch.sin(2764.6 * time) * 0.5, torch.sin((628.3 + 3141.6 * time) * time) * 0.3])
spectrum = T.Spectrogram(256, power=None)(wave)
for change in (T.Spectrogram(256), T.MelSpectrogram(RATE, 400), T.MFCC(RATE, 13), T.Resample(RATE, 6000), T.MuLawEncoding(), T.Fade(100, 200), T.SpectralCentroid(RATE)):
    keep(type(change).__name__, change(wave), step=41)
keep("decibel", T.AmplitudeToDB(top_db=40.0)(spectrum.abs()), step=41)
keep("inverse", T.InverseSpectrogram(256)(spectrum), step=41)
keep("stretched", T.TimeStretch(n_freq=129, fixed_rate=1.25)(spectrum).abs(), step=41)
for name, arguments in {"lowpass_biquad": (RATE, 1000.0), "equalizer_biquad": (RATE, 1000.0, 3.0), "phaser": (RATE,), "overdrive": (), "contrast": (), "detect_pitch_frequency": (RATE,)}.items():
    keep(name, getattr(F, name)(wave, *arguments), step=41)
short, a, b = wave[:, :50].clone().requires_grad_(), torch.tensor([1.0, -0.5, 0.2], requires_grad=True), torch.tensor([0.5, 0.2, 0.1], requires_grad=True)
result = F.lfilter(short, a, b, clamp=False)
keep("lfilter", result, *torch.autograd.grad(result.square().sum(), (short, a, b)))
keep("filtfilt", F.filtfilt(wave, torch.tensor([1.0, -0.5]), torch.tensor([0.5, 0.2])), step=41)


def model(name, network, *inputs, step=1):
    with torch.no_grad():
        result = network.eval()(*inputs)
    keep(name, result[0] if isinstance(result, (tuple, list)) else result, step=step)


torch.manual_seed(0)
small = {"enc_num_feats": 32, "msk_num_feats": 16, "msk_num_hidden_feats": 32, "msk_num_layers": 2, "msk_num_stacks": 2}
model("ConvTasNet", M.ConvTasNet(num_sources=2, **small), wave[:, None], step=41)
model("Conformer", M.Conformer(16, 4, 32, 2, 7), torch.rand(2, 10, 16), torch.tensor([10, 8]))
model("Emformer", M.Emformer(16, 4, 32, 2, 4, right_context_length=1), torch.rand(2, 9, 16), torch.tensor([8, 6]))
layers = {
    "extractor_mode": "group_norm", "extractor_conv_layer_config": [(32, 10, 5), (32, 3, 2)], "extractor_conv_bias": False, "encoder_embed_dim": 32,
    "encoder_projection_dropout": 0.1, "encoder_pos_conv_kernel": 8, "encoder_pos_conv_groups": 4, "encoder_num_layers": 2, "encoder_num_heads": 4,
    "encoder_attention_dropout": 0.1, "encoder_ff_interm_features": 64, "encoder_ff_interm_dropout": 0.1, "encoder_dropout": 0.1, "encoder_layer_norm_first": False,
    "encoder_layer_drop": 0.1, "aux_num_out": 10,
}
model("wav2vec2", M.wav2vec2_model(**layers), wave, step=41)
print(json.dumps(found))

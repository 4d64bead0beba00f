"""labml-nn: transformers, recurrent networks, normalizations, graphs and optimizers of its annotated papers."""

import copy
import importlib

from common import case, finish, need_numpy, package, pattern, report, stand_in

package("labml-nn")
need_numpy()


class Option:
    def __call__(self, *args, **settings):
        return lambda function: function


stand_in("labml", experiment=stand_in("labml.experiment"), tracker=stand_in("labml.tracker", debug=lambda *a: None, add=lambda *a: None),
         lab=stand_in("labml.lab"), monit=stand_in("labml.monit"), logger=stand_in("labml.logger"))


class Configs(type):
    def __getattr__(cls, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return name


option = Option()
option.aggregate = option.calc = option.set_hyperparams = lambda *args, **settings: None
stand_in("labml.configs", aggregate=option.aggregate, BaseConfigs=Configs("BaseConfigs", (), {}), option=Option(), calculate=lambda *a, **k: None, meta_config=Option(), hyperparams=lambda *a: 0)
stand_in("labml.logger", inspect=lambda *a, **k: None, Text=object)
stand_in("labml.utils.pytorch")
for name in ("labml.helpers", "torchvision.datasets"):
    stand_in(name)

import torch  # noqa: E402
from torch import nn  # noqa: E402

stand_in("torchvision.transforms.functional", center_crop=lambda x, size: x[..., : size[0], : size[1]])
stand_in("labml_helpers.module", Module=nn.Module, M=object, TypedModuleList=nn.ModuleList)


def attention(d=16, heads=2):
    from labml_nn.transformers.mha import MultiHeadAttention

    return MultiHeadAttention(heads, d, dropout_prob=0.0)


def encoder_decoder():
    from labml_nn.transformers.feed_forward import FeedForward
    from labml_nn.transformers.models import (
        Decoder,
        EmbeddingsWithLearnedPositionalEncoding,
        EmbeddingsWithPositionalEncoding,
        Encoder,
        EncoderDecoder,
        Generator,
        TransformerLayer,
    )
    from labml_nn.transformers.utils import subsequent_mask

    def layer(source):
        return TransformerLayer(d_model=16, self_attn=attention(), src_attn=attention() if source else None,
                                feed_forward=FeedForward(16, 32, 0.1, is_gated=source), dropout_prob=0.1)

    model = EncoderDecoder(Encoder(layer(False), 2), Decoder(layer(True), 2), EmbeddingsWithPositionalEncoding(16, 11, 30),
                           EmbeddingsWithLearnedPositionalEncoding(16, 11, 30), Generator(11, 16))
    words = torch.arange(14).reshape(7, 2) * 3 % 11
    mask = subsequent_mask(7)
    return model, model.generator(model(words, words.flip(0), torch.ones_like(mask), mask))


def part(name):
    return importlib.import_module(f"labml_nn.{name}")


def layer_of(module, name, *inputs, **settings):
    model = getattr(part(module), name)(**settings)
    out = model(*inputs)
    while not torch.is_tensor(out):
        out = out[0]
    return model, out


def transformer_xl():
    from labml_nn.transformers.feed_forward import FeedForward
    from labml_nn.transformers.utils import subsequent_mask
    from labml_nn.transformers.xl import RelativeMultiHeadAttention, TransformerXL, TransformerXLLayer

    model = TransformerXL(TransformerXLLayer(d_model=16, self_attn=RelativeMultiHeadAttention(2, 16, 0.1),
                                             feed_forward=FeedForward(16, 32, 0.1), dropout_prob=0.1), 2)
    mask = torch.cat([torch.ones(5, 3, 1).bool(), subsequent_mask(5)], 1)
    out, _ = model(pattern(5, 2, 16), [pattern(3, 2, 16, step=0.2)] * 2, mask)
    return model, out


def switch():
    from labml_nn.transformers.feed_forward import FeedForward
    from labml_nn.transformers.switch import SwitchFeedForward, SwitchTransformer, SwitchTransformerLayer

    model = SwitchTransformer(SwitchTransformerLayer(
        d_model=16, attn=attention(), dropout_prob=0.0,
        feed_forward=SwitchFeedForward(capacity_factor=1.2, drop_tokens=True, is_scale_prob=True, n_experts=3,
                                       expert=FeedForward(16, 32, 0.1), d_model=16)), 2)
    out, counts, probabilities, *_ = model(pattern(6, 2, 16), None)
    return model, out, out.square().sum() + (counts * probabilities).sum()


def feedback():
    from labml_nn.transformers.feed_forward import FeedForward
    from labml_nn.transformers.feedback import FeedbackAttention, FeedbackTransformer, FeedbackTransformerLayer

    model = FeedbackTransformer(FeedbackTransformerLayer(d_model=16, attn=FeedbackAttention(2, 16, 0.0),
                                                         feed_forward=FeedForward(16, 32, 0.0), dropout_prob=0.0), 2)
    return model, model(pattern(4, 2, 16))


def optimized(name, **settings):
    torch.manual_seed(2)
    network = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2))
    reference = copy.deepcopy(network)
    module, _, kind = name.rpartition(".")
    optimizer = getattr(part(f"optimizers.{module}"), kind)(network.parameters(), lr=1e-2, **settings)
    losses = []
    for _ in range(8):
        loss = (network(pattern(5, 6)) - pattern(5, 2, step=0.9)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    moved = sum((a - b).abs().sum() for a, b in zip(network.parameters(), reference.parameters()))
    report(**{kind: torch.tensor(losses), f"{kind}_moved": moved})


case("encoder_decoder", encoder_decoder)
case("transformer_xl", transformer_xl)
case("switch", switch)
case("feedback", feedback)
x = pattern(6, 2, 16)
case("rope", lambda: (m := part("transformers.rope").RotaryPEMultiHeadAttention(2, 16, dropout_prob=0.0), m(query=x, key=x, value=x)))
case("alibi", lambda: (m := part("transformers.alibi").AlibiMultiHeadAttention(2, 16, 0.0),
                       m(query=x, key=x, value=x, mask=torch.ones(6, 6).tril()[..., None])))
case("primer", lambda: (m := part("transformers.primer_ez").MultiDConvHeadAttention(2, 16, dropout_prob=0.0), m(query=x, key=x, value=x)))
case("aft", lambda: (m := part("transformers.aft").AFTLocal(16, 6, 3), m(query=x, key=x, value=x, mask=torch.ones(6, 6).tril().bool()[..., None])))
case("gmlp", lambda: (m := part("transformers.gmlp").GMLPBlock(16, 12, 6), m(x=x)))
case("fnet", lambda: (m := nn.Linear(16, 16), (part("transformers.fnet").FNetMix()(query=(y := m(x)), key=y, value=y))))
case("compression", lambda: layer_of("transformers.compressive", "Conv1dCompression", x, compression_rate=2, d_model=16))
case("fast_weights", lambda: layer_of("transformers.fast_weights", "FastWeightsAttention", x, heads=2, d_model=16, dropout_prob=0.0,
                                      phi=part("transformers.fast_weights").DPFP(nu=2)))
case("lstm", lambda: layer_of("lstm", "LSTM", x, input_size=16, hidden_size=8, n_layers=2))
case("highway", lambda: layer_of("recurrent_highway_networks", "RHN", x, input_size=16, hidden_size=8, depth=2, n_layers=1))
case("hyper_lstm", lambda: layer_of("hypernetworks.hyper_lstm", "HyperLSTM", x, input_size=16, hidden_size=8, hyper_size=4, n_z=3,
                                    n_layers=1))
images = pattern(3, 4, 6, 6)
for module, name, settings in (("batch_norm", "BatchNorm", {"channels": 4}), ("layer_norm", "LayerNorm", {"normalized_shape": [4, 6, 6]}),
                               ("group_norm", "GroupNorm", {"groups": 2, "channels": 4}),
                               ("instance_norm", "InstanceNorm", {"channels": 4})):
    case(module, lambda m=module, n=name, s=settings: layer_of(f"normalization.{m}", n, images, **s))
case("weight_standard", lambda: layer_of("normalization.weight_standardization.conv2d", "Conv2d", images, in_channels=4, out_channels=5,
                                         kernel_size=3))
case("resnet", lambda: layer_of("resnet", "ResNetBase", pattern(2, 3, 32, 32), n_blocks=[1, 1], n_channels=[8, 16], bottlenecks=[4, 8]))
case("unet", lambda: layer_of("unet", "UNet", pattern(1, 1, 32, 32), in_channels=1, out_channels=2))
case("conv_mixer", lambda: (m := part("conv_mixer"), n := m.ConvMixer(
    m.ConvMixerLayer(8, 3), 2, m.PatchEmbeddings(8, 4, 3), m.ClassificationHead(8, 5)), n(pattern(2, 3, 16, 16)))[1:])
graph = (pattern(5, 5, step=0.9)[..., None] > 0) | torch.eye(5).bool()[..., None]
case("gat", lambda: layer_of("graphs.gat", "GraphAttentionLayer", pattern(5, 6), graph, in_features=6, out_features=8, n_heads=2,
                             dropout=0.1))
case("gatv2", lambda: layer_of("graphs.gatv2", "GraphAttentionV2Layer", pattern(5, 6), graph, in_features=6, out_features=8, n_heads=2,
                               dropout=0.1))
case("capsules", lambda: layer_of("capsule_networks", "Router", pattern(2, 6, 4), in_caps=6, out_caps=3, in_d=4, out_d=5, iterations=3))
case("stylegan", lambda: layer_of("gan.stylegan", "MappingNetwork", pattern(3, 8), features=8, n_layers=2))
case("swish", lambda: (m := nn.Linear(16, 16), part("activations.swish").Swish()(m(x))))
case("fta", lambda: layer_of("activations.fta", "FTA", nn.Linear(16, 4)(x).requires_grad_(), lower_limit=-1.0, upper_limit=1.0, delta=0.5,
                             eta=0.25))
# without dropout: PyTorch keeps channels last here, and draws in the order of memory
case("diffusion_unet", lambda: (m := part("diffusion.ddpm.unet").UNet(n_channels=32, ch_mults=(1, 2), is_attn=(False, True),
                                                                      n_blocks=1).eval(), m(pattern(2, 3, 16, 16), torch.tensor([1, 5]))))

for optimizer, settings in (("adam.Adam", {}), ("adam_warmup.AdamWarmup", {"warmup": 4}), ("radam.RAdam", {}), ("amsgrad.AMSGrad", {}),
                            ("ada_belief.AdaBelief", {}), ("noam.Noam", {"warmup": 4, "d_model": 16}),
                            ("adam_warmup_cosine_decay.AdamWarmupCosineDecay", {"warmup": 4, "total_steps": 10})):
    optimized(optimizer, **settings)
finish()

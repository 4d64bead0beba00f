"""d2l: the networks, losses and detectors of the book Dive into Deep Learning, and its trainer."""

from common import case, finish, need_numpy, package, pattern, report, stand_in

package("d2l")
need_numpy()
for name in ("pandas", "requests", "IPython", "matplotlib.pyplot", "matplotlib_inline.backend_inline", "PIL", "scipy.spatial",
             "torchvision.transforms"):
    stand_in(name)

import torch  # noqa: E402
from d2l import torch as d2l  # noqa: E402
from torch import nn  # noqa: E402

drawn = {}
d2l.ProgressBoard.draw = lambda board, x, y, label, every_n=1: drawn.setdefault(label, []).append(float(y))
words = torch.arange(24).reshape(4, 6) * 5 % 13
lengths = torch.tensor([6, 3, 4, 1])


def fitted(name, model, data, epochs=2, clip=0):
    drawn.clear()
    d2l.Trainer(max_epochs=epochs, gradient_clip_val=clip).fit(model, data)
    report(**{f"{name}_{label}": torch.tensor(values) for label, values in drawn.items()})


def of(model, *inputs):
    out = model(*inputs)
    return model, out if torch.is_tensor(out) else out[0]


class Words(d2l.DataModule):
    def __init__(self, *tensors, batch_size=2):
        super().__init__()
        self.tensors, self.batch_size = tensors, batch_size

    def get_dataloader(self, train):
        return self.get_tensorloader(self.tensors, train)


torch.manual_seed(0)
data = d2l.SyntheticRegressionData(w=torch.tensor([2, -3.4]), b=4.2, num_train=64, num_val=32, batch_size=16)
fitted("scratch", d2l.LinearRegressionScratch(2, lr=0.03), data)
fitted("linear", d2l.LinearRegression(lr=0.03), data)

torch.manual_seed(0)
lenet = d2l.LeNet(lr=0.1, num_classes=4)
pictures, classes = pattern(8, 1, 28, 28), torch.arange(8) % 4
lenet.apply_init([pictures[:2]], d2l.init_cnn)
fitted("lenet", lenet, Words(pictures, classes, batch_size=4))
fitted("softmax", d2l.SoftmaxRegression(num_outputs=4, lr=0.1), Words(pictures, classes, batch_size=4))

torch.manual_seed(0)
scratch = d2l.RNNLMScratch(d2l.RNNScratch(13, 8, sigma=0.1), 13, lr=1)
fitted("rnn_scratch", scratch, Words(words, words.roll(-1, 1)), clip=1)
fitted("rnn", d2l.RNNLM(d2l.RNN(13, 8), 13, lr=1), Words(words, words.roll(-1, 1)), clip=1)
fitted("gru", d2l.RNNLM(d2l.GRU(13, 8, 2), 13, lr=1), Words(words, words.roll(-1, 1)), clip=1)


class Seq2SeqDecoder(d2l.Decoder):
    def __init__(self, vocab, embed, hidden, layers):
        super().__init__()
        self.embedding = nn.Embedding(vocab, embed)
        self.rnn = d2l.GRU(embed + hidden, hidden, layers)
        self.dense = nn.LazyLinear(vocab)

    def init_state(self, enc_outputs, *args):
        return enc_outputs

    def forward(self, X, state):
        enc_output, hidden = state
        embs = self.embedding(X.t().to(torch.int32))
        context = enc_output[-1].repeat(embs.shape[0], 1, 1)
        outputs, hidden = self.rnn(torch.cat((embs, context), -1), hidden)
        return d2l.swapaxes(self.dense(outputs), 0, 1), [enc_output, hidden]


torch.manual_seed(0)
translator = d2l.Seq2Seq(d2l.Seq2SeqEncoder(13, 6, 8, 2), Seq2SeqDecoder(13, 6, 8, 2), tgt_pad=0, lr=0.01)
fitted("seq2seq", translator, Words(words, words.flip(1), lengths, words), clip=1)
report(predicted=translator.predict_step((words, words, lengths, words), torch.device("cpu"), 5)[0])

case("residual", lambda: of(d2l.Residual(6, use_1x1conv=True, strides=2), pattern(2, 3, 8, 8)))
case("resnext", lambda: of(d2l.ResNeXtBlock(32, 2, 1), pattern(2, 32, 6, 6)))
case("resnet18", lambda: of(d2l.resnet18(5, 1).double(), pattern(2, 1, 16, 16).double()))
case("additive", lambda: of(d2l.AdditiveAttention(8, 0.1), pattern(4, 1, 6), pattern(4, 6, 5), pattern(4, 6, 4), lengths))
case("dot", lambda: (m := nn.Linear(4, 4), d2l.DotProductAttention(0.0)(m(pattern(4, 2, 4)), m(pattern(4, 6, 4)), pattern(4, 6, 3),
                                                                        lengths)))
case("heads", lambda: of(d2l.MultiHeadAttention(12, 3, 0.1), pattern(4, 6, 12), pattern(4, 6, 12), pattern(4, 6, 12), lengths))
case("encoder", lambda: of(d2l.TransformerEncoder(13, 12, 16, 3, 2, 0.1), words, lengths))


def bert():
    model = d2l.BERTModel(13, 12, 16, 3, 2, 0.0, max_len=10)
    loss = nn.CrossEntropyLoss(reduction="none")
    segments = (torch.arange(6) > 2).long().expand(4, 6)
    positions = torch.tensor([[1, 2], [0, 2], [1, 3], [0, 0]])
    mlm, nsp, total = d2l._get_batch_loss_bert(model, loss, 13, words, segments, lengths.float(), positions,
                                               torch.tensor([[1.0, 1.0], [1.0, 0.0], [1.0, 1.0], [1.0, 0.0]]), words[:, :2],
                                               torch.tensor([0, 1, 1, 0]))
    return model, torch.stack([mlm, nsp.mean()]), total.mean()


case("bert", bert)

anchors = d2l.multibox_prior(pattern(1, 3, 5, 7), sizes=[0.6, 0.3], ratios=[1, 2, 0.5])
labels = torch.tensor([[[0, 0.1, 0.08, 0.52, 0.92], [1, 0.55, 0.2, 0.9, 0.88]]])
offsets, mask, kinds = d2l.multibox_target(anchors, labels)
report(anchors=anchors[0, ::9], offsets=offsets[0, ::7], mask=mask.sum(), kinds=kinds[0, ::5], iou=d2l.box_iou(anchors[0, :6], labels[0, :, 1:]))
scores = pattern(1, 3, anchors.shape[1]).softmax(1)
report(detected=d2l.multibox_detection(scores, 0.3 * pattern(1, anchors.numel(), step=0.11), anchors, nms_threshold=0.3)[0, ::11])
report(masked=d2l.masked_softmax(pattern(4, 2, 6), lengths), correlated=d2l.corr2d(pattern(5, 5), pattern(2, 2)))
report(bleu=round(d2l.bleu("the cat sat on", "the cat sat on the mat", 2), 6))
finish()

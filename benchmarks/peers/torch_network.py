"""Step time of a network of benchmarks/networks.cc in PyTorch: forward, backward and optimizer on a batch in memory.

--mode eager or compiled (torch.compile); --channels-last 1 for images, --dense 1 for tables whose gradients are dense.
With --mode predict, onnxruntime or openvino the time of one prediction, by PyTorch or by that engine, which gets the
network from PyTorch.
"""
import timing
import torch
import torch_predictors
from torch import nn
from torch.nn import functional as F

ARGS = timing.arguments(__doc__, network="lstm", batch=0, size=0, width=0, steps=5, warm_up=2, mode="eager",
                        channels_last=1, dense=0)


class Mean(nn.Module):
    """The mean over all axes after the channels."""
    def forward(self, x):
        return x.flatten(2).mean(2)


class Last(nn.Module):
    """The last step of a recurrent layer's output."""
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x)[0][:, -1]


def mlp(s):
    return nn.Sequential(nn.Linear(784, s.width), nn.ReLU(), nn.Linear(s.width, s.width), nn.ReLU(),
                         nn.Linear(s.width, 10)), (784,)


def recurrent(layer):
    return lambda s: (nn.Sequential(Last(layer(s.width // 2, s.width, batch_first=True)), nn.Linear(s.width, 10)),
                      (s.size, s.width // 2))


def pooled(layer, channels, *shape):
    return nn.Sequential(layer, Mean(), nn.Linear(channels, 10)), shape


def conv_transpose(s):
    return pooled(nn.ConvTranspose2d(s.width, s.width // 2, 4, stride=2, padding=1), s.width // 2,
                  s.width, s.size, s.size)


def conv1d(s):
    return pooled(nn.Conv1d(s.width, s.width, 5, padding=2), s.width, s.width, s.size)


def conv3d(s):
    return pooled(nn.Conv3d(s.width, s.width, 3, padding=1), s.width, s.width, s.size, s.size, s.size)


def depthwise(s):
    return pooled(nn.Conv2d(s.width, s.width, 3, padding=1, groups=s.width), s.width, s.width, s.size, s.size)


class Two(nn.Sequential):
    def __init__(self, channels, filters):
        super().__init__(nn.Conv2d(channels, filters, 3, padding=1), nn.ReLU(),
                         nn.Conv2d(filters, filters, 3, padding=1), nn.ReLU())


class UNet(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.top, self.middle, self.bottom = Two(3, width), Two(width, 2 * width), Two(2 * width, 4 * width)
        self.up1, self.join1 = nn.ConvTranspose2d(4 * width, 2 * width, 2, stride=2), Two(4 * width, 2 * width)
        self.up2, self.join2 = nn.ConvTranspose2d(2 * width, width, 2, stride=2), Two(2 * width, width)
        self.head = nn.Sequential(Mean(), nn.Linear(width, 10))

    def forward(self, x):
        top = self.top(x)
        middle = self.middle(F.max_pool2d(top, 2))
        bottom = self.bottom(F.max_pool2d(middle, 2))
        y = self.join1(torch.cat([self.up1(bottom), middle], 1))
        return self.head(self.join2(torch.cat([self.up2(y), top], 1)))


def unet(s):
    return UNet(s.width), (3, s.size, s.size)


class Inverted(nn.Module):
    """MobileNetV2's block: widened, depthwise, narrowed."""
    def __init__(self, channels, filters, stride, expansion):
        super().__init__()
        wide = channels * expansion
        parts = [] if expansion == 1 else [nn.Conv2d(channels, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.ReLU6()]
        parts += [nn.Conv2d(wide, wide, 3, stride, 1, groups=wide, bias=False), nn.BatchNorm2d(wide), nn.ReLU6(),
                  nn.Conv2d(wide, filters, 1, bias=False), nn.BatchNorm2d(filters)]
        self.body = nn.Sequential(*parts)
        self.adds = stride == 1 and channels == filters

    def forward(self, x):
        return x + self.body(x) if self.adds else self.body(x)


def mobilenet_v2(s):
    parts, channels = [nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.ReLU6()], 32
    for expansion, filters, count, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
                                              (6, 160, 3, 2), (6, 320, 1, 1)]:
        for index in range(count):
            parts.append(Inverted(channels, filters, stride if index == 0 else 1, expansion))
            channels = filters
    parts += [nn.Conv2d(channels, 1280, 1, bias=False), nn.BatchNorm2d(1280), nn.ReLU6(), Mean(), nn.Linear(1280, 10)]
    return nn.Sequential(*parts), (3, s.size, s.size)


class Bottleneck(nn.Module):
    def __init__(self, channels, filters, stride):
        super().__init__()
        out = 4 * filters
        self.body = nn.Sequential(
            nn.Conv2d(channels, filters, 1, stride), nn.BatchNorm2d(filters), nn.ReLU(),
            nn.Conv2d(filters, filters, 3, padding=1), nn.BatchNorm2d(filters), nn.ReLU(),
            nn.Conv2d(filters, out, 1), nn.BatchNorm2d(out))
        self.shortcut = (nn.Sequential(nn.Conv2d(channels, out, 1, stride), nn.BatchNorm2d(out))
                         if stride != 1 or channels != out else nn.Identity())

    def forward(self, x):
        return F.relu(self.body(x) + self.shortcut(x))


def resnet50(s):
    parts, channels = [nn.Conv2d(3, 64, 7, 2, 3), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], 64
    for filters, count, stride in [(64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)]:
        for index in range(count):
            parts.append(Bottleneck(channels, filters, stride if index == 0 else 1))
            channels = 4 * filters
    return nn.Sequential(*parts, Mean(), nn.Linear(2048, 10)), (3, s.size, s.size)


class Excited(nn.Module):
    """EfficientNet's block: MobileNetV2's with squeeze and excitation."""
    def __init__(self, channels, filters, kernel, stride, expansion):
        super().__init__()
        wide, squeezed = channels * expansion, max(1, channels // 4)
        self.widen = (nn.Identity() if expansion == 1 else
                      nn.Sequential(nn.Conv2d(channels, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.SiLU()))
        self.depthwise = nn.Sequential(nn.Conv2d(wide, wide, kernel, stride, kernel // 2, groups=wide, bias=False),
                                       nn.BatchNorm2d(wide), nn.SiLU())
        self.excite = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(wide, squeezed, 1), nn.SiLU(),
                                    nn.Conv2d(squeezed, wide, 1), nn.Sigmoid())
        self.narrow = nn.Sequential(nn.Conv2d(wide, filters, 1, bias=False), nn.BatchNorm2d(filters))
        self.adds = stride == 1 and channels == filters

    def forward(self, x):
        y = self.depthwise(self.widen(x))
        y = self.narrow(y * self.excite(y))
        return x + y if self.adds else y


def efficientnet_b0(s):
    parts, channels = [nn.Conv2d(3, 32, 3, 2, 1, bias=False), nn.BatchNorm2d(32), nn.SiLU()], 32
    for expansion, filters, count, stride, kernel in [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3),
                                                      (6, 112, 3, 1, 5), (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)]:
        for index in range(count):
            parts.append(Excited(channels, filters, kernel, stride if index == 0 else 1, expansion))
            channels = filters
    parts += [nn.Conv2d(channels, 1280, 1, bias=False), nn.BatchNorm2d(1280), nn.SiLU(), Mean(), nn.Dropout(0.2),
              nn.Linear(1280, 10)]
    return nn.Sequential(*parts), (3, s.size, s.size)


class Bags(nn.Module):
    """The mean of each sample's rows of a table."""
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.EmbeddingBag(rows, width, mode="mean", sparse=not ARGS.dense)
        self.head = nn.Linear(width, 10)

    def forward(self, ids):
        return self.head(self.table(ids))


def embedding(s):
    return Bags(s.size, s.width), None


class Recommender(nn.Module):
    """DLRM: numbers through one MLP, ids through tables, products of all pairs of vectors through another MLP."""
    def __init__(self, s):
        super().__init__()
        relu = nn.ReLU()
        self.bottom = nn.Sequential(nn.Linear(13, 512), relu, nn.Linear(512, 256), relu, nn.Linear(256, s.width), relu)
        self.tables = nn.ModuleList(nn.EmbeddingBag(s.size, s.width, mode="sum", sparse=not ARGS.dense)
                                    for _ in range(26))
        self.top = nn.Sequential(nn.Linear(s.width + 27 * 27, 512), relu, nn.Linear(512, 256), relu, nn.Linear(256, 10))

    def forward(self, inputs):
        numbers, ids = inputs
        bottom = self.bottom(numbers)
        rows = [table(ids[:, i:i + 1]) for i, table in enumerate(self.tables)]
        vectors = torch.stack([bottom, *rows], 1)
        products = torch.bmm(vectors, vectors.transpose(1, 2)).flatten(1)
        return self.top(torch.cat([bottom, products], 1))


def dlrm(s):
    return Recommender(s), None


class Both:
    """A table's optimizer, which takes sparse gradients, beside the other parameters' one."""
    def __init__(self, model):
        self.parts = [torch.optim.SparseAdam([model.table.weight]), torch.optim.Adam(model.head.parameters())]

    def zero_grad(self, set_to_none=True):
        for part in self.parts:
            part.zero_grad(set_to_none=set_to_none)

    def step(self):
        for part in self.parts:
            part.step()


def lazy_adam(model):
    return adam(model) if ARGS.dense else Both(model)


def adam(model):
    return torch.optim.Adam(model.parameters(), fused=True)


# name: (builder, optimizer), as in benchmarks/networks.cc
NETWORKS = {
    "mlp_wide": (mlp, adam),
    "lstm": (recurrent(nn.LSTM), adam),
    "gru": (recurrent(nn.GRU), adam),
    "conv_transpose": (conv_transpose, adam),
    "unet": (unet, adam),
    "conv1d": (conv1d, adam),
    "conv3d": (conv3d, adam),
    "depthwise": (depthwise, adam),
    "mobilenet_v2": (mobilenet_v2, adam),
    "efficientnet_b0": (efficientnet_b0, adam),
    "resnet50": (resnet50, adam),
    "dlrm": (dlrm, lambda model: torch.optim.SGD(model.parameters(), lr=0.01)),
    "embedding_sgd": (embedding, lambda model: torch.optim.SGD(model.parameters(), lr=0.01)),
    "embedding_adagrad": (embedding, lambda model: torch.optim.Adagrad(model.parameters(), lr=0.001)),
    "embedding_lazy_adam": (embedding, lazy_adam),
}


def training(model, image, make_optimizer):
    """A function that trains for one step."""
    label = torch.randint(0, 10, (ARGS.batch,))
    optimizer = make_optimizer(model)
    called = torch.compile(model) if ARGS.mode == "compiled" else model
    loss_function = nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = loss_function(called(image), label)
        loss.backward()
        optimizer.step()
        return loss.item()
    return step


def main():
    build, make_optimizer = NETWORKS[ARGS.network]
    timing.use_known_sizes(ARGS)
    torch.manual_seed(1)
    model, shape = build(ARGS)
    image = torch.randint(0, ARGS.size, (ARGS.batch, 26)) if shape is None else torch.rand(ARGS.batch, *shape)
    if ARGS.network == "dlrm":
        image = (torch.rand(ARGS.batch, 13), image)
    predictors = torch_predictors.PREDICTORS
    predicts = ARGS.mode in predictors
    if ARGS.channels_last and shape is not None and len(shape) in (3, 4) and not predicts:
        layout = torch.channels_last if len(shape) == 3 else torch.channels_last_3d
        model, image = model.to(memory_format=layout), image.to(memory_format=layout)
    step = predictors[ARGS.mode](model.eval(), (image,)) if predicts else training(model, image, make_optimizer)
    times = timing.step_times(step, ARGS.warm_up, ARGS.steps)
    timing.report(ARGS.network, f"pytorch {ARGS.mode}", torch.__version__, times, batch=ARGS.batch, size=ARGS.size,
                  width=ARGS.width)


main()

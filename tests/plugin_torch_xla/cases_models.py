"""Models that are trained for a few steps, each step with another batch."""

import math

import torch
from registry import case, integers, numbers, sync, to, train
from torch import nn
from torch.nn import functional as F


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=1e-4)


def classified(model, x, y):
    return F.cross_entropy(model(x), y)


def images(steps, batch=16, size=12, channels=3, classes=5):
    return [(numbers(batch, channels, size, size, seed=i), integers(0, classes, batch, seed=100 + i))
            for i in range(steps)]


@case
def mlp(device, dtype):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
    batches = [(numbers(32, 8, seed=i), integers(0, 3, 32, seed=50 + i)) for i in range(10)]
    return train(model, sgd, classified, batches, device, dtype)


class Masked(nn.Module):
    """Dropout whose masks come from the host, so that each platform has the same."""

    def __init__(self, width, steps):
        super().__init__()
        generator = torch.Generator().manual_seed(7)
        self.register_buffer("masks", (torch.rand(steps, width, generator=generator) < 0.8) / 0.8)
        self.step = 0

    def forward(self, x):
        mask = self.masks[self.step]
        self.step += 1
        return x * mask


@case
def convnet_with_batch_norm_and_dropout(device, dtype):
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, stride=2, bias=False), nn.BatchNorm2d(16), nn.GELU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        Masked(16, 6), nn.Linear(16, 5))
    return train(model, lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True), classified, images(6),
                 device, dtype)


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 3, padding=1, groups=width)
        self.pointwise = nn.Conv2d(width, width, 1)
        self.norm = nn.GroupNorm(2, width)

    def forward(self, x):
        return x + F.silu(self.norm(self.pointwise(self.depthwise(x))))


@case
def residual_convnet(device, dtype):
    torch.manual_seed(1)
    model = nn.Sequential(nn.Conv2d(3, 8, 3, dilation=2), Residual(8), nn.AvgPool2d(2), Residual(8),
                          nn.ConvTranspose2d(8, 4, 2, stride=2), nn.Upsample(scale_factor=2), nn.Flatten(),
                          nn.LazyLinear(5))
    model(images(1)[0][0])  # gives the last layer its shape
    return train(model, sgd, classified, images(4), device, dtype)


@case
def convnet_with_adam(device, dtype):
    torch.manual_seed(2)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Tanh(), nn.Flatten(), nn.Linear(800, 5))
    # An epsilon far above rounding: Adam divides by the size of gradients that may be nothing but rounding.
    return train(model, lambda p: torch.optim.AdamW(p, lr=1e-2, eps=1e-3), classified, images(5), device, dtype)


@case
def transformer_encoder(device, dtype):
    torch.manual_seed(3)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(40, 32)
            self.positions = nn.Parameter(torch.randn(10, 32) * 0.1)
            layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, activation="gelu", batch_first=True,
                                               norm_first=True)
            self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
            self.head = nn.Linear(32, 40)

        def forward(self, tokens, padding):
            x = self.embedding(tokens) + self.positions
            return self.head(self.encoder(x, src_key_padding_mask=padding))

    def loss_of(model, tokens, padding, labels):
        return F.cross_entropy(model(tokens, padding).transpose(1, 2), labels, ignore_index=-100, label_smoothing=0.1)

    batches = []
    for i in range(5):
        tokens = integers(0, 40, 6, 10, seed=i)
        padding = torch.arange(10) >= integers(5, 11, 6, 1, seed=20 + i)
        batches.append((tokens, padding, tokens.roll(1, 1).masked_fill(padding, -100)))
    return train(Model(), lambda p: torch.optim.AdamW(p, lr=1e-3, eps=1e-3), loss_of, batches, device, dtype)


@case
def causal_attention_by_hand(device, dtype):
    x, w = to(device, dtype, numbers(2, 7, 24), numbers(24, 72, seed=1) / 5)
    w.requires_grad_()
    q, k, v = (x @ w).view(2, 7, 3, 4, 6).permute(2, 0, 3, 1, 4)
    scores = (q @ k.transpose(-1, -2) / math.sqrt(6)).masked_fill(
        torch.ones(7, 7, dtype=torch.bool, device=device).triu(1), -math.inf)
    out = F.layer_norm((scores.softmax(-1) @ v).transpose(1, 2).reshape(2, 7, 24), (24,))
    fused = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    (out.square() * x).sum().backward()
    return out.detach(), fused.detach(), w.grad


@case
def lstm(device, dtype):
    torch.manual_seed(4)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(6, 10, num_layers=2, batch_first=True, bidirectional=True)
            self.head = nn.Linear(20, 3)

        def forward(self, x):
            return self.head(self.lstm(x)[0][:, -1])

    batches = [(numbers(4, 8, 6, seed=i), integers(0, 3, 4, seed=30 + i)) for i in range(4)]
    return train(Model(), sgd, classified, batches, device, dtype)


@case
def gru_cell(device, dtype):
    torch.manual_seed(5)

    def loss_of(model, x, y):
        state = torch.zeros(4, 10).to(x)
        for t in range(8):
            state = model(x[:, t], state)
        return F.mse_loss(state, y)

    batches = [(numbers(4, 8, 6, seed=i), numbers(4, 10, seed=40 + i)) for i in range(4)]
    return train(nn.GRUCell(6, 10), sgd, loss_of, batches, device, dtype)


@case
def autocast_to_bfloat16(device, dtype):
    torch.manual_seed(6)
    model = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 1))

    def loss_of(model, x, y):
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=dtype == torch.float32):
            out = model(x)
        return F.mse_loss(out.to(dtype), y)

    batches = [(numbers(16, 8, seed=i), numbers(16, 1, seed=60 + i)) for i in range(5)]
    return train(model, sgd, loss_of, batches, device, dtype)


@case
def optimizers(device, dtype):
    results = []
    for make in (torch.optim.Adagrad, torch.optim.RMSprop, torch.optim.Adamax, torch.optim.NAdam, torch.optim.RAdam,
                 torch.optim.Rprop, torch.optim.Adadelta):
        torch.manual_seed(7)
        batches = [(numbers(16, 8, seed=i), numbers(16, 1, seed=70 + i)) for i in range(3)]
        results += train(nn.Linear(8, 1), lambda p: make(p, lr=1e-2), lambda m, x, y: F.mse_loss(m(x), y), batches,
                         device, dtype)
    return results


@case
def clipping_and_schedule(device, dtype):
    torch.manual_seed(8)
    model = nn.Linear(8, 1).to(device, dtype)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 6)
    norms = []
    for i in range(6):
        x, y = to(device, dtype, numbers(16, 8, seed=i), numbers(16, 1, seed=80 + i))
        optimizer.zero_grad()
        F.smooth_l1_loss(model(x), y).backward()
        norms.append(nn.utils.clip_grad_norm_(model.parameters(), 0.1))
        optimizer.step()
        schedule.step()
        sync(device)
    return [torch.stack(norms), *(p.detach() for p in model.parameters())]

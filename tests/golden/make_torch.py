"""Writes data/torch.json: what PyTorch draws, computes, trains and orders, for torch_golden_test.cc.

    python tests/golden/make_torch.py        (torch 2.15, on the processor)

Weights come from torch.manual_seed: the test seeds the same and expects the same numbers.
"""
import json
import pathlib

import numpy as np
import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

torch.set_num_threads(1)


def tensor(value):
    array = value.detach().numpy()
    if array.dtype == np.float32:
        return {"shape": list(array.shape), "values": [float(str(x)) for x in array.ravel()]}
    return {"dtype": array.dtype.name, "shape": list(array.shape), "values": array.ravel().tolist()}


def numbers(*shape, first=0):
    """As `numbers` of the test: the same on every machine."""
    count = int(np.prod(shape))
    values = (np.arange(first, first + count) * 37 % 101).astype(np.float32) / np.float32(101)
    return torch.tensor(values - np.float32(0.5)).reshape(shape)


def drawn():
    cases = {}
    for seed in (0, 42, 123456789012):
        generator = torch.Generator().manual_seed(seed)
        cases[str(seed)] = {
            "randperm": torch.randperm(23, generator=generator).tolist(),
            "uniform": tensor(torch.empty(5).uniform_(-0.3, 0.7, generator=generator)),
            "normal, short": tensor(torch.empty(7).normal_(1, 2, generator=generator)),
            "normal": tensor(torch.empty(37).normal_(0, 1, generator=generator)),
            "then": torch.randperm(5, generator=generator).tolist(),
        }
    return cases


def modules():
    nn = torch.nn
    make = {
        "Linear": (lambda: nn.Linear(5, 3), numbers(4, 5)),
        "Linear, no bias": (lambda: nn.Linear(5, 3, bias=False), numbers(2, 4, 5)),
        "Conv2d": (lambda: nn.Conv2d(3, 4, 3, padding=1), numbers(2, 3, 6, 5)),
        "Conv2d, strided": (lambda: nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=(0, 1),
                                              dilation=(1, 2), groups=2), numbers(2, 4, 7, 6)),
        "BatchNorm1d": (lambda: nn.BatchNorm1d(3), numbers(6, 3)),
        "BatchNorm2d": (lambda: nn.BatchNorm2d(3, momentum=0.3), numbers(2, 3, 4, 5)),
        "LayerNorm": (lambda: nn.LayerNorm(6), numbers(3, 2, 6)),
        "LayerNorm, two axes": (lambda: nn.LayerNorm((2, 6), eps=1e-3), numbers(3, 2, 6)),
        "Embedding": (lambda: nn.Embedding(7, 4), torch.tensor([[1, 6, 0], [3, 3, 1]])),
        "Embedding, padded": (lambda: nn.Embedding(7, 4, padding_idx=3),
                              torch.tensor([[1, 6, 0], [3, 3, 1]])),
        "ReLU": (lambda: nn.Sequential(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 2)), numbers(3, 5)),
        "GELU": (lambda: nn.Sequential(nn.Linear(5, 4), nn.GELU()), numbers(3, 5)),
        "GELU, tanh": (lambda: nn.Sequential(nn.Linear(5, 4), nn.GELU("tanh")), numbers(3, 5)),
        "LeakyReLU": (lambda: nn.Sequential(nn.Linear(5, 4), nn.LeakyReLU()), numbers(3, 5)),
        "MaxPool2d": (lambda: nn.Sequential(nn.Conv2d(2, 3, 3), nn.MaxPool2d(2)),
                      numbers(2, 2, 8, 7)),
        "AvgPool2d": (lambda: nn.Sequential(nn.Conv2d(2, 3, 3), nn.AvgPool2d(3, 1)),
                      numbers(2, 2, 8, 7)),
    }
    cases = {}
    for name, (build, x) in make.items():
        torch.manual_seed(11)
        module = build()
        y = module(x)
        (y * numbers(*y.shape, first=17)).sum().backward()
        case = {"input": tensor(x), "output": tensor(y),
                "state": {key: tensor(value) for key, value in module.state_dict().items()},
                "gradients": {key: tensor(p.grad) for key, p in module.named_parameters()}}
        module.eval()
        case["eval"] = tensor(module(x))
        cases[name] = case
    return cases


def losses():
    nn = torch.nn
    logits, classes = numbers(5, 4) * 6, torch.tensor([0, 3, 1, -100, 2])
    grid, grid_classes = numbers(2, 3, 4) * 5, torch.tensor([[0, 1, 2, 0], [2, -100, 1, 1]])
    targets = (numbers(5, 4, first=3) > 0).float()
    weight, pos = numbers(4).abs() + 0.1, numbers(4, first=9).abs() + 0.5
    make = {
        "MSE": (nn.MSELoss, {}, logits, targets),
        "BCE": (nn.BCEWithLogitsLoss, {}, logits, targets),
        "BCE, weight": (nn.BCEWithLogitsLoss, {"weight": weight, "pos_weight": pos}, logits,
                        targets),
        "CE": (nn.CrossEntropyLoss, {}, logits, classes),
        "CE, weight": (nn.CrossEntropyLoss, {"weight": weight}, logits, classes),
        "CE, smoothed": (nn.CrossEntropyLoss, {"label_smoothing": 0.2}, logits, classes),
        "CE, weight, smoothed": (nn.CrossEntropyLoss,
                                 {"weight": weight, "label_smoothing": 0.2}, logits, classes),
        "CE, grid": (nn.CrossEntropyLoss, {}, grid, grid_classes),
    }
    cases = {}
    for name, (loss, options, x, y) in make.items():
        for reduction in ("mean", "sum", "none"):
            source = x.clone().requires_grad_()
            value = loss(reduction=reduction, **options)(source, y)
            value.sum().backward()
            cases[f"{name} / {reduction}"] = {
                "input": tensor(x), "target": tensor(y), "loss": tensor(value),
                "gradient": tensor(source.grad),
                **{key: tensor(v) for key, v in options.items() if torch.is_tensor(v)}}
    return cases


def trained():
    """Losses of 50 steps of two layers over the whole batch, and the weights after them."""
    optim = torch.optim
    make = {
        "SGD": lambda p: optim.SGD(p, lr=0.1),
        "SGD, momentum": lambda p: optim.SGD(p, lr=0.05, momentum=0.9, weight_decay=0.01),
        "SGD, nesterov": lambda p: optim.SGD(p, lr=0.05, momentum=0.8, nesterov=True),
        "SGD, dampening": lambda p: optim.SGD(p, lr=0.05, momentum=0.8, dampening=0.3),
        "Adam": lambda p: optim.Adam(p, lr=0.01),
        "Adam, decay, amsgrad": lambda p: optim.Adam(p, lr=0.01, weight_decay=0.1, amsgrad=True),
        "AdamW": lambda p: optim.AdamW(p, lr=0.01, betas=(0.8, 0.95), weight_decay=0.1),
    }
    cases = {}
    for name, build in make.items():
        torch.manual_seed(7)
        model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
        optimizer = build(model.parameters())
        values = []
        for step in range(50):
            x, y = numbers(16, 3, first=step * 3), numbers(16, 2, first=step * 5 + 40)
            optimizer.zero_grad()
            loss = torch.nn.MSELoss()(model(x), y)
            loss.backward()
            optimizer.step()
            values.append(loss.item())
        cases[name] = {"losses": [float(np.float32(v)) for v in values],
                       "state": {k: tensor(v) for k, v in model.state_dict().items()}}
    return cases


def orders():
    dataset = TensorDataset(torch.arange(11))
    result = {"distributed": [], "loader": []}
    for options in ({}, {"shuffle": False}, {"seed": 5}, {"drop_last": True}):
        for rank in range(4):
            sampler = DistributedSampler(dataset, num_replicas=4, rank=rank, **options)
            epochs = []
            for epoch in range(3):
                sampler.set_epoch(epoch)
                epochs.append(list(sampler))
            result["distributed"].append({"rank": rank, "epochs": epochs, **options})
    for options in ({"shuffle": True}, {"shuffle": True, "drop_last": True}, {}):
        torch.manual_seed(3)
        loader = DataLoader(dataset, batch_size=4, **options)
        epochs = [[batch[0].tolist() for batch in loader] for _ in range(3)]
        result["loader"].append({"epochs": epochs, "then": torch.randperm(5).tolist(), **options})
    generator = torch.Generator().manual_seed(8)
    loader = DataLoader(dataset, batch_size=4, shuffle=True, generator=generator)
    result["generator"] = [[batch[0].tolist() for batch in loader] for _ in range(2)]
    return result


def main():
    content = {"drawn": drawn(), "modules": modules(), "losses": losses(), "trained": trained(),
               "orders": {"all": orders()}}
    lines = [f'{{"made_by": {json.dumps("torch " + torch.__version__.split("+")[0])}']
    for key, cases in content.items():
        rows = [f" {json.dumps(name)}: {json.dumps(case)}" for name, case in cases.items()]
        lines.append(f'"{key}": {{\n' + ",\n".join(rows) + "}")
    path = pathlib.Path(__file__).parent / "data" / "torch.json"
    path.write_text(",\n".join(lines) + "}\n")


main()

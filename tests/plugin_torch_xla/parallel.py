"""Training on all cores, against the same training on torch's CPU.

    python parallel.py (spmd | launch) RESULT_FILE

Each needs a process of its own, since torch_xla decides once how it uses the cores. RESULT_FILE gets the parameters
after the last step, and what the collectives gave.
"""

import sys
import threading

import torch
from registry import integers, numbers
from torch import nn
from torch.nn import functional as F

STEPS, BATCH = 5, 32
SEED = threading.Lock()  # the cores' threads share torch's generator


def model():
    with SEED:
        torch.manual_seed(0)
        return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))


def batch(step):
    return numbers(BATCH, 8, seed=step), integers(0, 4, BATCH, seed=100 + step)


def optimizer_of(parameters):
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9)


def train_on_host(dtype):
    """The parameters after the last step."""
    trained = model().to(dtype)
    optimizer = optimizer_of(trained.parameters())
    for step in range(STEPS):
        x, y = batch(step)
        optimizer.zero_grad()
        F.cross_entropy(trained(x.to(dtype)), y).backward()
        optimizer.step()
    return [parameter.detach() for parameter in trained.parameters()]


def collectives_on_host(cores):
    """What collectives() gives on core 0 of this many."""
    return [torch.full((4,), cores * (cores - 1) / 2), torch.arange(float(cores)), torch.tensor([0.0]),
            torch.full((4,), float(cores - 1))]


def collectives(xm, device, me, cores):
    mine, positions = torch.full((4,), float(me)).to(device), torch.arange(float(cores)).to(device)
    return [xm.all_reduce(xm.REDUCE_SUM, mine), xm.all_gather(mine[:1], pin_layout=False),
            xm.reduce_scatter(xm.REDUCE_SUM, positions, 1.0, 0, cores),
            xm.collective_permute(mine, [(core, (core + 1) % cores) for core in range(cores)])]


def on_each_core(_, path):
    import torch_xla
    import torch_xla.core.xla_model as xm
    import torch_xla.runtime as xr

    me, cores, device = xr.global_ordinal(), xr.world_size(), torch_xla.device()
    given = [value.cpu() for value in collectives(xm, device, me, cores)]
    trained = model().to(device)
    optimizer = optimizer_of(trained.parameters())
    for step in range(STEPS):
        x, y = (part.chunk(cores)[me].to(device) for part in batch(step))
        optimizer.zero_grad()
        F.cross_entropy(trained(x), y).backward()
        xm.optimizer_step(optimizer)  # the mean of all cores' gradients
        torch_xla.sync()
    parameters = [parameter.detach().cpu() for parameter in trained.parameters()]
    if me == 0:
        torch.save({"cores": cores, "collectives": given, "parameters": parameters}, path)


def launch(path):
    import torch_xla

    torch_xla.launch(on_each_core, args=(path,))


def spmd(path):
    import numpy as np
    import torch_xla
    import torch_xla.distributed.spmd as xs
    import torch_xla.runtime as xr

    xr.use_spmd()
    cores = xr.global_runtime_device_count()
    mesh = xs.Mesh(np.arange(cores), (cores // 2, 2), ("data", "model"))
    trained = model().to("xla")
    xs.mark_sharding(trained[0].weight, mesh, ("model", None))
    xs.mark_sharding(trained[2].weight, mesh, (None, "model"))
    optimizer = optimizer_of(trained.parameters())
    for step in range(STEPS):
        x, y = (part.to("xla") for part in batch(step))
        xs.mark_sharding(x, mesh, ("data", None))
        xs.mark_sharding(y, mesh, ("data",))
        optimizer.zero_grad()
        F.cross_entropy(trained(x), y).backward()
        optimizer.step()
        torch_xla.sync()
    parameters = [parameter.detach().cpu() for parameter in trained.parameters()]
    torch.save({"cores": cores, "collectives": [], "parameters": parameters}, path)


if __name__ == "__main__":
    {"spmd": spmd, "launch": launch}[sys.argv[1]](sys.argv[2])

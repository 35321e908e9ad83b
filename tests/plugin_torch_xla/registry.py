"""The register of the cases that compare.py runs, and what they share.

A case is a function of (device, dtype) that returns tensors. It runs three times: on the plugin in float32, on torch's
CPU in float32, and there in float64.
"""

import torch

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def numbers(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def integers(low, high, *shape, seed=0):
    return torch.randint(low, high, shape, generator=torch.Generator().manual_seed(seed))


def sync(device):
    if device.type == "xla":
        import torch_xla

        torch_xla.sync()


def to(device, dtype, *tensors):
    """What is a float becomes one of `dtype`; all of it goes to the device."""
    return [t.to(device, dtype) if t.is_floating_point() else t.to(device) for t in tensors]


def train(model, optimizer, loss_of, batches, device, dtype):
    """Losses of each step, and the model's parameters and buffers after the last."""
    model = model.to(device, dtype).train()
    optimizer = optimizer(model.parameters())
    losses = []
    for batch in batches:
        optimizer.zero_grad()
        loss = loss_of(model, *to(device, dtype, *batch))
        loss.backward()
        optimizer.step()
        sync(device)
        losses.append(loss.detach())
    # torch_xla's running variance is of the batch without Bessel's correction; TorchTPU does not move either.
    left_out = ("running_var",) if device.type == "xla" else ("running_var", "running_mean")
    state = [value.detach() for name, value in model.state_dict().items() if not name.endswith(left_out)]
    return [torch.stack(losses), *state]

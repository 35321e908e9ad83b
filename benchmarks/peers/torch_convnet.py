"""Step time of the MNIST convnet in PyTorch: forward, backward and Adam on a batch in memory, channels last."""
import timing
import torch
from torch import nn


def convnet(filters):
    return nn.Sequential(
        nn.Conv2d(1, filters, 3), nn.ReLU(),
        nn.Conv2d(filters, filters, 3), nn.ReLU(), nn.Flatten(),
        nn.Linear(24 * 24 * filters, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))


def main():
    args = timing.arguments(__doc__, filters=256, batch=200, steps=5, warm_up=2, channels_last=1)
    torch.manual_seed(0)
    layout = torch.channels_last if args.channels_last else torch.contiguous_format
    model = convnet(args.filters).to(memory_format=layout)
    image = torch.rand(args.batch, 1, 28, 28).to(memory_format=layout)
    label = torch.randint(0, 10, (args.batch,))
    optimizer = torch.optim.Adam(model.parameters())
    loss_function = nn.CrossEntropyLoss()

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = loss_function(model(image), label)
        loss.backward()
        optimizer.step()
        return loss.item()

    times = timing.step_times(step, args.warm_up, args.steps)
    timing.report(f"convnet{args.filters}", "pytorch", torch.__version__, times, batch=args.batch)


main()

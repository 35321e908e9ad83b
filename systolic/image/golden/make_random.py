"""Writes random.json: what torchvision makes of a small picture, or of a batch, with the numbers that we draw.

    python systolic/image/golden/make_random.py        (torchvision 0.29, PyTorch 2.15, Pillow 13)

Its own random numbers are replaced by those of draws.py; what it does with them stays. In float64, so that 8/30 of 255
is 68 for both.
"""
from unittest import mock

from draws import Draws, function_seed
from golden import array, picture, write

import numpy as np
import torch
from PIL import Image
from torchvision.transforms import InterpolationMode, RandAugment, RandomResizedCrop, autoaugment
from torchvision.transforms import functional as F
from torchvision.transforms import v2

torch.set_default_dtype(torch.float64)
PICTURE = picture(13, 16)
BATCH = np.stack([picture(6, 9, seed=i) for i in range(5)])
LABELS = np.eye(5, 4, dtype=np.float32)


def snake(name):
    return "".join("_" * (c.isupper() and i > 0) + c.lower() for i, c in enumerate(name)).replace("auto_c", "autoc")


def apply(image, name, magnitude, negative):
    table = RandAugment()._augmentation_space(31, image.size[::-1])  # pylint: disable=protected-access
    values, signed = table[name]
    value = float(values[magnitude]) if values.ndim else 0.0
    return autoaugment._apply_op(image, name, -value if signed and negative else value,  # pylint: disable=protected-access
                                 InterpolationMode.NEAREST, None)


NAMES = list(RandAugment()._augmentation_space(31, (1, 1)))  # pylint: disable=protected-access


def operations():
    image = Image.fromarray(PICTURE)
    for name in NAMES:
        for magnitude in (8, 9, 30):
            for negative in (False, True):
                output = np.asarray(apply(image, name, magnitude, negative))
                if not (negative and np.array_equal(output, np.asarray(apply(image, name, magnitude, False)))):
                    yield {"function": "operation", "name": snake(name), "magnitude": magnitude, "negative": negative,
                           "output": array(output)}


def rand_augment(seed, num_ops, magnitude):
    draws = Draws(function_seed(seed, "rand_augment"))
    image = Image.fromarray(PICTURE)
    for _ in range(num_ops):
        name = NAMES[draws.below(len(NAMES))]
        image = apply(image, name, magnitude, draws.coin())
    return {"function": "rand_augment", "seed": seed, "num_ops": num_ops, "magnitude": magnitude,
            "output": array(np.asarray(image))}


def resized_crop(seed, height, width, scale, ratio):
    draws = Draws(function_seed(seed, "random_resized_crop"))

    class Empty:
        def uniform_(self, low, high):
            return torch.tensor(draws.uniform(float(low), float(high)))

    image = Image.fromarray(PICTURE)
    with mock.patch("torch.empty", lambda size: Empty()), \
            mock.patch("torch.randint", lambda low, high, size: torch.tensor(low + draws.below(high - low))):
        top, left, rows, columns = RandomResizedCrop.get_params(image, scale, ratio)
    output = F.resized_crop(image, top, left, rows, columns, [height, width], InterpolationMode.BILINEAR)
    return {"function": "random_resized_crop", "seed": seed, "height": height, "width": width, "scale": scale,
            "ratio": ratio, "output": array(np.asarray(output))}


def mixed(function, seed, alpha):
    """Each row with its own partner and share, as torchvision mixes the two of a batch."""
    draws = Draws(function_seed(seed, function))
    order = list(range(len(BATCH)))
    for i in range(len(order) - 1, 0, -1):
        k = draws.below(i + 1)
        order[i], order[k] = order[k], order[i]
    images, labels = [], []
    for own, other in enumerate(order):
        share, row_seed = draws.beta(alpha, alpha), draws.bits()
        pair = torch.from_numpy(BATCH[[own, other]].astype(np.float32)).permute(0, 3, 1, 2)
        pair_labels = torch.from_numpy(LABELS[[own, other]])
        transform = v2.MixUp() if function == "mixup" else v2.CutMix()
        row_draws = Draws(row_seed)
        middle = [row_draws.below(size) for size in BATCH.shape[1:3]]  # the row first; torchvision asks for it last
        transform._dist = mock.Mock(sample=lambda shape, share=share: share)  # pylint: disable=protected-access
        with mock.patch("torch.randint", lambda size_, size, middle=middle: torch.tensor([middle.pop()])):
            image, label = transform(pair, pair_labels)
        images.append(image[0].permute(1, 2, 0).numpy())
        labels.append(label[0].numpy())
    images = np.stack(images)
    return {"function": function, "seed": seed, "alpha": alpha, "labels": array(np.stack(labels).astype(np.float32)),
            "output": array(images if function == "mixup" else images.astype(np.uint8))}


write("random.json", [
    {"picture": array(PICTURE), "batch": array(BATCH), "labels": array(LABELS)},
    *operations(),
    *(rand_augment(seed, num_ops, magnitude)
      for seed, num_ops, magnitude in ((1, 2, 9), (2, 2, 9), (3, 2, 20), (4, 3, 15), (5, 1, 30), (6, 4, 5))),
    *(resized_crop(seed, 10, 12, (0.08, 1), (3 / 4, 4 / 3)) for seed in range(6)),
    resized_crop(6, 5, 5, (0.9, 1), (3, 4)), resized_crop(7, 20, 20, (0.9, 1), (0.2, 0.3)),
    *(mixed(function, seed, alpha) for function in ("mixup", "cutmix") for seed, alpha in ((1, 1), (2, 0.2), (3, 4)))])

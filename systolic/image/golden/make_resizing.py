"""Writes resizing.json: what tf.image.resize and Pillow's Image.resize give.

    python systolic/image/golden/make_resizing.py        (TensorFlow 2.21, Pillow 13)
"""
from golden import array, picture, write

import numpy as np
import tensorflow as tf
from PIL import Image

SIZES = ((3, 4), (11, 15), (7, 4))  # from 7 × 9: less, more, one side only
# By so much lower that Pillow takes the rows first, in the 1st, 3rd and 4th; others beside them.
ORDERS = ((4, 8), (5, 8), (6, 12), (2, 7), (8, 12))


def tensorflow_cases(image):
    for size in SIZES:
        for method in ("bilinear", "bicubic", "nearest", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"):
            for antialias in (False, True):
                if antialias and method in ("nearest", "area"):
                    continue
                values = tf.image.resize(image, size, method, antialias=antialias).numpy()
                yield {"convention": "tensorflow", "method": method, "antialias": antialias, "input": str(image.dtype),
                       "output": array(values)}
        for method in ("bilinear", "nearest"):
            for convention, options in (("tensorflow_1", {}), ("tensorflow_1_align_corners", {"align_corners": True})):
                resize = {"bilinear": tf.compat.v1.image.resize_bilinear,
                          "nearest": tf.compat.v1.image.resize_nearest_neighbor}[method]
                yield {"convention": convention, "method": method, "antialias": False, "input": str(image.dtype),
                       "output": array(resize(image[None], size, **options).numpy()[0])}


def pillow_cases(image, sizes):
    filters = {"bilinear": Image.BILINEAR, "bicubic": Image.BICUBIC, "nearest": Image.NEAREST, "box": Image.BOX,
               "lanczos3": Image.LANCZOS, "hamming": Image.HAMMING}
    for size in sizes:
        for method, kind in filters.items():
            if image.dtype == np.float32:
                values = np.asarray(Image.fromarray(image[..., 0]).resize(size[::-1], kind))[..., None]
            else:
                values = np.asarray(Image.fromarray(image).resize(size[::-1], kind))
            yield {"convention": "pillow", "method": method, "antialias": True, "input": str(image.dtype),
                   "output": array(values)}


# Rows of one line where a new pixel's middle, or the place where a kernel ends in a step, falls on the border of an
# old pixel: how the original rounds decides.
def line_cases(inputs):
    for old, new in ((22, 49), (66, 59), (18, 15)):
        line = inputs.setdefault(f"line{old}", picture(1, old, 1, seed=old))
        values = np.asarray(Image.fromarray(line[..., 0]).resize((new, 1), Image.NEAREST))[..., None]
        yield {"convention": "pillow", "method": "nearest", "antialias": True, "input": f"line{old}",
               "output": array(values)}
    for old, new, antialias in ((26, 52, False), (53, 30, True), (71, 36, True)):
        line = inputs.setdefault(f"line{old}", picture(1, old, 1, seed=old))
        values = tf.image.resize(line, (1, new), "gaussian", antialias=antialias).numpy()
        yield {"convention": "tensorflow", "method": "gaussian", "antialias": antialias, "input": f"line{old}",
               "output": array(values)}


grey = picture(7, 9, 1).astype(np.float32) / 255
colour = picture(7, 9)
inputs = {"uint8": colour, "float32": grey}
cases = [*tensorflow_cases(colour), *tensorflow_cases(grey), *pillow_cases(colour, SIZES + ORDERS),
         *pillow_cases(grey, SIZES), *line_cases(inputs)]
write("resizing.json", [{"inputs": {name: array(values) for name, values in inputs.items()}}, *cases])

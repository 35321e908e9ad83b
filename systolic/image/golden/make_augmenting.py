"""Writes augmenting.json: what tf.image and Pillow make of a small picture.

    python systolic/image/golden/make_augmenting.py        (TensorFlow 2.21, Pillow 13)
"""
from golden import array, picture, write

import numpy as np
import tensorflow as tf
from PIL import Image, ImageEnhance, ImageOps

BYTES = picture(8, 11)
FLOATS = (picture(8, 11, seed=1) / np.float32(255)).astype(np.float32)


def case(oracle, name, values, image, **options):
    return {"oracle": oracle, "name": name, "options": options, "input": "uint8" if image is BYTES else "float32",
            "output": array(values)}


def tensorflow_cases():
    for image in (BYTES, FLOATS):
        for name, function, values in (
                ("adjust_brightness", tf.image.adjust_brightness, (0.3, -0.25)),
                ("adjust_contrast", tf.image.adjust_contrast, (0.4, 1.7)),
                ("adjust_saturation", tf.image.adjust_saturation, (0.0, 0.6, 1.8)),
                ("adjust_hue", tf.image.adjust_hue, (0.1, -0.35, 0.9))):
            for value in values:
                yield case("TensorFlow", name, function(image, value).numpy(), image, value=value)
        for name, function in (
                ("rgb_to_grayscale", tf.image.rgb_to_grayscale), ("flip_left_right", tf.image.flip_left_right),
                ("flip_up_down", tf.image.flip_up_down), ("transpose", tf.image.transpose),
                ("per_image_standardization", tf.image.per_image_standardization)):
            yield case("TensorFlow", name, function(image).numpy(), image)
        for turns in (1, 2, 3):
            yield case("TensorFlow", "rot90", tf.image.rot90(image, turns).numpy(), image, value=turns)
        for fraction in (0.5, 0.9):
            yield case("TensorFlow", "central_crop", tf.image.central_crop(image, fraction).numpy(), image,
                       value=fraction)
        for height, width in ((5, 14), (11, 6), (3, 4), (12, 15)):
            values = tf.image.resize_with_crop_or_pad(image, height, width).numpy()
            yield case("TensorFlow", "resize_with_crop_or_pad", values, image, height=height, width=width)
    yield case("TensorFlow", "to_float", tf.image.convert_image_dtype(BYTES, tf.float32).numpy(), BYTES)
    wide = FLOATS * 1.5 - 0.25
    yield case("TensorFlow", "to_bytes", tf.image.convert_image_dtype(wide, tf.uint8, saturate=True).numpy(), FLOATS)


def pillow_cases():
    image = Image.fromarray(BYTES)
    for name in ("Color", "Contrast", "Brightness", "Sharpness"):
        for factor in (0.1, 0.55, 1.9):
            values = np.asarray(getattr(ImageEnhance, name)(image).enhance(factor))
            yield case("Pillow", "enhance_" + name.lower(), values, BYTES, value=factor)
    dim = Image.fromarray((BYTES // 2 + 30).astype(np.uint8))
    yield case("Pillow", "autocontrast", np.asarray(ImageOps.autocontrast(dim)), BYTES)
    yield case("Pillow", "equalize", np.asarray(ImageOps.equalize(Image.fromarray(picture(40, 50)))), BYTES)
    yield case("Pillow", "invert", np.asarray(ImageOps.invert(image)), BYTES)
    for bits in (1, 4, 7):
        yield case("Pillow", "posterize", np.asarray(ImageOps.posterize(image, bits)), BYTES, value=bits)
    for threshold in (0, 100, 255):
        yield case("Pillow", "solarize", np.asarray(ImageOps.solarize(image, threshold)), BYTES, value=threshold)
    for angle in (10, -27.5, 90, 200):
        values = np.asarray(image.rotate(angle, Image.NEAREST, fillcolor=(9, 9, 9)))
        yield case("Pillow", "rotate", values, BYTES, value=angle)
    for matrix in ((1, 0.3, 0, 0, 1, 0), (1, 0, 0, -0.2, 1, 0), (1, 0, 3, 0, 1, -2), (0.7, 0.1, 1.3, 0.2, 1.1, -0.6)):
        values = np.asarray(image.transform(image.size, Image.AFFINE, matrix, Image.NEAREST, fillcolor=(9, 9, 9)))
        yield case("Pillow", "affine", values, BYTES, matrix=matrix)


write("augmenting.json", [
    {"inputs": {"uint8": array(BYTES), "float32": array(FLOATS), "large": array(picture(40, 50))}},
    *tensorflow_cases(), *pillow_cases()])

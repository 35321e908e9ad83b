"""Writes pictures.json: what Keras's layers for pictures make of two small ones at given parameters.

    python systolic/nn/layers/preprocessing/pictures/golden/make_pictures.py     (Keras 3.15, JAX 0.10)
"""
import json
import os
import pathlib

os.environ["KERAS_BACKEND"] = "jax"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import keras  # noqa: E402
import numpy as np  # noqa: E402

L = keras.layers
random = np.random.RandomState(3)
BYTES = random.randint(0, 256, (2, 5, 7, 3)).astype(np.float32)
BYTES[0, 0, 0] = 128  # gray
BYTES[1, :, :, 2] = 77  # a flat channel
UNIT = np.round(BYTES / 255, 3).astype(np.float32)


def array(values):
    values = np.asarray(values, np.float32)
    return {"dtype": "f32", "shape": list(values.shape), "values": [float(f"{x:.7g}") for x in values.ravel()]}


def column(values):
    return np.array(values, np.float32).reshape(-1, 1, 1, 1)


def case(what, layer, transformation, parameters, x=BYTES, **more):
    y = np.asarray(layer.transform_images(x, transformation, training=True))
    return {"what": what, "x": "bytes" if x is BYTES else "unit", "parameters": [array(p) for p in parameters],
            "output": array(y), **more}


def colors():
    factor = column([0.4, 1.7])
    yield case("contrast", L.RandomContrast(0.5), {"contrast_factor": factor}, [factor])
    yield case("gray", L.RandomGrayscale(1.0), np.ones((2, 1, 1, 1), bool), [])
    for x, high in ((BYTES, 255), (UNIT, 1)):
        times = np.array([0.3, 1.4], np.float32)
        yield case("saturation", L.RandomSaturation(0.5, value_range=(0, high)), {"factor": times}, [column(times)], x)
        delta = np.array([-0.3, 0.45], np.float32)
        yield case("hue", L.RandomHue(0.5, value_range=(0, high)), {"factor": delta}, [column(delta)], x)
        shift = np.array([2, 5], np.uint8)
        yield case("posterization", L.RandomPosterization(3, value_range=(0, high)), {"shift_factor": shift},
                   [column(shift)], x)
        added, threshold = column([10, 100]), column([128, 60])
        yield case("solarization", L.Solarization(0.1, 0.1, value_range=(0, high)),
                   {"additions": added, "thresholds": threshold}, [added, threshold], x)
        yield case("auto contrast", L.AutoContrast(value_range=(0, high)), None, [], x)
        sharp = np.array([0.1, 0.9], np.float32)
        yield case("sharpness", L.RandomSharpness(0.5, value_range=(0, high)), {"factor": sharp}, [column(sharp)], x)
        share = column([0.25, 0.9])
        yield case("degeneration", L.RandomColorDegeneration(0.5, value_range=(0, high)), {"factor": share}, [share], x)


def places():
    for interpolation in ("bilinear", "nearest"):
        for mode in ("reflect", "wrap", "constant", "nearest"):
            settings = {"fill_mode": mode, "interpolation": interpolation, "fill_value": 9.0}
            layer = L.RandomTranslation(0.5, 0.5, **settings)
            moved = np.array([[1.25, -2.5], [-9.75, 3.0]], np.float32)  # right, down
            yield case("translation", layer, {"translations": moved, "input_shape": BYTES.shape},
                       [column(moved[:, 0]), column(moved[:, 1])], **settings)
            layer = L.RandomZoom(0.5, 0.5, **settings)
            wide, high = np.array([[0.6], [1.7]], np.float32), np.array([[1.3], [0.8]], np.float32)
            yield case("zoom", layer, {"width_zoom": wide, "height_zoom": high, "input_shape": BYTES.shape},
                       [column(wide), column(high)], **settings)
            layer = L.RandomRotation(0.5, **settings)
            angle = np.array([33.0, -121.0], np.float32)
            matrix = layer._compute_affine_matrix(
                center_x=0.5, center_y=0.5, angle=angle, translate_x=np.zeros(2), translate_y=np.zeros(2),
                scale=np.ones(2), shear_x=np.zeros(2), shear_y=np.zeros(2), height=5, width=7)
            yield case("rotation", layer, {"rotation_matrix": matrix}, [column(angle * np.pi / 180)], **settings)


def warps():
    for interpolation in ("bilinear", "nearest"):
        settings = {"fill_mode": "reflect", "interpolation": interpolation, "fill_value": 9.0}
        shear = np.array([[0.3, -0.2], [-0.13, 0.4]], np.float32)  # right, down
        yield case("shear", L.RandomShear(0.5, 0.5, **settings),
                   {"shear_factor": shear, "input_shape": BYTES.shape},
                   [column(shear[:, 0]), column(shear[:, 1])], **settings)
        moves = np.array([[[0.1, 0.2], [0.31, -0.4], [0.2, 0.12], [-0.23, 0.33]],
                          [[-0.3, 0.4], [-0.17, 0.2], [0.1, -0.21], [0.14, -0.36]]], np.float32)
        corners = np.array([[[0, 0], [6, 0], [0, 4], [6, 4]]] * 2, np.float32)
        yield case("perspective", L.RandomPerspective(interpolation=interpolation, fill_value=9.0),
                   {"apply_perspective": np.ones(2, bool), "start_points": corners,
                    "end_points": corners + corners * moves, "input_shape": BYTES.shape},
                   [column(moves[:, 1, 0]), column(moves[:, 2, 1]), column(moves[:, 3, 0]), column(moves[:, 3, 1])],
                   **settings)
    sigma = np.array([0.4, 0.9], np.float32)
    yield case("blur", L.RandomGaussianBlur(kernel_size=(5, 3)),
               {"should_apply_blur": np.ones(2, bool), "blur_factor": sigma}, [sigma[0], sigma[1]])
    yield from elastic()


WIDE = random.randint(0, 256, (2, 40, 50, 1)).astype(np.float32)
FIELDS = np.round(random.normal(size=(2, 2, 40, 50)), 2).astype(np.float32)


def elastic():
    """With two fields in the place of what Keras draws, which is one for both directions."""
    normal = jax.random.normal
    for mode, strength in (("reflect", 1.0), ("constant", 0.55), ("wrap", 0.8)):
        drawn = iter(FIELDS)
        jax.random.normal = lambda *arguments, **more: jax.numpy.asarray(next(drawn))
        settings = {"fill_mode": mode, "interpolation": "bilinear", "fill_value": 9.0}
        y = L.RandomElasticTransform(**settings).transform_images(
            WIDE, {"apply_transform": np.ones(2, bool), "distortion_factor": strength, "seed": 1}, training=True)
        jax.random.normal = normal
        # Every seventh pixel: the whole would be most of this file.
        yield {"what": "elastic", "x": "wide", "strength": strength,
               "output": array(np.asarray(y).reshape(2, -1)[:, ::7]), **settings}


def levels():
    for bins in (256, 32):
        yield case("equalization", L.Equalization(bins=bins), None, [], bins=bins)
    yield case("equalization", L.Equalization(value_range=(0, 1)), None, [], UNIT, bins=256)
    yield {"kind": "ContrastLimitedAdaptiveHistogramEqualization", "config": (config := {
        "clip_limit": 2.0, "tile_grid_size": [2, 3]}), "output": array(
            L.ContrastLimitedAdaptiveHistogramEqualization(**config)(BYTES))}
    yield {"kind": "ContrastLimitedAdaptiveHistogramEqualization", "config": {}, "output": array(
        L.ContrastLimitedAdaptiveHistogramEqualization()(BYTES))}


def sizes():
    for config in ({"height": 3, "width": 4}, {"height": 2, "width": 7}, {"height": 9, "width": 3},
                   {"height": 6, "width": 6}):
        yield {"kind": "CenterCrop", "config": config, "output": array(L.CenterCrop(**config)(BYTES))}
    for config in ({"height": 3, "width": 4}, {"height": 9, "width": 8, "interpolation": "bicubic"},
                   {"height": 3, "width": 3, "crop_to_aspect_ratio": True},
                   {"height": 8, "width": 4, "pad_to_aspect_ratio": True, "fill_value": 5.0},
                   {"height": 2, "width": 3, "interpolation": "lanczos3", "antialias": True},
                   {"height": 4, "width": 5, "interpolation": "nearest"}):
        yield {"kind": "Resizing", "config": config, "output": array(L.Resizing(**config)(BYTES))}


def main():
    cases = [*colors(), *places(), *sizes(), *warps(), *levels()]
    lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in cases)
    head = f'{{"made_by": "keras {keras.__version__}, jax",\n"bytes": {json.dumps(array(BYTES))},\n'
    head += f'"unit": {json.dumps(array(UNIT))},\n'
    head += f'"wide": {json.dumps(array(WIDE))},\n'
    head += f'"right": {json.dumps(array(FIELDS[0]))},\n"down": {json.dumps(array(FIELDS[1]))},\n'
    path = pathlib.Path(__file__).parent / "pictures.json"
    path.write_text(head + f'"cases": [\n{lines}\n]}}\n')
    print(len(cases), path.stat().st_size)


main()

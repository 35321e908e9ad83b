"""Writes data/ops.json: keras.ops on small arrays, for ops_golden_test.cc, which has a row for each name.

    KERAS_BACKEND=jax python tests/golden/make_ops.py        (Keras 3.15)
"""
import os

os.environ.setdefault("KERAS_BACKEND", "jax")

import numpy as np  # noqa: E402
from golden_values import Numbers, tensor, write  # noqa: E402
from keras import ops  # noqa: E402

draw = Numbers(7)
X, Y = draw(3, 4), draw(3, 4)
POSITIVE, UNIT = draw(3, 4, low=0.1, high=3), draw(3, 4, low=-0.95, high=0.95)
ABOVE_ONE = draw(3, 4, low=1.05, high=4)
WHOLE = np.array([[7, -3, 0, 12], [5, 18, -8, 1], [-6, 4, 9, 2]], "int32")
OTHER = np.array([[2, 4, 3, -5], [7, 12, 6, 3], [4, -6, 3, 8]], "int32")
COUNTS = np.array([0, 1, 1, 3, 2, 1, 7], "int32")
VECTOR, SHORT = draw(6), draw(3)
CUBE = draw(2, 3, 4)
STRANGE = np.array([[1.5, np.nan, -np.inf], [np.inf, -0.0, 2.0]], "float32")
HOLES = np.array([[1.5, np.nan, -0.5, 2.0], [np.nan, 0.25, 1.0, np.nan]], "float32")
SQUARE = draw(2, 3, 3) + 3 * np.eye(3, dtype="float32")
DEFINITE = SQUARE @ SQUARE.transpose(0, 2, 1)
MATRIX = draw(2, 3, 2)
PICTURE, KERNEL = draw(2, 6, 5, 4), draw(3, 2, 4, 3)
ROWS = draw(2, 5, 2, 3)
LABELS, CHANCES = np.array([[0, 1, 1, 0]] * 3, "float32"), draw(3, 4, low=0.05, high=0.95)
SOUND, COLOURS = draw(2, 16), draw(2, 3, 4, 3, low=0, high=1)
IDS = np.array([0, 2, 0], "int32")
PLACES = np.array([[0, 1], [2, 3], [0, 1]], "int32")

# name: (the call, its inputs)
ONE = {
    "X": (X, ["absolute", "fabs", "arcsinh", "arctan", "cosh", "deg2rad", "erfc", "exp2", "i0", "negative", "rad2deg",
              "sinc", "sinh", "trunc", "signbit", "isneginf", "isreal", "angle", "real", "imag", "conj", "cbrt",
              "hard_shrink", "soft_shrink", "hard_swish", "log_sigmoid", "sparse_plus", "sparse_sigmoid", "squareplus",
              "swish", "tanh_shrink", "glu", "sparsemax", "amax", "amin", "count_nonzero", "median", "ptp", "std", "var",
              "average", "fliplr", "flipud", "ravel", "trace", "tril", "triu", "argsort", "diff", "trapezoid",
              "corrcoef", "rot90", "diag"]),
    "POSITIVE": (POSITIVE, ["log10", "log2", "reciprocal", "logsumexp"]),
    "UNIT": (UNIT, ["arccos", "arcsin", "arctanh", "erfinv"]),
    "ABOVE_ONE": (ABOVE_ONE, ["arccosh"]),
    "STRANGE": (STRANGE, ["isfinite", "isinf", "isnan", "isposinf"]),
    "WHOLE": (WHOLE, ["bitwise_invert"]),
    "VECTOR": (VECTOR, ["vander", "diagflat"]),
    "SQUARE": (SQUARE, ["inv", "det"]),
    "DEFINITE": (DEFINITE, ["cholesky", "logdet"]),
    "HOLES": (HOLES, ["nansum", "nanprod"]),
}
TWO = {
    "X Y": ((X, Y), ["arctan2", "fmod", "mod", "floor_divide", "heaviside", "hypot", "logaddexp", "logaddexp2", "fmax",
                     "fmin", "greater_equal", "less_equal", "true_divide", "nextafter", "isclose", "vdot", "inner",
                     "kron", "outer", "hstack", "vstack", "dstack", "append"]),
    "POSITIVE Y": ((POSITIVE, Y), ["power"]),
    "WHOLE OTHER": ((WHOLE, OTHER), ["bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "lcm"]),
    "SQUARE MATRIX": ((SQUARE, MATRIX), ["solve"]),
    "VECTOR SHORT": ((VECTOR, SHORT), ["correlate", "isin"]),
}
JOINS = ("hstack", "vstack", "dstack")
MORE = {
    "bitwise_left_shift": (lambda x: ops.bitwise_left_shift(x, 2), [WHOLE]),
    "bitwise_right_shift": (lambda x: ops.bitwise_right_shift(x, 1), [WHOLE]),
    "ldexp": (lambda x, e: ops.ldexp(x, e), [X, OTHER]),
    "logical_xor": (lambda x, y: ops.logical_xor(x > 0, y > 0), [X, Y]),
    "saturate_cast": (lambda x: ops.saturate_cast(100 * x, "uint8"), [X]),
    "nan_to_num": (lambda x: ops.nan_to_num(x, nan=0.5, posinf=9.0, neginf=-9.0), [STRANGE]),
    "threshold": (lambda x: ops.threshold(x, 0.5, -1.0), [X]),
    "normalize": (lambda x: ops.normalize(x, axis=0, order=3), [X]),
    "norm of order 1": (lambda x: ops.norm(x, ord=1, axis=1), [X]),
    "cumprod": (lambda x: ops.cumprod(x, axis=1), [X]),
    "std of an axis": (lambda x: ops.std(x, axis=0, keepdims=True), [X]),
    "average with weights": (lambda x, w: ops.average(x, axis=1, weights=w), [X, POSITIVE]),
    "quantile": (lambda x: ops.quantile(x, np.array([0.2, 0.75], "float32"), axis=1), [X]),
    "quantile nearest": (lambda x: ops.quantile(x, 0.6, axis=0, method="nearest"), [X]),
    "median of axes": (lambda x: ops.median(x, axis=(0, 2), keepdims=True), [CUBE]),
    "nanmean": (lambda x: ops.nanmean(x, axis=1), [HOLES]), "nanvar": (lambda x: ops.nanvar(x, axis=0), [HOLES]),
    "nanmax": (lambda x: ops.nanmax(x, axis=1), [HOLES]), "nanmin": (lambda x: ops.nanmin(x, axis=1), [HOLES]),
    "nanstd": (lambda x: ops.nanstd(x), [HOLES]), "nanmedian": (lambda x: ops.nanmedian(x, axis=1), [HOLES]),
    "nanargmax": (lambda x: ops.nanargmax(x, axis=1), [HOLES]), "nancumsum": (lambda x: ops.nancumsum(x, axis=1), [HOLES]),
    "nanquantile": (lambda x: ops.nanquantile(x, 0.3, axis=1), [HOLES]),
    "moments": (lambda x: ops.moments(x, axes=[0])[1], [X]),
    "psnr": (lambda x, y: ops.psnr(x, y, 2.0), [X, Y]),
    "moveaxis": (lambda x: ops.moveaxis(x, [0, 2], [1, 0]), [CUBE]), "swapaxes": (lambda x: ops.swapaxes(x, 0, -1), [CUBE]),
    "roll": (lambda x: ops.roll(x, 2, axis=1), [X]), "roll flat": (lambda x: ops.roll(x, -3), [X]),
    "repeat": (lambda x: ops.repeat(x, 2, axis=1), [X]), "take": (lambda x, i: ops.take(x, i, axis=0), [X, IDS]),
    "split": (lambda x: ops.split(x, [1, 3], axis=1)[1], [X]), "array_split": (lambda x: ops.array_split(x, 3, axis=1)[0], [X]),
    "unstack": (lambda x: ops.unstack(x, axis=1)[2], [CUBE]),
    "pad reflect": (lambda x: ops.pad(x, [(1, 2), (0, 3)], mode="reflect"), [X]),
    "pad symmetric": (lambda x: ops.pad(x, [(2, 0), (3, 1)], mode="symmetric"), [X]),
    "diagonal": (lambda x: ops.diagonal(x, offset=1, axis1=0, axis2=2), [CUBE]),
    "diag of a vector": (lambda x: ops.diag(x, k=-1), [SHORT]),
    "extract_sequences": (lambda x: ops.extract_sequences(x, 3, 2), [VECTOR]),
    "unravel_index": (lambda i: ops.unravel_index(i, (3, 4))[1], [COUNTS]),
    "select": (lambda x, y: ops.select([x > 1, y > 0], [x, y], 7.0), [X, Y]),
    "rearrange": (lambda x: ops.rearrange(x, "b (h w) c -> (b h) c w", h=3), [CUBE]),
    "searchsorted": (lambda x: ops.searchsorted(np.array([-1, 0, 0.5, 1], "float32"), x, side="right"), [VECTOR]),
    "digitize": (lambda x: ops.digitize(x, np.array([-1, 0, 0.5], "float32")), [X]),
    "bincount": (lambda x: ops.bincount(x, minlength=9), [COUNTS]), "histogram": (lambda x: ops.histogram(x, bins=4)[0], [VECTOR]),
    "in_top_k": (lambda t, p: ops.in_top_k(t, p, 2), [IDS, X]),
    "segment_sum": (lambda x, i: ops.segment_sum(x, i, 4), [X, IDS]), "segment_max": (lambda x, i: ops.segment_max(x, i, 3), [X, IDS]),
    "scatter": (lambda i, v: ops.scatter(i, v, (3, 4)), [PLACES, SHORT]),
    "scatter_update": (lambda x, i, v: ops.scatter_update(x, i, v), [X, PLACES[:2], SHORT[:2]]),
    "arange": (lambda: ops.arange(-1.0, 2.0, 0.4), []), "eye": (lambda: ops.eye(3, 4, k=1), []), "tri": (lambda: ops.tri(3, 4, k=-1), []),
    "linspace": (lambda: ops.linspace(-1.0, 2.0, 7, endpoint=False), []), "logspace": (lambda: ops.logspace(0.0, 2.0, 5), []),
    "geomspace": (lambda: ops.geomspace(1.0, 16.0, 5), []),
    "bartlett": (lambda: ops.bartlett(7), []), "blackman": (lambda: ops.blackman(7), []), "hamming": (lambda: ops.hamming(7), []),
    "hanning": (lambda: ops.hanning(7), []), "kaiser": (lambda: ops.kaiser(7, 5.0), []),
    "meshgrid": (lambda x, y: ops.meshgrid(x, y)[1], [VECTOR, SHORT]),
    "dot": (lambda x, y: ops.dot(x, y), [CUBE, CUBE.transpose(0, 2, 1)]), "tensordot": (lambda x, y: ops.tensordot(x, y, axes=[[1, 2], [2, 1]]), [CUBE, CUBE.transpose(0, 2, 1)]),
    "cross": (lambda x, y: ops.cross(x, y), [SQUARE[0], SQUARE[1]]), "cdist": (lambda x, y: ops.cdist(x, y), [X, Y]),
    "correlate same": (lambda x, y: ops.correlate(x, y, mode="same"), [VECTOR, SHORT]),
    "correlate full": (lambda x, y: ops.correlate(x, y, mode="full"), [SHORT, VECTOR]),
    "slogdet": (lambda x: ops.slogdet(x)[1], [SQUARE]), "cholesky_inverse": (lambda x: ops.cholesky_inverse(ops.cholesky(x)), [DEFINITE[0]]),
    "solve_triangular": (lambda a, b: ops.solve_triangular(a, b, lower=True), [SQUARE, MATRIX]),
    "associative_scan": (lambda x: ops.associative_scan(ops.add, x, reverse=True, axis=1), [X]),
    "scan": (lambda x: ops.scan(lambda c, v: (c + v, c * v), np.float32(0.5), x)[1], [VECTOR]),
    "map": (lambda x: ops.map(lambda row: ops.norm(row), x), [X]),
    "conv": (lambda x, k: ops.conv(x, k, strides=(2, 1), padding="same"), [PICTURE, KERNEL]),
    "conv dilated": (lambda x, k: ops.conv(x, k, dilation_rate=2), [PICTURE, KERNEL]),
    "depthwise_conv": (lambda x, k: ops.depthwise_conv(x, k, strides=1, padding="same"), [PICTURE, KERNEL]),
    "separable_conv": (lambda x, k, p: ops.separable_conv(x, k, p), [PICTURE, KERNEL, draw(1, 1, 12, 2)]),
    "conv_transpose": (lambda x, k: ops.conv_transpose(x, k, strides=2, padding="same"), [PICTURE, draw(3, 3, 2, 4)]),
    "max_pool": (lambda x: ops.max_pool(x, 2, strides=2, padding="same"), [PICTURE]),
    "average_pool": (lambda x: ops.average_pool(x, (3, 2), strides=1), [PICTURE]),
    "adaptive_max_pool": (lambda x: ops.adaptive_max_pool(x, (4, 2)), [PICTURE]),
    "adaptive_average_pool": (lambda x: ops.adaptive_average_pool(x, (4, 2)), [PICTURE]),
    "batch_normalization": (lambda x, m, v: ops.batch_normalization(x, m, v, axis=-1, offset=m), [X, X[0], POSITIVE[0]]),
    "layer_normalization": (lambda x, g: ops.layer_normalization(x, gamma=g), [X, Y[0]]),
    "rms_normalization": (lambda x, s: ops.rms_normalization(x, scale=s), [X, Y[0]]),
    "dot_product_attention": (lambda q: ops.dot_product_attention(q, q, q, is_causal=True), [ROWS]),
    "binary_crossentropy": (lambda y, p: ops.binary_crossentropy(y, p), [LABELS, CHANCES]),
    "binary_crossentropy of logits": (lambda y, p: ops.binary_crossentropy(y, p, from_logits=True), [LABELS, X]),
    "multi_hot": (lambda i: ops.multi_hot(i, 5), [PLACES]),
    "space_to_depth": (lambda x: ops.space_to_depth(x, 2), [PICTURE[:, :, :4]]), "depth_to_space": (lambda x: ops.depth_to_space(x, 2), [PICTURE]),
    "rfft": (lambda x: ops.rfft(x)[1], [VECTOR]), "fft": (lambda x, y: ops.fft((x, y))[0], [X, Y]),
    "fft2": (lambda x, y: ops.fft2((x, y))[1], [X, Y]), "ifft2": (lambda x, y: ops.ifft2((x, y))[0], [X, Y]),
    "stft": (lambda x: ops.stft(x, 5, 2, 8)[0], [SOUND]),
    "istft": (lambda x: ops.istft(ops.stft(x, 5, 2, 8), 5, 2, 8), [SOUND]),
    "unfold": (lambda x: ops.unfold(x, (2, 3), padding=1, stride=2), [PICTURE]),
    "fold": (lambda x: ops.fold(ops.unfold(x, 2, dilation=2), (6, 5), 2, dilation=2), [PICTURE.transpose(0, 3, 1, 2)]),
    "extract_patches": (lambda x: ops.image.extract_patches(x, (2, 3), strides=2, padding="same"), [PICTURE]),
    "rgb_to_hsv": (lambda x: ops.image.rgb_to_hsv(x), [COLOURS]),
    "hsv_to_rgb": (lambda x: ops.image.hsv_to_rgb(x), [COLOURS]),
    "rgb_to_grayscale": (lambda x: ops.image.rgb_to_grayscale(x), [COLOURS]),
    "irfft": (lambda x, y: ops.irfft((x, y)), [X, Y]),
}
# Places within and beyond an array of 3 x 4, and matrices that turn and move a picture out of its frame.
FAR = draw(2, 3, 5, low=-3, high=7)
TURNS = np.array([[0.8, -0.5, 1.2, 0.4, 0.9, -0.7, 0, 0], [1.3, 0.2, -2.5, -0.1, 0.7, 1.6, 0, 0]], "float32")
CORNERS = np.array([[[0, 0], [0, 5], [4, 0], [4, 5]]] * 2, "float32")
MOVED = CORNERS + draw(2, 4, 2, low=-0.9, high=0.9)
LARGE, SAME_SIZE = draw(2, 14, 13, 2, low=0, high=1), draw(2, 14, 13, 2, low=0, high=1)
VOLUME = draw(2, 5, 4, 6, 2)
EDGES = ("constant", "nearest", "wrap", "reflect", "mirror")
image = ops.image
MORE |= {f"map_coordinates {edge}": (lambda x, c, edge=edge: image.map_coordinates(x, c, 1, edge, 0.5), [X, FAR]) for edge in EDGES}
MORE |= {f"affine_transform {edge}": (lambda x, t, edge=edge: image.affine_transform(x, t, "bilinear", edge, 0.5), [PICTURE, TURNS])
         for edge in EDGES}
MORE |= {
    "map_coordinates nearest element": (lambda x, c: image.map_coordinates(x, c, 0, "reflect"), [X, FAR]),
    "map_coordinates of integers": (lambda x, c: image.map_coordinates(x, c, 1, "nearest"), [WHOLE, FAR]),
    "affine_transform of one": (lambda x, t: image.affine_transform(x, t, "nearest"), [PICTURE[0], TURNS[0]]),
    "perspective_transform": (lambda x, a, b: image.perspective_transform(x, a, b, fill_value=0.25), [PICTURE, CORNERS, MOVED]),
    "perspective_transform of one": (lambda x, a, b: image.perspective_transform(x, a, b, "nearest"), [PICTURE[0], CORNERS[0], MOVED[0]]),
    # Without data_format, Keras on JAX takes the first axis for the channels.
    "gaussian_blur": (lambda x: image.gaussian_blur(x, (3, 4), (0.8, 1.7), "channels_last"), [PICTURE]),
    "gaussian_blur of one": (lambda x: image.gaussian_blur(x, (5, 5), (2.0, 0.6), "channels_last"), [PICTURE[1]]),
    "sobel_edges": (lambda x: image.sobel_edges(x), [PICTURE]),
    "ssim": (lambda x, y: image.ssim(x, y), [LARGE, SAME_SIZE]),
    "ssim of one": (lambda x, y: image.ssim(x, y, 2.0, 5, 1.0, 0.02, 0.05), [LARGE[0], SAME_SIZE[0]]),
    "crop_images": (lambda x: image.crop_images(x, top_cropping=1, bottom_cropping=2, left_cropping=1, target_width=3), [PICTURE]),
    "crop_images of one": (lambda x: image.crop_images(x, bottom_cropping=1, target_height=4, right_cropping=1, target_width=2), [PICTURE[0]]),
    "pad_images": (lambda x: image.pad_images(x, top_padding=1, bottom_padding=2, right_padding=1, target_width=9), [PICTURE]),
    "pad_images of one": (lambda x: image.pad_images(x, bottom_padding=2, target_height=9, left_padding=2, target_width=8), [PICTURE[0]]),
    "resize bilinear": (lambda x: image.resize(x, (4, 9)), [PICTURE]),
    "resize antialias": (lambda x: image.resize(x, (5, 6), "bicubic", antialias=True), [LARGE]),
    "resize crop": (lambda x: image.resize(x, (4, 8), crop_to_aspect_ratio=True), [LARGE[0]]),
    "resize pad": (lambda x: image.resize(x, (4, 8), "nearest", pad_to_aspect_ratio=True, fill_value=0.5), [LARGE]),
    "scale_and_translate": (lambda x: image.scale_and_translate(
        x, (2, 9, 7, 4), np.array([1.7, 0.8], "float32"), np.array([-1.3, 0.9], "float32"), (1, 2), "linear"), [PICTURE]),
    "scale_and_translate sharp": (lambda x: image.scale_and_translate(
        x, (2, 6, 8), np.array([2.5], "float32"), np.array([0.4], "float32"), (-1,), "lanczos3", antialias=False), [CUBE[:, :, :3].repeat(2, 1)]),
    "extract_patches_3d": (lambda x: image.extract_patches_3d(x, (2, 2, 3)), [VOLUME]),
    "extract_patches_3d same": (lambda x: image.extract_patches_3d(x, 2, strides=2, padding="same"), [VOLUME]),
    "extract_patches_3d dilated": (lambda x: image.extract_patches_3d(x, 2, strides=1, dilation_rate=2), [VOLUME[0]]),
}


def cases():
    found = dict(MORE)
    for values, names in ONE.values():
        found.update({name: (getattr(ops, name), [values]) for name in names})
    for values, names in TWO.values():
        for name in names:
            call = getattr(ops, name)
            found[name] = ((lambda x, y, call=call: call([x, y])) if name in JOINS else call, list(values))
    for name, (call, inputs) in found.items():
        output = np.asarray(ops.convert_to_numpy(call(*[ops.convert_to_tensor(x) for x in inputs])))
        if output.dtype == np.float64:
            output = output.astype("float32")
        yield {"name": name, "inputs": [tensor(x) for x in inputs], "output": tensor(output)}


if __name__ == "__main__":
    write("ops", {"cases": list(cases())})

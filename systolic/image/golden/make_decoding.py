"""Writes decoding.json: small files that Pillow wrote, and what TensorFlow and Pillow read from them.

    python systolic/image/golden/make_decoding.py        (TensorFlow 2.21, Pillow 13)
"""
import io

from golden import array, file_bytes, picture, saved, write
from odd_files import bmp_files, gif_files, resampled, webp_with_an_offset

import numpy as np
import tensorflow as tf
from PIL import Image

FOUR_COMPONENTS = ("cmyk", "ycck", "cmyk_plain")


def jpeg_files():
    rgb = Image.fromarray(picture(13, 18))
    grey = Image.fromarray(picture(16, 9, 1)[..., 0])
    cmyk = saved(Image.fromarray(picture(12, 12, 4), "CMYK"), "JPEG", quality=90)
    yield "420", saved(rgb, "JPEG", quality=85, subsampling=2)
    yield "422", saved(rgb, "JPEG", quality=85, subsampling=1)
    yield "440", resampled(saved(rgb, "JPEG", quality=85, subsampling=1), (1, 2), 18, 13)
    yield "411", resampled(saved(rgb, "JPEG", quality=85, subsampling=2), (4, 1), 5, 50)
    yield "444", saved(rgb, "JPEG", quality=95, subsampling=0)
    yield "progressive", saved(rgb, "JPEG", quality=80, progressive=True)
    yield "restart", saved(rgb, "JPEG", quality=80, restart_marker_blocks=1)
    yield "rgb", saved(rgb, "JPEG", quality=90, keep_rgb=True)
    yield "grey", saved(grey, "JPEG", quality=85)
    yield "cmyk", cmyk
    # Adobe's marker: its length, "Adobe", version, two flags, and the transform: 0 CMYK, 2 YCCK.
    adobe = cmyk.index(b"\xff\xee\x00\x0eAdobe")
    yield "ycck", cmyk[:adobe + 15] + b"\x02" + cmyk[adobe + 16:]
    yield "cmyk_plain", cmyk[:adobe] + cmyk[adobe + 16:]


def jpeg_cases():
    for name, data in jpeg_files():
        def case(oracle, values, **options):
            return {"format": "jpeg", "name": name, "oracle": oracle, "file": file_bytes(data), "options": options,
                    "image": array(values)}

        for channels in (0, 1, 3):
            if name in FOUR_COMPONENTS and channels == 1:
                continue
            for dct in ("accurate", "fast"):
                values = tf.io.decode_jpeg(data, channels=channels, dct_method="INTEGER_" + dct.upper())
                yield case("TensorFlow", values.numpy(), channels=channels, dct=dct)
        if name in ("420", "progressive"):
            for ratio in (2, 4, 8):
                values = tf.io.decode_jpeg(data, ratio=ratio, dct_method="INTEGER_ACCURATE")
                yield case("TensorFlow", values.numpy(), ratio=ratio)
            values = tf.io.decode_jpeg(data, fancy_upscaling=False, dct_method="INTEGER_ACCURATE")
            yield case("TensorFlow", values.numpy(), fancy_upscaling=False)
        if name not in FOUR_COMPONENTS:
            yield case("Pillow", np.atleast_3d(np.asarray(Image.open(io.BytesIO(data)))))


def png_files():
    rgb = Image.fromarray(picture(9, 11))
    grey = Image.fromarray(picture(8, 10, 1)[..., 0])
    yield "rgb", saved(rgb, "PNG")
    yield "rgba", saved(Image.fromarray(picture(9, 11, 4)), "PNG")
    yield "grey", saved(grey, "PNG")
    yield "grey_alpha", saved(Image.fromarray(picture(7, 8, 2), "LA"), "PNG")
    yield "bit", saved(grey.point(lambda v: 255 * (v > 128)).convert("1"), "PNG")
    yield "palette", saved(rgb.quantize(8), "PNG")
    yield "palette_transparent", saved(rgb.quantize(8), "PNG", transparency=2)
    yield "rgb_transparent", saved(rgb, "PNG", transparency=rgb.getpixel((4, 3)))
    yield "grey_transparent", saved(grey, "PNG", transparency=grey.getpixel((4, 3)))
    yield "grey16", saved(Image.fromarray(picture(8, 8, 1)[..., 0].astype(np.uint16) * 251 + 7), "PNG")
    yield "rgb16", tf.io.encode_png(picture(6, 7).astype(np.uint16) * 253 + 11).numpy()


def png_cases():
    for name, data in png_files():
        for channels in (0, 1, 3, 4):
            for dtype in ("uint8", "uint16"):
                shallow = channels == 4 and name in ("bit", "palette")
                if dtype == "uint16" and (channels == 1 or shallow):
                    continue
                values = tf.io.decode_png(data, channels=channels, dtype=dtype).numpy()
                if shallow:  # TensorFlow's alpha is the file's depth's largest number, of 255: all but transparent
                    values = np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))
                yield {"format": "png", "name": name, "oracle": "Pillow" if shallow else "TensorFlow",
                       "file": file_bytes(data), "options": {"channels": channels, "dtype": dtype},
                       "image": array(values)}


def webp_animations():
    """With each codec of a frame; and one whose first frame is smaller than its canvas, put together by hand."""
    rgb, rgba = Image.fromarray(picture(9, 12)), Image.fromarray(picture(9, 12, 4))
    for name, image, options in (("lossy", rgb, {"quality": 80}), ("lossless", rgba, {"lossless": True, "exact": True}),
                                 ("lossy_alpha", rgba, {"quality": 80})):
        yield "animation_" + name, saved(image, "WEBP", save_all=True, append_images=[image.rotate(90)], **options)

    still = saved(rgba, "WEBP", lossless=True, exact=True)
    yield "animation_offset", webp_with_an_offset(still)


def pillow_cases():
    rgb = Image.fromarray(picture(9, 11))
    moved = Image.fromarray(picture(40, 50)).quantize(64)
    for kind, name, data in (
            ("bmp", "rgb", saved(rgb, "BMP")),
            ("bmp", "rgba", saved(Image.fromarray(picture(9, 11, 4)), "BMP")),
            ("bmp", "palette", saved(rgb.quantize(20), "BMP")),
            ("bmp", "bit", saved(rgb.convert("1"), "BMP")),
            ("bmp", "grey", saved(rgb.convert("L"), "BMP")),
            ("gif", "small", saved(rgb.quantize(16), "GIF")),
            ("gif", "interlaced", saved(moved, "GIF", interlace=1)),
            ("gif", "grey", saved(rgb.convert("L"), "GIF")),
            ("webp", "lossless", saved(rgb, "WEBP", lossless=True)),
            ("webp", "lossy", saved(rgb, "WEBP", quality=80)),
            ("webp", "alpha", saved(Image.fromarray(picture(9, 11, 4)), "WEBP", lossless=True, exact=True)),
            *(("bmp", *file) for file in bmp_files()), *(("gif", *file) for file in gif_files()),
            *(("webp", *animation) for animation in webp_animations())):
        image = Image.open(io.BytesIO(data))
        channels = 4 if image.mode == "RGBA" else 3
        yield {"format": kind, "name": name, "oracle": "Pillow", "file": file_bytes(data),
               "options": {"channels": channels}, "image": array(image.convert("RGBA" if channels == 4 else "RGB"))}
    data = saved(moved, "GIF", interlace=0, save_all=True, append_images=[moved.rotate(90)])
    yield {"format": "gif", "name": "animation", "oracle": "TensorFlow", "file": file_bytes(data), "options": {},
           "image": array(tf.io.decode_gif(data)[0].numpy())}


def by_file(cases):
    files = {}
    for case in cases:
        key = (case.pop("format"), case.pop("name"), case.pop("file"))
        files.setdefault(key, []).append(case)
    return [{"format": kind, "name": name, "file": data, "reads": reads}
            for (kind, name, data), reads in files.items()]


write("decoding.json", by_file([*jpeg_cases(), *png_cases(), *pillow_cases()]))

#!/usr/bin/env python3
"""What transformers' image processors make of drawn pictures, with their preprocessor_config.json.

    python systolic/transformers/golden/make_image_processor.py      # transformers 5.23, Pillow 13

image_processor/expected.safetensors holds the pictures, u8 [height, width, channels], and CASE.NUMBER, f32 likewise.
"""
import pathlib
import sys

import numpy as np
import transformers
from safetensors.numpy import save_file

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / "image/golden"))
from golden import picture  # noqa: E402

PICTURES = [picture(31, 44), picture(9, 7, seed=1), picture(26, 26, seed=2)]
IMAGE_NET = dict(image_mean=[0.485, 0.456, 0.406], image_std=[0.229, 0.224, 0.225])
SMALL = {"height": 12, "width": 10}
CASES = {
    "vit": ("ViT", dict(size=SMALL)),
    "deit": ("DeiT", dict(size={"height": 17, "width": 17}, crop_size=SMALL)),
    "lanczos_image_net": ("ViT", dict(size=SMALL, resample=1, **IMAGE_NET)),
    "shortest_edge": ("DeiT", dict(size={"shortest_edge": 11}, crop_size={"height": 11, "width": 14}, resample=2)),
    "crop_alone": ("DeiT", dict(do_resize=False, crop_size={"height": 9, "width": 12}, **IMAGE_NET)),
    "clip": ("CLIP", dict(size={"shortest_edge": 11}, crop_size={"height": 11, "width": 11})),
    "dinov2": ("Bit", dict(size={"shortest_edge": 13}, crop_size={"height": 12, "width": 12}, **IMAGE_NET)),
    "siglip": ("Siglip", dict(size=SMALL)),
    "beit": ("Beit", dict(size=SMALL)),
    "convnext": ("ConvNext", dict(size={"shortest_edge": 12})),
    "convnext_resnet": ("ConvNext", dict(size={"shortest_edge": 14}, crop_pct=0.95, **IMAGE_NET)),
    "nearest_bytes": ("ViT", dict(size=SMALL, resample=0, do_rescale=False, do_normalize=False)),
    "box_without_rescale": ("ViT", dict(size=SMALL, resample=4, do_rescale=False, image_mean=[127.5] * 3,
                                        image_std=[64.0] * 3)),
    "hamming_rescale_alone": ("ViT", dict(size=SMALL, resample=5, do_normalize=False, rescale_factor=1 / 127.5)),
}


def main():
    arrays = {f"picture.{number}": image for number, image in enumerate(PICTURES)}
    for name, (kind, fields) in CASES.items():
        processor = getattr(transformers, kind + "ImageProcessorPil")(**fields)
        processor.save_pretrained(HERE / "image_processor" / name)
        for number, image in enumerate(PICTURES):
            pixels = processor(image, return_tensors="np", input_data_format="channels_last").pixel_values[0]
            arrays[f"{name}.{number}"] = np.ascontiguousarray(np.moveaxis(pixels, 0, -1)).astype(np.float32)
    save_file(arrays, HERE / "image_processor" / "expected.safetensors")
    print(sum(file.stat().st_size for file in (HERE / "image_processor").rglob("*.*")), "bytes")


if __name__ == "__main__":
    main()

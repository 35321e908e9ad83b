"""What the recipes share: drawn pictures, and cases written as JSON with arrays in base64."""
import base64
import io
import json
import pathlib

import numpy as np


def picture(height, width, channels=3, seed=0):
    """Smooth waves with some noise: neither flat nor wild, u8 [height, width, channels]."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    waves = [np.sin(x / (3.0 + c) + y / (5.0 - c) + 2 * c) for c in range(channels)]
    values = 128 + 90 * np.stack(waves, -1) + random.normal(0, 12, (height, width, channels))
    return np.clip(values, 0, 255).astype(np.uint8)


def saved(image, kind, **options):
    """A Pillow image as the bytes of a file."""
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def file_bytes(data):
    return base64.b64encode(data).decode()


def array(values):
    values = np.ascontiguousarray(values)
    return {"dtype": str(values.dtype), "shape": list(values.shape), "base64": file_bytes(values.tobytes())}


def write(name, cases):
    path = pathlib.Path(__file__).parent / name
    path.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
    print(f"{path}: {len(cases)} cases, {path.stat().st_size} bytes")

"""Writes audio.json: what Keras's layers for sound make of two short pieces of noise.

    python systolic/nn/layers/preprocessing/audio/golden/make_audio.py     (Keras 3.15, JAX 0.10)
"""
import json
import os
import pathlib

os.environ["KERAS_BACKEND"] = "jax"
os.environ["JAX_PLATFORMS"] = "cpu"

import keras  # noqa: E402
import numpy as np  # noqa: E402

random = np.random.RandomState(7)
SOUND = np.round(random.uniform(-1, 1, (2, 150)), 3).astype(np.float32)
STEREO = np.round(random.uniform(-1, 1, (2, 60, 2)), 3).astype(np.float32)

STFT = [
    {},
    {"mode": "magnitude", "window": "hamming", "periodic": True},
    {"mode": "psd", "scaling": "spectrum", "window": "blackman"},
    {"mode": "real", "scaling": None, "window": "nuttall", "expand_dims": True},
    {"mode": "imag", "window": None, "padding": "same"},
    {"mode": "stft", "window": "flattop", "frame_step": 5, "expand_dims": True},
    {"mode": "real", "window": "blackmanharris", "fft_length": 32, "padding": "same", "frame_step": 7},
    {"mode": "magnitude", "window": "bartlett"},
    {"mode": "magnitude", "window": "triang"},
    {"mode": "magnitude", "window": "cosine", "periodic": True},
    {"mode": "log", "window": "boxcar"},
]
MEL = [
    {"fft_length": 64, "sequence_stride": 16, "num_mel_bins": 8},
    {"fft_length": 48, "sequence_stride": 20, "sequence_length": 31, "num_mel_bins": 5, "window": "hamming",
     "sampling_rate": 8000, "min_freq": 100.0, "max_freq": 3000.0},
    {"fft_length": 50, "sequence_stride": 25, "num_mel_bins": 4, "power_to_db": False, "mag_exp": 1.0},
    {"fft_length": 64, "sequence_stride": 30, "num_mel_bins": 6, "top_db": 10.0, "ref_power": 2.0, "min_power": 1e-3},
]


def array(values):
    values = np.asarray(values, np.float32)
    return {"shape": list(values.shape), "values": [float(f"{x:.7g}") for x in values.ravel()]}


def cases():
    for config in STFT:
        config = {"frame_length": 16, **config}
        yield {"kind": "STFTSpectrogram", "config": config, "x": "stereo",
               "output": array(keras.layers.STFTSpectrogram(**config)(STEREO))}
    for config in MEL:
        layer = keras.layers.MelSpectrogram(**config)
        yield {"kind": "MelSpectrogram", "config": config, "x": "sound", "output": array(layer(SOUND))}


def main():
    every = list(cases())
    lines = ",\n".join(json.dumps(one, separators=(",", ":")) for one in every)
    head = f'{{"made_by": "keras {keras.__version__}, jax",\n"sound": {json.dumps(array(SOUND))},\n'
    head += f'"stereo": {json.dumps(array(STEREO))},\n'
    path = pathlib.Path(__file__).parent / "audio.json"
    path.write_text(head + f'"cases": [\n{lines}\n]}}\n')
    print(len(every), path.stat().st_size)


main()

"""Writes golden/arrow: small Parquet and Arrow files of each type as `datasets` and pyarrow write them, and what they hold.

    python3 make_arrow.py                  # datasets 5.2, pyarrow 26.0
"""
import datetime
import io
import json
import pathlib
import shutil
import struct
import wave

import datasets
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

OUT = pathlib.Path(__file__).parent / "arrow"
ROWS = 7


def columns():
    """Every type that `datasets` uses, with nulls where a column may have them."""
    rows = range(ROWS)
    return {
        "text": pa.array([None if i == 3 else "x" * i for i in rows], pa.string()),
        "large_text": pa.array([f"row {i}" for i in rows], pa.large_string()),
        "view": pa.array([None if i == 1 else f"a view of more than twelve bytes, {i}" for i in rows], pa.string_view()),
        "bytes": pa.array([bytes([i, 0, 255]) for i in rows], pa.binary()),
        "kind": pa.array(["dull" if i % 2 else "fine" for i in rows]).dictionary_encode(),
        "number_kind": pa.array([10 * (i % 3) for i in rows], pa.int32()).dictionary_encode(),
        "truth": pa.array([i % 3 == 0 for i in rows]),
        "i8": pa.array([i - 3 for i in rows], pa.int8()),
        "u16": pa.array([65535 - i for i in rows], pa.uint16()),
        "i64": pa.array([i << 40 for i in rows], pa.int64()),
        "gaps": pa.array([None if i == 2 else i for i in rows], pa.int64()),
        "f16": pa.array(np.arange(ROWS, dtype=np.float16) / 4),
        "f32": pa.array([None if i == 4 else i / 8 for i in rows], pa.float32()),
        "f64": pa.array([i / 3 for i in rows], pa.float64()),
        "nothing": pa.nulls(ROWS),
        "time": pa.array([datetime.datetime(2020, 1, 1) + datetime.timedelta(seconds=i) for i in rows], pa.timestamp("us")),
        "day": pa.array([datetime.date(1970, 1, 1 + i) for i in rows]),
        "list": pa.array([None if i == 2 else list(range(i)) for i in rows], pa.list_(pa.int32())),
        "words": pa.array([["a", None, "c"][: i % 4] for i in rows], pa.large_list(pa.string())),
        "lists": pa.array([[list(range(j)) for j in range(i)] for i in rows], pa.list_(pa.list_(pa.int64()))),
        "pair": pa.array([[i, -i] for i in rows], pa.list_(pa.float32(), 2)),
        "boxes": pa.array([[[i, j] for j in range(i % 3)] for i in rows], pa.list_(pa.list_(pa.int32(), 2))),
        "answers": pa.array([None if i == 1 else {"text": ["y"] * (i % 2), "start": i} for i in rows],
                            pa.struct([("text", pa.list_(pa.string())), ("start", pa.int32())])),
        "messages": pa.array([[{"role": "user", "content": f"question {j}"} for j in range(1 + i % 2)] for i in rows]),
    }


def plain(value):
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, (datetime.datetime, datetime.date)):
        return str(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def sound(rate):
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(np.array([0, 16384, -16384], np.int16).tobytes())
    return file.getvalue()


def picture(level):
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(np.full((2, 3, 3), level, np.uint8)).save(file, "PNG")
    return file.getvalue()


def media():
    features = datasets.Features({"image": datasets.Image(), "audio": datasets.Audio(),
                                  "label": datasets.ClassLabel(names=["dull", "fine"])})
    table = pa.table({
        "image": pa.array([{"bytes": picture(10 * i), "path": None} for i in range(3)], features["image"].pa_type),
        "audio": pa.array([{"bytes": sound(8000 + i), "path": "x.wav"} for i in range(3)], features["audio"].pa_type),
        "label": pa.array([1, 0, 1], pa.int64()),
    })
    return table.cast(features.arrow_schema)


def refused():
    """Decimals, and a table of more rows than any memory holds."""
    import decimal

    nothing = pa.record_batch({"nothing": pa.nulls(77_777)})
    stream = pa.BufferOutputStream()
    with pa.ipc.new_stream(stream, nothing.schema) as out:
        out.write_batch(nothing)
    claimed = stream.getvalue().to_pybytes().replace(struct.pack("<q", 77_777), struct.pack("<q", 2**40))
    (OUT / "endless.arrow").write_bytes(claimed)

    pq.write_table(pa.table({"price": pa.array([decimal.Decimal("1.25")]), "n": [1]}), OUT / "decimal.parquet")


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    table = pa.table(columns())
    for codec in ("none", "snappy", "zstd", "gzip", "lz4", "brotli"):
        pq.write_table(table, OUT / f"{codec}.parquet", compression=codec, row_group_size=3)
    with pa.ipc.new_file(OUT / "file.arrow", table.schema) as out:
        out.write_table(table, max_chunksize=4)
    with pa.ipc.new_stream(OUT / "stream.arrow", table.schema) as out:
        out.write_table(table, max_chunksize=4)
    pq.write_table(media(), OUT / "media.parquet")
    parts = datasets.DatasetDict({
        split: datasets.Dataset.from_dict({"text": texts, "label": labels},
                                          features=datasets.Features({"text": datasets.Value("string"),
                                                                      "label": datasets.ClassLabel(names=["no", "yes"])}))
        for split, texts, labels in (("train", ["a", "b", "c"], [0, 1, 0]), ("test", ["d"], [1]))})
    parts.save_to_disk(OUT / "saved")
    refused()
    (OUT.parent / "arrow.json").write_text(json.dumps(plain({n: c.to_pylist() for n, c in columns().items()}), indent=1) + "\n")


main()

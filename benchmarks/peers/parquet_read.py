"""How fast pyarrow reads a Parquet file of text columns on one thread: the whole table, and batches, whose faster pass counts.

With --write 1 it makes the file instead: columns of English-like words, as documents with titles have them.
"""
import json
import pathlib
import random
import time

import timing

import pyarrow
import pyarrow.parquet


def write(path, megabytes):
    """Documents of 60 words; snappy, row groups of 100,000 rows, as `datasets` writes them."""
    draw = random.Random(0)
    words = ["".join(draw.choices("etaoinshrdlucmfwypvbgkjqxz", range(26, 0, -1), k=draw.randint(2, 9))) for _ in range(20_000)]
    bases = [" ".join(draw.choices(words, k=60)) for _ in range(20_000)]
    rows = megabytes * 1_000_000 // 420
    texts = [f"{bases[i % len(bases)]} {i}" for i in range(rows)]
    table = pyarrow.table({"text": texts, "title": [text[:40] for text in texts], "label": [i % 2 for i in range(rows)]})
    pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(table, path, row_group_size=100_000)


def read_table(path):
    return pyarrow.parquet.read_table(path, use_threads=False).nbytes


def read_batches(path):
    return sum(batch.nbytes for batch in pyarrow.parquet.ParquetFile(path).iter_batches(batch_size=16_384, use_threads=False))


def best_pass(read, path, seconds):
    best, start = float("inf"), time.perf_counter()
    while time.perf_counter() - start < seconds:
        before = time.perf_counter()
        read(path)
        best = min(best, time.perf_counter() - before)
    return best


def main():
    args = timing.arguments(__doc__, file="build/bench/parquet/texts.parquet", form="batches", seconds=3.0, write=0, megabytes=1000)
    if args.write:
        write(args.file, args.megabytes)
        print(json.dumps({"work": "parquet_read", "who": "pyarrow", "written": args.file}))
        return
    pyarrow.set_cpu_count(1)
    pyarrow.set_io_thread_count(1)
    read = read_table if args.form == "table" else read_batches
    size = read(args.file)
    best = best_pass(read, args.file, args.seconds)
    print(json.dumps({"work": "parquet_read", "who": "pyarrow", "version": pyarrow.__version__,
                      "gigabytes_per_second": size / 1e9 / best, "best_pass_seconds": best}), flush=True)


main()

#!/usr/bin/env python3
"""A folder of pictures with metadata.parquet, and what `datasets` reads of it.

    python systolic/datasets/golden/make_media_folder.py      # datasets, pyarrow, Pillow

media_folder/ holds two pictures of one grey each; media_folder.json has the rows: values of the columns, and each picture's size and
first number.
"""
import json
import pathlib
import shutil

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE / "media_folder"


def row_of(row):
    picture = row.pop("image")
    return dict(row, image=[*picture.size, picture.getpixel((0, 0))])


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name, size, grey in (("a/1.png", (3, 2), 40), ("b/2.png", (2, 2), 200)):
        (FOLDER / name).parent.mkdir(parents=True)
        Image.new("L", size, grey).save(FOLDER / name)
    table = pa.table({
        "caption": ["light", None, "dark again"],
        "file_name": ["b/2.png", "a/1.png", "./a/1.png"],
        "stars": pa.array([3, 0, -7], pa.int16()),
        "boxes": pa.array([[1.5, 2.0], [], [0.25]], pa.list_(pa.float32())),
        "place": pa.array([{"x": 1, "y": 2}, {"x": 3, "y": 4}, {"x": 5, "y": 6}])})
    pq.write_table(table, FOLDER / "metadata.parquet", row_group_size=2)
    rows = [row_of(dict(row)) for row in datasets.load_dataset("imagefolder", data_dir=str(FOLDER), split="train")]
    (HERE / "media_folder.json").write_text(json.dumps(rows) + "\n")
    print(json.dumps(rows))


main()

#!/usr/bin/env python3
"""tfrecord_write_test.py TOOL: what `systolic tfrecord write` makes of small sources, read back by records.py."""
import gzip
import json
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from records import read_example, read_records

TOOL = ""


def tfrecord(*arguments, expected=0):
    """What the tool prints, both streams."""
    done = subprocess.run([TOOL, "tfrecord", *map(str, arguments)], capture_output=True, text=True)
    text = done.stdout + done.stderr
    assert done.returncode == expected, f"{arguments}: exit code {done.returncode}, expected {expected}\n{text}"
    return text


class WriteTest(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.work = self.temporary.name
        self.output = f"{self.work}/data"
        self.folder = f"{self.output}/set/1.0.0"

    def file(self, name, content):
        path = f"{self.work}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def write(self, *arguments, expected=0):
        return tfrecord("write", *arguments, "--output", self.output, "--name", "set", expected=expected)

    def names(self):
        return sorted(os.listdir(self.folder)) if os.path.isdir(self.folder) else []

    def json(self, name):
        with open(f"{self.folder}/{name}", encoding="utf-8") as file:
            return json.load(file)

    def shards(self, split="train"):
        """The Examples of each shard, in order; dataset_info.json says the same of their number and bytes."""
        (info,) = [one for one in self.json("dataset_info.json")["splits"] if one["name"] == split]
        count = len(info["shardLengths"])
        paths = [f"{self.folder}/set-{split}.tfrecord-{i:05d}-of-{count:05d}" for i in range(count)]
        shards = [[read_example(record) for record in read_records(path)] for path in paths]
        self.assertEqual([len(shard) for shard in shards], [int(length) for length in info["shardLengths"]])
        self.assertEqual(sum(map(os.path.getsize, paths)), int(info["numBytes"]))
        return shards

    def examples(self, split="train"):
        return [example for shard in self.shards(split) for example in shard]

    def feature(self, name):
        return self.json("features.json")["featuresDict"]["features"][name]

    def test_images_of_class_folders(self):
        images = {f"{kind}/{i}.{'PNG' if i == 0 else 'png'}": b"\x89PNG\r\n\x1a\n" + f"{kind} {i}".encode() * 50
                  for kind in ("rose", "daisy", "tulip") for i in range(4)}
        for name, content in images.items():
            self.file(f"flowers/{name}", content)
        for other in ("notes.txt", ".DS_Store", "._1.png", "Thumbs.db", "within/1.png"):
            self.file(f"flowers/rose/{other}", "no image")
        os.mkdir(f"{self.work}/flowers/empty")
        self.write(f"{self.work}/flowers", "--shards", "5")
        examples = self.examples()
        self.assertEqual([len(shard) for shard in self.shards()], [2, 2, 3, 2, 3])
        self.assertEqual({example["image/filename"][0].decode(): example["image"][0] for example in examples}, images)
        with open(f"{self.folder}/label.labels.txt", encoding="utf-8") as file:
            classes = file.read().split()
        self.assertEqual(classes, ["daisy", "rose", "tulip"])
        for example in examples:
            self.assertEqual(classes[example["label"][0]], example["image/filename"][0].decode().split("/")[0])
        self.assertNotEqual([example["label"][0] for example in examples], sorted(e["label"][0] for e in examples))
        self.assertEqual(self.feature("image")["image"]["encodingFormat"], "png")
        self.assertEqual(self.feature("label")["classLabel"], {"numClasses": "3"})
        keys = self.json("dataset_info.json")["supervisedKeys"]["tuple"]["items"]
        self.assertEqual([key["featureKey"] for key in keys], ["image", "label"])

    def test_files_that_are_no_pictures_are_named(self):
        self.file("flowers/rose/1.png", b"\x89PNG\r\n\x1a\n")
        for name, content, got in (("2.jpg", b"", "empty"), ("3.png", b"<html>", "the text '<html>'")):
            path = self.file(f"flowers/rose/{name}", content)
            self.assertIn(f"InvalidArgument: '{path}' is not a picture, got {got}, expected a JPEG, PNG, GIF, BMP or WebP image",
                          self.write(f"{self.work}/flowers", expected=1))
            self.assertEqual(self.names(), [])
            os.remove(path)

    def test_csv(self):
        path = self.file("rows.csv", '\ufeffid,price,"a ""name"""\r\n1,2.5,"x, ""y""\nz"\r\n\r\n-7,3,\n')
        self.write(path, "--no-shuffle")
        self.assertEqual(self.examples(), [{"id": [1], "price": [2.5], 'a "name"': [b'x, "y"\nz']},
                                           {"id": [-7], "price": [3.0], 'a "name"': [b""]}])
        self.assertEqual(self.feature("id")["tensor"]["dtype"], "int64")
        self.assertEqual(self.feature("price")["tensor"]["dtype"], "float32")
        self.assertIn("text", self.feature('a "name"'))

    def test_json_lines(self):
        self.write(self.file("rows.jsonl", '{"n": 1, "l": [], "ok": true, "s": "\\u00e9", "words": ["a", "b"]}\n\n'
                             '{"words": [], "n": 2.5, "l": [3, -4], "ok": false, "s": ""}'), "--no-shuffle")
        self.assertEqual(self.examples(), [
            {"n": [1.0], "l": [], "ok": [1], "s": ["é".encode()], "words": [b"a", b"b"]},
            {"n": [2.5], "l": [3, -4], "ok": [0], "s": [b""], "words": []}])
        self.assertEqual(self.feature("l")["tensor"],
                         {"shape": {"dimensions": ["-1"]}, "dtype": "int64", "encoding": "none"})

    def test_text(self):
        self.write(self.file("lines.txt", "one\r\n\ntwo\nthree"), "--no-shuffle")
        self.assertEqual(self.examples(), [{"text": [b"one"]}, {"text": [b"two"]}, {"text": [b"three"]}])

    def test_tokens(self):
        self.file("model/vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\none\ntwo\n##s\n")
        path = self.file("lines.txt", "One twos\n\nthree\n")
        self.write(path, "--no-shuffle", "--tokenizer", f"{self.work}/model")
        self.assertEqual(self.examples(), [{"input_ids": [2, 5, 6, 7, 3]}, {"input_ids": [2, 1, 3]}])
        self.assertEqual(self.feature("input_ids")["tensor"]["shape"], {"dimensions": ["-1"]})
        self.assertIn("NotFound", self.write(path, "--tokenizer", self.work, "--split", "test", expected=1))
        rows = self.file("rows.csv", "x\n1\n")
        self.assertIn("--tokenizer with csv, expected lines of text",
                      self.write(rows, "--tokenizer", f"{self.work}/model", "--split", "test", expected=1))

    def test_idx(self):
        pixels = bytes(range(0, 240, 10))
        images = gzip.compress(struct.pack(">BBBBIII", 0, 0, 8, 3, 4, 2, 3) + pixels)
        labels = struct.pack(">BBBBI", 0, 0, 8, 1, 4) + bytes([3, 0, 9, 1])
        self.write(self.file("images-ubyte.gz", images), self.file("labels-ubyte", labels), "--no-shuffle")
        self.assertEqual(self.examples(), [{"image": list(pixels[6 * i : 6 * i + 6]), "label": [label]}
                                           for i, label in enumerate([3, 0, 9, 1])])
        self.assertEqual(self.feature("image")["tensor"]["shape"], {"dimensions": ["2", "3"]})
        self.assertEqual(self.feature("label")["classLabel"], {"numClasses": "10"})

    def test_order_is_that_of_the_seed(self):
        path = self.file("lines.txt", "\n".join(map(str, range(200))))
        orders = []
        for seed in (1, 1, 2):
            self.write(path, "--seed", seed, "--shards", 7, "--force")
            orders.append([int(example["text"][0]) for example in self.examples()])
            self.assertEqual(sorted(orders[-1]), list(range(200)))
        self.assertEqual(orders[0], orders[1])
        self.assertNotEqual(orders[0], orders[2])

    def test_other_commands_read_it(self):
        self.write(self.file("rows.jsonl", '{"n": 1}\n{"n": 2}\n{"n": 3}\n'), "--no-shuffle", "--shards", 2)
        pattern = f"{self.folder}/set-train.tfrecord-*"
        self.assertIn("2 files, 3 records", tfrecord("info", pattern))
        self.assertIn("2 records, both checksums of each are right", tfrecord("verify", pattern))
        lines = [json.loads(line) for line in tfrecord("cat", pattern).splitlines()]
        self.assertEqual([int(line["features"]["feature"]["n"]["int64List"]["value"][0]) for line in lines], [1, 2, 3])
        self.assertIn("n: i64 2\n", tfrecord("head", "--records", 1, f"{self.folder}/set-train.tfrecord-00001-of-00002"))

    def test_number_of_files_is_the_one_advised(self):
        line = "x" * 9_999 + "\n"
        for megabytes, files in ((5, 1), (35, 3), (120, 10)):
            self.write(self.file("lines.txt", line * (100 * megabytes)), "--force")
            (split,) = self.json("dataset_info.json")["splits"]
            lengths = list(map(int, split["shardLengths"]))
            self.assertEqual((len(lengths), sum(lengths)), (files, 100 * megabytes))
            self.assertEqual(len([name for name in self.names() if ".tfrecord-" in name]), files)
            self.assertNotIn("warning", tfrecord("info", f"{self.folder}/set-train*"))
            self.assertLessEqual(max(lengths) - min(lengths), 1)

    def test_progress_is_a_line_in_a_file(self):
        text = self.write(self.file("lines.txt", "a\nb\nc\n"))
        self.assertRegex(text, r"\] 100 %  3 of 3 records  .* records/s\n")
        self.assertNotIn("\r", text)

    def test_splits_stand_beside_each_other(self):
        train, test = self.file("train.csv", "x\n1\n2\n"), self.file("test.csv", "x\n3\n")
        self.write(train)
        self.write(test, "--split", "test")
        self.assertEqual(len(self.examples()), 2)
        self.assertEqual(self.examples("test"), [{"x": [3]}])
        other = self.file("other.csv", "x\n3.5\n")
        self.assertIn("has other features than the source", self.write(other, "--split", "dev", expected=1))
        self.assertEqual([split["name"] for split in self.json("dataset_info.json")["splits"]], ["train", "test"])

    def test_split_that_is_there_is_refused(self):
        path = self.file("lines.txt", "a\nb\nc\n")
        self.write(path, "--shards", 3)
        before = self.names()
        text = self.write(path, "--shards", 2, expected=1)
        self.assertRegex(text, "FailedPrecondition: .*set-train.tfrecord-00000-of-00003' is there already")
        self.assertIn("--force", text)
        self.assertEqual(self.names(), before)
        self.write(path, "--shards", 2, "--force")
        self.assertEqual([name[-14:] for name in self.names() if "train" in name],
                         ["00000-of-00002", "00001-of-00002"])
        self.assertEqual(len(self.examples()), 3)

    def test_killed_run_leaves_no_half_file(self):
        path = self.file("lines.txt", "some words in a line\n" * 2_000_000)
        arguments = ["tfrecord", "write", path, "--output", self.output, "--name", "set", "--shards", "2"]
        with subprocess.Popen([TOOL, *arguments], stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and not any(".tmp-" in name for name in self.names()):
                time.sleep(0.001)
            process.send_signal(signal.SIGKILL)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertTrue(self.names())
        self.assertEqual([name for name in self.names() if ".tmp-" not in name], [])
        self.assertRegex(self.write(path, expected=1),
                         r"\.tmp-[^']*' was left by a run that was cut off, or is being written, .*\n.*--force")
        short = self.file("short.txt", "a\nb\n")
        self.write(short, "--force")
        self.assertEqual([name for name in self.names() if ".tmp-" in name], [])
        self.assertEqual(len(self.examples()), 2)

    def test_interrupted_run_leaves_no_file(self):
        path = self.file("lines.txt", "some words in a line\n" * 2_000_000)
        arguments = ["tfrecord", "write", path, "--output", self.output, "--name", "set", "--shards", "64"]
        for names in (1, 40):  # at once, and when some shards are whole
            with subprocess.Popen([TOOL, *arguments], stderr=subprocess.PIPE, text=True,
                                  preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as process:
                while process.poll() is None and len(self.names()) < names:
                    time.sleep(0.001)
                process.send_signal(signal.SIGINT)
                text = process.communicate()[1]
            self.assertEqual(process.returncode, 130, text)
            self.assertIn("Interrupted: the split 'train' is not written.", text)
            self.assertEqual(self.names(), [])
        self.write(self.file("short.txt", "a\nb\n"))
        self.assertEqual(len(self.examples()), 2)

    def test_damaged_sources_say_where(self):
        cases = [
            ("a.csv", "x,y\n1,2\n3\n", "'{}', line 3, column 1: 1 field, expected 2: x, y"),
            ("a.csv", 'x,y\n"a\nb",é"c"\n', "'{}', line 3, column 5: a quote in a field"),
            ("a.csv", 'x,y\n1,"2\n\n', "'{}', line 2, column 3: this quote is never closed"),
            ("a.csv", 'x,y\n"1"2,3\n', "'{}', line 2, column 4: text after the quote"),
            ("a.csv", "x,x\n1,2\n", "'{}', line 1, column 1: two columns have the name 'x'"),
            ("a.csv", "x,\n1,2\n", "'{}', line 1, column 1: a column has no name"),
            ("a.csv", "", "'{}' is empty, expected a line of names"),
            ("a.csv", "x,y\n", "'{}' has no records"),
            ("a.csv", b"\xff,y\n1,2\n", "a feature's name is no UTF-8"),
            ("a.jsonl", '{"x": 1}\n\n{"x": 1,, }\n', "'{}', line 3, column 9: no JSON"),
            ("a.jsonl", '{"x": 1}\n{"x": ', "'{}', line 2, column 6: no JSON"),
            ("a.jsonl", "[" * 200_000 + "\n", "'{}', line 1, column 200000: no JSON"),
            ("a.jsonl", '{"x": 1}\n{"x": "\xff"}\n'.encode("latin-1"), "'{}', line 2, column 8: no JSON"),
            ("a.jsonl", '{"x": 1}\n[1]\n', "'{}', line 2, column 1: JSON's array, expected an object"),
            ("a.jsonl", '{"x": 1}\n{"x": "a"}\n', "'{}', line 2, column 1: 'x' is text, expected a number"),
            ("a.jsonl", '{"x": 1}\n{"x": [1]}\n', "'{}', line 2, column 1: 'x' is a list, expected no list"),
            ("a.jsonl", '{"x": 1}\n{"y": 1}\n', "'{}', line 2, column 1: there is no 'x'"),
            ("a.jsonl", '{"x": 1}\n{"x": 1, "y": 1}\n', "'{}', line 2, column 1: 'y' is not in the first record"),
            ("a.jsonl", '{"x": [1, "a"]}\n', "'{}', line 1, column 1: 'x' holds numbers and texts"),
            ("a.jsonl", '{"x": null}\n', "'{}', line 1, column 1: 'x' holds JSON's null"),
            ("a.jsonl", '{"x": {"y": 1}}\n', "'{}', line 1, column 1: 'x' holds JSON's object"),
            ("a.jsonl", '{"x": 9223372036854775808}\n', "'{}', line 1, column 1: 'x' is 9223372036854775808, which int64"),
            ("a.jsonl", '{"x": 1e39}\n', "'{}', line 1, column 1: 'x' is 1e+39, which float32 cannot hold"),
            ("a.jsonl", '{"x": 1e999}\n', "'{}', line 1, column 1: a number that is too large"),
            ("a.jsonl", "", "'{}' has no records"),
            ("a.dat", "x", "'{}' has a name that says no format"),
            ("images-ubyte", b"\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "'{}'"),
        ]
        for name, content, expected in cases:
            with self.subTest(content=content[:40]):
                path = self.file(name, content)
                self.assertIn(expected.format(path), self.write(path, expected=1))
                self.assertEqual(self.names(), [])

    def test_what_cannot_be_is_refused(self):
        path = self.file("lines.txt", "a\n")
        cases = [
            ([f"{self.work}/nowhere.txt"], "NotFound: cannot open"),
            ([path, path], "2 sources of text"),
            ([path, "--split", "../up"], "--split '../up'"),
            ([path, "--format", "tar"], "--format tar, expected images, csv"),
            ([f"{self.work}/nowhere", "--format", "images"], f"NotFound: cannot list '{self.work}/nowhere'"),
            ([path, "--format", "images"], f"cannot list '{path}': Not a directory"),
            ([self.work, "--format", "images"], "has no images, expected a folder for each class"),
        ]
        for arguments, expected in cases:
            with self.subTest(arguments=arguments):
                self.assertIn(expected, self.write(*arguments, expected=1))
                self.assertEqual(self.names(), [])

    def test_folder_that_cannot_be_written(self):
        path = self.file("lines.txt", "a\n")
        self.file("data", "a file where the folder should be")
        self.assertIn(f"cannot make the folder '{self.folder}'", self.write(path, expected=1))

    def test_folder_without_permission(self):
        tool = shutil.copy(TOOL, self.work)  # where a user without rights may run it
        path = self.file("lines.txt", "a\n")
        os.chmod(self.work, 0o755)
        os.mkdir(self.output, 0o555)
        done = subprocess.run([tool, "tfrecord", "write", path, "--output", self.output, "--name", "set"],
                              user=65534 if os.geteuid() == 0 else None, capture_output=True, text=True)
        self.assertIn(f"PermissionDenied: cannot make the folder '{self.folder}'", done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_disk_that_takes_no_more(self):
        path = self.file("lines.txt", "a text of some length\n" * 100_000)
        done = subprocess.run([TOOL, "tfrecord", "write", path, "--output", self.output, "--name", "set"],
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)),
                              restore_signals=False, capture_output=True, text=True)  # SIGXFSZ stays ignored
        self.assertRegex(done.stderr, "cannot write '.*/set-train.tfrecord-00000-of-00001': File too large")
        self.assertEqual((done.returncode, self.names()), (1, []))


if __name__ == "__main__":
    TOOL = sys.argv.pop(1)
    unittest.main()

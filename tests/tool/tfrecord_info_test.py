#!/usr/bin/env python3
"""tfrecord_info_test.py TOOL: what `systolic tfrecord info` and `verify` say of good, unwise and damaged files."""
import os
import struct
import subprocess
import sys
import tempfile
import unittest

from records import masked

TOOL = ""


def framed(record):
    """A record after its length and checksums."""
    length = struct.pack("<Q", len(record))
    return length + struct.pack("<I", masked(length)) + record + struct.pack("<I", masked(record))


class InfoTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.work = temporary.name

    def file(self, name, content):
        path = f"{self.work}/{name}"
        with open(path, "wb") as file:
            file.write(content)
        return path

    def run_tool(self, verb, *arguments, expected=0):
        done = subprocess.run([TOOL, "tfrecord", verb, *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
        return done.stdout

    def test_number_and_size_of_files(self):
        """As tensorflow.org/tutorials/load_data/tfrecord advises: 10s to 100s of files, none below 10 MB for its own
        sake."""
        record = framed(bytes(1_000_000))
        cases = [  # files, records of 1 MB in each, cores, the warning
            (1, 2, 8, None),
            (10, 12, 8, None),
            (16, 1, 8, None),
            (1, 45, 8, "too few files for 8 cores, 1; .* here 4: systolic tfrecord shard --shards 4"),
            (3, 15, 4, "too few files for 4 cores, 3; .* here 4: "),
            (1, 45, 1, None),
            (40, 1, 8, "the 40 files are too small, 976.58 KB each; .* here 4: "),
        ]
        for files, records, cores, warning in cases:
            with self.subTest(files=files, records=records, cores=cores):
                for i in range(files):
                    self.file(f"{files}-{records}-{cores}-{i:03d}.tfrec", record * records)
                text = self.run_tool("info", f"{self.work}/{files}-{records}-{cores}-*.tfrec", "--cores", cores)
                self.assertIn(f"{files} file{'' if files == 1 else 's'}, {files * records} records", text)
                if warning is None:
                    self.assertNotIn("warning", text)
                else:
                    self.assertRegex(text, f"\nwarning: {warning}")

    def test_no_records(self):
        text = self.run_tool("info", self.file("empty.tfrec", b""))
        self.assertIn("1 file, 0 records, 0 B\nwarning: there are no records\n", text)

    def test_sizes_and_contents(self):
        feature = b"\x0a\x0b\x0a\x09\x0a\x01n\x12\x04\x1a\x02\x08\x07"  # tf.Example {n: [7]}
        text = self.run_tool("info", self.file("x.tfrec", framed(feature) + framed(b"no example")))
        self.assertIn("x.tfrec: 2 records, 55 B, records of 10 B to 13 B\n", text)
        self.assertRegex(text, "the first record: .*n.*i64")
        text = self.run_tool("info", self.file("y.tfrec", framed(b"no example")))
        self.assertIn("the first record: 10 bytes that are no tf.Example\n", text)

    def test_damage_is_counted_and_named(self):
        good, bad = framed(b"some record"), bytearray(framed(b"other record"))
        bad[15] ^= 1
        path = self.file("x.tfrec", good + bytes(bad) + good)
        text = self.run_tool("info", path, expected=1)
        self.assertIn("x.tfrec: 2 records, 82 B, records of 11 B to 11 B, 1 damaged: ", text)
        text = self.run_tool("verify", path, expected=1)
        self.assertRegex(text, "2 records are whole, 1 damaged: .*record 1.*27")
        os.mkdir(f"{self.work}/whole")
        self.run_tool("repair", path, "--output", f"{self.work}/whole")
        with open(f"{self.work}/whole/x.tfrec", "rb") as file:
            self.assertEqual(file.read(), good + good)


if __name__ == "__main__":
    TOOL = sys.argv.pop(1)
    unittest.main()

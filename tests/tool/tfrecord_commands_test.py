#!/usr/bin/env python3
"""tfrecord_commands_test.py TOOL: runs `systolic tfrecord` over files made here, whole and damaged, and looks at what it says."""
import fcntl
import os
import pty
import resource
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

TOOL = ""


def crc32c(data):
    """RFC 3720, appendix B.4: the polynomial 1EDC6F41, reflected."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data):
    length = struct.pack("<Q", len(data))
    return length + masked(length) + data + masked(data)


WHOLE = record(b"first") + record(b"second") + record(b"third")
DAMAGED = bytearray(WHOLE)
DAMAGED[len(record(b"first")) + 13] ^= 1  # a byte of "second"
DAMAGED = bytes(DAMAGED)


class Commands(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def put(self, name, data):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(data)

    def get(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_tool(self, *arguments, expected=0, **options):
        done = subprocess.run([TOOL, *arguments], cwd=self.folder.name, capture_output=True, text=True, **options)
        self.assertEqual(done.returncode, expected, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_repair_keeps_what_is_whole(self):
        self.put("r.tfrecord", DAMAGED)
        text = self.run_tool("tfrecord", "repair", "r.tfrecord", "--output", "out/")  # a new folder
        self.assertIn("out/r.tfrecord: 2 records, 1 place left out\n", text)
        self.assertEqual(self.get("out/r.tfrecord"), record(b"first") + record(b"third"))
        self.assertEqual(self.get("r.tfrecord"), DAMAGED)

    def test_repair_writes_nothing_where_nothing_is_whole(self):
        self.put("picture.tfrec", b"\xff\xd8\xff\xe0 a picture by another name")
        text = self.run_tool("tfrecord", "repair", "picture.tfrec", "--output", "out", expected=1)
        self.assertIn("it looks like JPEG", text)
        self.assertIn("DataLoss: 'picture.tfrec' holds no whole record: nothing is written", text)
        self.assertEqual(os.listdir(self.path("out")), [])

    def test_repair_never_replaces_its_input(self):
        self.put("r.tfrecord", DAMAGED)
        self.put("sub/other", b"")
        os.symlink(self.folder.name, self.path("link"))
        for output in [".", "./", "sub/..", "link", self.folder.name, self.folder.name + "/"]:
            text = self.run_tool("tfrecord", "repair", "r.tfrecord", "--output", output, expected=1)
            self.assertIn("InvalidArgument: 'r.tfrecord' would replace itself", text)
            self.assertEqual(self.get("r.tfrecord"), DAMAGED, output)

    def test_repair_replaces_no_other_file(self):
        self.put("r.tfrecord", DAMAGED)
        self.put("out/r.tfrecord", b"precious")
        text = self.run_tool("tfrecord", "repair", "r.tfrecord", "--output", "out", expected=1)
        self.assertIn("'out/r.tfrecord' is there already", text)
        self.assertEqual(self.get("out/r.tfrecord"), b"precious")

    def test_repair_refuses_two_files_of_one_name(self):
        self.put("a/r.tfrecord", WHOLE)
        self.put("b/r.tfrecord", DAMAGED)
        os.mkdir(self.path("out"))
        text = self.run_tool("tfrecord", "repair", "a/r.tfrecord", "b/r.tfrecord", "--output", "out", expected=1)
        self.assertIn("two files of one name would both become 'out/r.tfrecord'", text)
        self.assertEqual(os.listdir(self.path("out")), [])

    def test_shard_never_replaces_its_input(self):
        self.put("x-00000-of-00001.tfrec", WHOLE)
        text = self.run_tool("tfrecord", "shard", "x-00000-of-00001.tfrec", "--output", "./x", "--shards", "1",
                             expected=1)
        self.assertIn("would replace an input", text)
        self.assertEqual(self.get("x-00000-of-00001.tfrec"), WHOLE)

    def test_shard_counts_open_files(self):
        self.put("x.tfrec", WHOLE)
        text = self.run_tool("tfrecord", "shard", "x.tfrec", "--output", "y", "--shards", "99999", expected=1,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256)))
        self.assertIn("ResourceExhausted: 99,999 shards are as many open files, and this process may have 256", text)
        self.assertEqual(os.listdir(self.folder.name), ["x.tfrec"])
        text = self.run_tool("tfrecord", "shard", "x.tfrec", "--output", "y", "--shards", "2")
        self.assertEqual(text, "3 records of 1 file in 2 files, y-00000-of-00002.tfrec ...\n")
        self.assertEqual(self.get("y-00000-of-00002.tfrec"), record(b"first") + record(b"third"))

    def test_shard_leaves_no_shards_of_another_number(self):
        self.put("x.tfrec", WHOLE)
        for name in ("y-00002-of-00003.tfrec", "y-00000-of-00001.tfrec.gz", "y-notes", "yy-00000-of-00001.tfrec"):
            self.put(name, b"precious")
        text = self.run_tool("tfrecord", "shard", "x.tfrec", "--output", "y", "--shards", "2", expected=1)
        self.assertIn("FailedPrecondition: 'y-00000-of-00001.tfrec.gz' is there already, expected no shards of the "
                      "prefix 'y'.\n  hint: --force replaces them", text)
        self.assertEqual(self.get("y-00002-of-00003.tfrec"), b"precious")
        self.run_tool("tfrecord", "shard", "x.tfrec", "--output", "y", "--shards", "2", "--force")
        self.assertEqual(sorted(os.listdir(self.folder.name)),
                         ["x.tfrec", "y-00000-of-00002.tfrec", "y-00001-of-00002.tfrec", "y-notes",
                          "yy-00000-of-00001.tfrec"])
        text = self.run_tool("tfrecord", "shard", "y-00000-of-00002.tfrec", "--output", "y", "--shards", "3", "--force",
                             expected=1)
        self.assertIn("shard 'y-00000-of-00002.tfrec' would replace an input", text)
        self.assertEqual(self.get("y-00001-of-00002.tfrec"), record(b"second"))

    def test_what_was_meant_is_said(self):
        self.put("x.tfrec", WHOLE)
        self.put("lines.txt", b"a\n")
        write = ["write", "--output", "out", "--name", "set"]
        cases = [
            (["info", "."], "InvalidArgument: '.' is a folder, expected files.\n  hint: './*.tfrec*' names"),
            (["cat", "gs://bucket/folder/"], "'gs://bucket/folder/' is a folder, expected files"),
            (["shard", "x.tfrec", "--output", "y", "--shards", "5"],
             "InvalidArgument: --shards 5 of 3 records: nothing is written, expected at least one record a file"),
            ([*write, "nowhere/"], "NotFound: cannot open 'nowhere/': No such file or directory"),
            ([*write, "x.tfrec"], "'x.tfrec' has a name that says no format, expected --format images, csv, "),
        ]
        for arguments, expected in cases:
            with self.subTest(arguments=arguments):
                self.assertIn(expected, self.run_tool("tfrecord", *arguments, expected=1))
                self.assertEqual(sorted(os.listdir(self.folder.name)), ["lines.txt", "x.tfrec"])

    def on_terminal(self, columns, *arguments, **environment):
        """What a terminal of this many columns gets from the tool."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen([TOOL, *arguments], cwd=self.folder.name, stdout=follower, stderr=follower,
                              env={**os.environ, "TERM": "xterm", **environment}) as process:
            os.close(follower)
            text = b""
            try:
                while part := os.read(leader, 4096):
                    text += part
            except OSError:  # Linux's end of a terminal
                pass
            os.close(leader)
        self.assertEqual(process.returncode, 0, text)
        return text.decode().replace("\r\n", "\n")

    def test_progress_fits_the_terminal(self):
        self.put("lines.txt", b"some words\n" * 20_000)
        for columns, last in [(140, r"\[#{30}\] 100 %  20,000 of 20,000 records  [\d,]+ records/s"),
                              (80, r"\[#{5,29}\] 100 %  20,000 of 20,000 records  [\d,]+ records/s"),
                              (40, r"100 %  [\d,]+ records/s"), (20, "100 %"), (4, "10…")]:
            with self.subTest(columns=columns):
                text = self.on_terminal(columns, "tfrecord", "write", "lines.txt", "--output", f"out{columns}",
                                        "--name", "set")
                drawn, said = text.rsplit("\x1b[K\n", 1)
                self.assertTrue(said.startswith("20,000 records in 1 file, "), said)
                for line in drawn.split("\r"):
                    self.assertLess(len(line.removesuffix("\x1b[K")), columns)
                self.assertRegex(drawn.split("\r")[-1], f"^{last}$")
        self.put("x.tfrec", WHOLE)
        for command, said in [(["shard", "--output", "y", "--shards", "2"], "3 records of 1 file in 2 files, "),
                              (["repair", "--output", "whole"], "whole/x.tfrec: 3 records, "),
                              (["info"], "x.tfrec: 3 records, "), (["verify"], "x.tfrec: 3 records, ")]:
            verb, *options = command
            text = self.on_terminal(80, "tfrecord", verb, "x.tfrec", *options)
            self.assertTrue(text.rsplit("\x1b[K\n", 1)[1].startswith(said), text)
        text = self.on_terminal(80, "tfrecord", "write", "lines.txt", "--output", "dumb", "--name", "set", TERM="dumb")
        self.assertNotIn("\x1b", text)
        self.assertNotIn("\r", text)
        self.assertIn("100 %", text)

    def test_verify_says_what_is_not_there(self):
        self.put("empty.tfrec", b"")
        self.put("one.tfrec", record(b"first"))
        self.put("damaged.tfrec", DAMAGED)
        self.assertIn("empty.tfrec: no records\n", self.run_tool("tfrecord", "verify", "empty.tfrec", expected=1))
        self.assertEqual(self.run_tool("tfrecord", "verify", "one.tfrec"),
                         "one.tfrec: 1 record, both checksums of each are right\n")
        text = self.run_tool("tfrecord", "verify", "damaged.tfrec", "one.tfrec", expected=1)
        self.assertIn("damaged.tfrec: 2 records are whole, 1 damaged: ", text)
        self.assertIn("1 of 2 files is damaged", text)
        self.assertEqual(text.count("the checksum of the record's data is wrong"), 1, text)
        self.put("picture.tfrec", b"\xff\xd8\xff\xe0 a picture by another name")
        for verb in ["verify", "cat", "head"]:
            text = self.run_tool("tfrecord", verb, "picture.tfrec", expected=1)
            self.assertEqual(text.count("it looks like JPEG, not like a TFRecord file"), 1, text)
            self.assertNotIn("systolic tfrecord repair 'picture.tfrec'", text)

    def test_errors_speak_of_commands(self):
        self.put("damaged.tfrec", DAMAGED)
        for verb, *options in [["cat"], ["head"], ["shard", "--output", "y"]]:
            text = self.run_tool("tfrecord", verb, "damaged.tfrec", *options, expected=1)
            self.assertIn("DataLoss: ", text)
            self.assertIn("systolic tfrecord repair 'damaged.tfrec' --output FOLDER", text)
            self.assertNotIn("on_corrupt", text)
            self.assertNotIn(".cc:", text)

    def test_standard_input_that_cannot_be_read(self):
        folder = os.open(self.folder.name, os.O_RDONLY)
        self.addCleanup(os.close, folder)
        text = self.run_tool("plan", "-", stdin=folder, expected=1)
        self.assertIn("cannot read 'standard input': Is a directory", text)

    def test_unknown_commands_are_named(self):
        for words in [["foo"], ["tfrecord", "foo"], ["foo", "--help"]]:
            text = self.run_tool(*words, expected=2)
            name = " ".join(word for word in words if word != "--help")
            self.assertIn(f"there is no command '{name}', only ", text)
            self.assertIn("verify" if "tfrecord" in words else "doctor", text)
        self.assertNotIn(".cc:", self.run_tool("arrays", "notes.txt", expected=1))


if __name__ == "__main__":
    TOOL = os.path.abspath(sys.argv.pop(1))
    unittest.main()

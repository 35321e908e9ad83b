"""The wheel that tools/package/make_wheel.py writes: the same bytes twice, every file recorded with its hash, programs that
may be run, and the entry points by which JAX, PyTorch/XLA and the command line find it.

    package_test.py
"""

import base64
import configparser
import csv
import hashlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        stage = pathlib.Path(cls.folder.name) / "stage"
        (stage / "libraries").mkdir(parents=True)
        (stage / "libraries" / "libsystolic_pjrt.so").write_bytes(b"a library")
        (stage / "systolic").write_bytes(b"a program")
        cls.wheels = []
        for name in ("first", "second"):
            output = pathlib.Path(cls.folder.name) / name
            output.mkdir()
            command = [sys.executable, ROOT / "tools/package/make_wheel.py", "--version", "1.2.3", "--stage", stage,
                       "--output", output, "--platform", "manylinux_2_31_x86_64", "--time", "1700000000"]
            subprocess.run(command, check=True, capture_output=True)
            cls.wheels.append(output / "systolic-1.2.3-py3-none-manylinux_2_31_x86_64.whl")
        cls.wheel = zipfile.ZipFile(cls.wheels[0])
        cls.addClassCleanup(cls.wheel.close)

    def text(self, name):
        return self.wheel.read(f"systolic-1.2.3.dist-info/{name}").decode()

    def test_same_sources_make_the_same_bytes(self):
        self.assertEqual(*[wheel.read_bytes() for wheel in self.wheels])

    def test_record_names_each_file_with_its_hash(self):
        rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(self.text("RECORD")))}
        self.assertEqual(set(rows), set(self.wheel.namelist()))
        for name, (digest, size) in rows.items():
            if name.endswith("/RECORD"):
                self.assertEqual((digest, size), ("", ""))
                continue
            data = self.wheel.read(name)
            expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            self.assertEqual((digest, size), (f"sha256={expected}", str(len(data))), name)

    def test_programs_may_be_run(self):
        for name, mode in (("systolic_command/systolic", 0o755), ("jax_plugins/systolic/libsystolic_pjrt.so", 0o755),
                           ("jax_plugins/systolic/__init__.py", 0o644)):
            self.assertEqual(self.wheel.getinfo(name).external_attr >> 16 & 0o777, mode, name)

    def test_entry_points_name_modules_that_are_there(self):
        points = configparser.ConfigParser()
        points.read_string(self.text("entry_points.txt"))
        self.assertEqual(points.sections(), ["console_scripts", "jax_plugins", "torch_xla.plugins"])
        names = self.wheel.namelist()
        for section in points.sections():
            for module in points[section].values():
                path = module.split(":")[0].replace(".", "/")
                self.assertIn(f"{path}/__init__.py", names)

    def test_tag_is_the_files_name(self):
        self.assertIn("Tag: py3-none-manylinux_2_31_x86_64\n", self.text("WHEEL"))
        self.assertIn("\nVersion: 1.2.3\n", self.text("METADATA"))


if __name__ == "__main__":
    unittest.main()

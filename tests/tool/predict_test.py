#!/usr/bin/env python3
"""predict_test.py TOOL MODELS: `systolic predict` says what Keras said of its own models, by names, from each form."""
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

TOOL, MODELS = "", pathlib.Path()


def member(archive, name):
    with zipfile.ZipFile(archive) as opened:
        return opened.read(f"{name}.npy")


def numbers(npy):
    """The f32 numbers of a .npy file of version 1."""
    begin = 10 + struct.unpack("<H", npy[8:10])[0]
    return struct.unpack(f"<{(len(npy) - begin) // 4}f", npy[begin:])


class PredictTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.work = pathlib.Path(temporary.name)

    def arrays(self, **named):
        path = self.work / "in.npz"
        with zipfile.ZipFile(path, "w") as archive:
            for name, npy in named.items():
                archive.writestr(f"{name}.npy", npy)
        return path

    def run_tool(self, *arguments):
        return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, check=False)

    def check(self, model, inputs, output, expected, name):
        out = self.work / "out.npz"
        result = self.run_tool("predict", model, inputs, "--output", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        found, wanted = numbers(member(out, output)), numbers(member(MODELS / expected, f"{name}_predictions"))
        self.assertEqual(len(found), len(wanted))
        self.assertLess(max(abs(a - b) for a, b in zip(found, wanted)), 1e-5)

    def test_one_input_of_any_name(self):
        x = self.arrays(any=member(MODELS / "expected.npz", "conv_model_x0"))
        for model in ("conv_model.keras", "conv_model.h5"):
            self.check(MODELS / model, x, "classes", "expected.npz", "conv_model")

    def test_inputs_by_name(self):
        left, right = (member(MODELS / "expected.npz", f"shared_x{i}") for i in range(2))
        x = self.arrays(right=right, left=left, more=right)
        self.check(MODELS / "shared.keras", x, "head", "expected.npz", "shared")
        result = self.run_tool("predict", MODELS / "shared.keras", self.arrays(left=left), "--output", self.work / "o.npz")
        self.assertEqual(result.returncode, 1)
        self.assertIn("has no array 'right'", result.stderr)

    def test_what_was_converted(self):
        converted = self.work / "c.keras"
        self.assertEqual(self.run_tool("convert", MODELS / "keras2_pictures.h5", converted).returncode, 0)
        x = self.arrays(picture=member(MODELS / "expected_keras2.npz", "keras2_pictures_x0"))
        self.check(converted, x, "classes", "expected_keras2.npz", "keras2_pictures")


if __name__ == "__main__":
    TOOL, MODELS = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1])

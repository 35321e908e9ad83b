#!/usr/bin/env python3
"""predict_test.py TOOL MODELS TEXT_MODEL: `systolic predict` says what Keras said of its own models, by names, from each
form; and of pictures, tables and texts what it says of the same numbers. TEXT_MODEL: a folder of Hugging Face's."""
import csv
import io
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

TOOL, MODELS, TEXT_MODEL = "", pathlib.Path(), pathlib.Path()


def member(archive, name):
    with zipfile.ZipFile(archive) as opened:
        return opened.read(f"{name}.npy")


def numbers(npy):
    """The f32 numbers of a .npy file of version 1."""
    begin = 10 + struct.unpack("<H", npy[8:10])[0]
    return struct.unpack(f"<{(len(npy) - begin) // 4}f", npy[begin:])


def npy(descr, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def png(width, height, rgb):
    """A picture of bytes, a row after the other."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + rgb[3 * width * i:3 * width * (i + 1)] for i in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


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

    def table(self, *arguments):
        """What --csv prints: the line of names, and the rows."""
        result = self.run_tool("predict", *arguments, "--csv")
        self.assertEqual(result.returncode, 0, result.stderr)
        names, *rows = csv.reader(io.StringIO(result.stdout))
        return names, rows

    def close(self, rows, wanted):
        found = [float(number) for row in rows for number in row]
        self.assertEqual(len(found), len(wanted))
        self.assertLess(max(abs(a - b) for a, b in zip(found, wanted)), 1e-5)

    def test_pictures(self):
        pictures = self.work / "pictures"
        (pictures / "cats").mkdir(parents=True)
        pixels = [bytes((i * k + k) % 256 for i in range(72)) for k in (3, 7)]
        for name, rgb in zip(("a.png", "b.png"), pixels):
            (pictures / "cats" / name).write_bytes(png(6, 4, rgb))
        (pictures / "cats" / "notes.txt").write_text("no picture")
        numbers_of_both = struct.pack("<144f", *pixels[0], *pixels[1])
        _, wanted = self.table(MODELS / "pictures.keras", self.arrays(x=npy("<f4", "(2, 4, 6, 3)", numbers_of_both)))
        for where in (pictures, pictures / "cats"):
            names, rows = self.table(MODELS / "pictures.keras", where)
            self.assertEqual(names, ["file", "classes_0", "classes_1"])
            self.assertEqual([row[0] for row in rows], [str(pictures / "cats" / name) for name in ("a.png", "b.png")])
            self.close([row[1:] for row in rows], [float(number) for row in wanted for number in row[1:]])
        larger = self.work / "larger.png"
        larger.write_bytes(png(24, 16, bytes(24 * 16 * 3)))
        self.assertEqual(len(self.table(MODELS / "pictures.keras", larger)[1]), 1)
        result = self.run_tool("predict", MODELS / "chain.keras", larger, "--csv")
        self.assertIn("does not take pictures", result.stderr)
        result = self.run_tool("predict", MODELS / "pictures.keras", self.work / "pictures" / "cats" / "notes.md", "--csv")
        self.assertIn("there is no", result.stderr)

    def test_tables(self):
        archive = MODELS / "expected.npz"
        x, wanted = numbers(member(archive, "frozen_x0")), numbers(member(archive, "frozen_predictions"))
        rows_of = [x[i:i + 4] for i in range(0, len(x), 4)]
        table = self.work / "rows.csv"
        table.write_text("city,a,b,c,d\n" + "".join(f"\"Köln, {i}\",{','.join(map(repr, row))}\n" for i, row in enumerate(rows_of)))
        names, rows = self.table(MODELS / "frozen.keras", table)
        self.assertEqual(names[0], "row")
        self.close([row[1:] for row in rows], wanted)
        answers = self.work / "answers.csv"
        result = self.run_tool("predict", MODELS / "frozen.keras", table, "--output", answers)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([names, *rows], list(csv.reader(io.StringIO(answers.read_text()))))
        table.write_text("a,b\n1,2\n")
        result = self.run_tool("predict", MODELS / "frozen.keras", table, "--csv")
        self.assertEqual(result.returncode, 1)
        self.assertIn("2 of numbers among a, b", result.stderr)
        self.assertEqual(self.run_tool("predict", MODELS / "frozen.keras", table).returncode, 2)

    def test_texts_of_hugging_face(self):
        folder = self.work / "bert"
        shutil.copytree(TEXT_MODEL, folder)
        texts = ["the cat sat", "the dog sat, on the mat"]
        (self.work / "texts.txt").write_text("\n".join(texts) + "\n\n")
        out = self.work / "out.npz"
        result = self.run_tool("predict", folder, self.work / "texts.txt", "--output", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"f32\(2, \d+, 4\)")
        config = json.loads((folder / "config.json").read_text())
        config["architectures"] = ["BertForSequenceClassification"]
        config["id2label"] = {"0": "good", "1": "bad, or worse"}
        (folder / "config.json").write_text(json.dumps(config))
        names, rows = self.table(folder, self.work / "texts.txt")
        self.assertEqual(names, ["text", "label", "good", "bad, or worse"])
        self.assertEqual([row[0] for row in rows], texts)
        for row in rows:
            self.assertEqual(row[1], names[2] if float(row[2]) > float(row[3]) else names[3])
        (self.work / "texts.tsv").write_text("id\ttext\n" + "".join(f"{i}\t{text}\n" for i, text in enumerate(texts)))
        self.assertEqual(self.table(folder, self.work / "texts.tsv")[1], rows)

    def test_what_has_a_default_may_be_left_out(self):
        ids = struct.pack("<8i", 2, 5, 6, 3, 2, 7, 8, 3)
        types, mask = struct.pack("<8i", *[0] * 8), struct.pack("<8i", *[1] * 8)
        out = self.work / "out.npz"
        answers = []
        for besides in ({}, {"token_type_ids": npy("<i4", (2, 4), types), "attention_mask": npy("<i4", (2, 4), mask)}):
            given = self.arrays(input_ids=npy("<i4", (2, 4), ids), **besides)
            result = self.run_tool("predict", TEXT_MODEL, given, "--output", out)
            self.assertEqual(result.returncode, 0, result.stderr)
            answers.append(member(out, "last_hidden_state"))
        self.assertEqual(answers[0], answers[1])

    def test_a_folder_of_sounds(self):
        folder = pathlib.Path(__file__).parents[2] / "systolic/transformers/golden/whisper"
        features = npy("<f4", (1, 8, 20), struct.pack("<160f", *[0.01 * i for i in range(160)]))
        given = self.arrays(input_features=features, decoder_input_ids=npy("<i4", (1, 2), struct.pack("<2i", 3, 5)))
        result = self.run_tool("predict", folder, given, "--output", self.work / "out.npz")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("logits: f32(1, 2, 60)", result.stdout)

    def test_a_tokenizer_beside_the_model(self):
        shutil.copy(MODELS / "attention.keras", self.work / "model.keras")
        words = {"[PAD]": 0, "[UNK]": 1, "a": 2, "cat": 3, "sat": 4}
        special = [{"id": i, "content": word, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
                    "special": True} for word, i in words.items() if i < 2]
        (self.work / "tokenizer.json").write_text(json.dumps({
            "version": "1.0", "truncation": None, "padding": None, "added_tokens": special, "normalizer": None,
            "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None,
            "model": {"type": "WordLevel", "vocab": words, "unk_token": "[UNK]"}}))
        (self.work / "tokenizer_config.json").write_text(json.dumps({"pad_token": "[PAD]", "unk_token": "[UNK]"}))
        (self.work / "texts.txt").write_text("a cat sat\na a a a a a a a\n")
        ids = self.arrays(ids=npy("<i4", "(2, 6)", struct.pack("<12i", 2, 3, 4, 0, 0, 0, 2, 2, 2, 2, 2, 2)))
        _, wanted = self.table(self.work / "model.keras", ids)
        _, rows = self.table(self.work / "model.keras", self.work / "texts.txt")
        self.close([row[1:] for row in rows], [float(number) for row in wanted for number in row[1:]])


if __name__ == "__main__":
    TOOL, MODELS, TEXT_MODEL = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    unittest.main(argv=sys.argv[:1])

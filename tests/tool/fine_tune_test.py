#!/usr/bin/env python3
"""fine_tune_test.py TOOL MODEL GOLDEN: the commands of `systolic` that fine-tune, on small files. MODEL: a folder of Hugging Face's;
GOLDEN: folders of several architectures.

What they compute is compared with transformers by tests/transformers/compare_fine_tuning.py and by the library's own tests.
"""
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOOL, MODEL, GOLDEN = "", pathlib.Path(), pathlib.Path()
LETTERS = "abcdefgh"


class FineTuneTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.work = pathlib.Path(temporary.name)

    def run_tool(self, command, *arguments, model=None):
        return subprocess.run([TOOL, command, "--model", str(model or MODEL), "--output-dir", str(self.work / "out"),
                               *map(str, arguments)], capture_output=True, text=True, check=False)

    def succeeds(self, command, *arguments, **options):
        result = self.run_tool(command, *arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def fails(self, text, command, *arguments, code=1, model=None):
        result = self.run_tool(command, *arguments, model=model)
        self.assertEqual(result.returncode, code, result.stdout)
        self.assertIn(text, result.stderr)

    def put(self, name, text):
        (self.work / name).parent.mkdir(parents=True, exist_ok=True)
        (self.work / name).write_text(text)
        return self.work / name

    def results(self, name="all_results.json", folder="out"):
        return json.loads((self.work / folder / name).read_text())

    def pairs(self, name, heading, row):
        """Twelve rows of a file."""
        lines = [heading, *(row(i, LETTERS[i % 8], LETTERS[(i + i % 2) % 8]) for i in range(12))]
        return self.put(name, "\n".join(lines) + "\n")

    def mrpc(self, name="train.csv"):
        return self.pairs(name, "label,sentence1,sentence2",
                          lambda i, a, b: f"{['equivalent', 'not_equivalent'][i % 2]},{a} x,\"{b},\n x\"")


class GlueTest(FineTuneTest):
    def test_pairs_in_csv(self):
        train = self.mrpc()
        out = self.succeeds("glue", "--task", "mrpc", "--train-file", train, "--validation-file", train, "--epochs", 2, "--batch", 5)
        block = re.search(r"\*{5} eval metrics \*{5}\n((?:  .*\n)+)", out).group(1).splitlines()
        self.assertEqual([line.split()[0] for line in block],
                         ["epoch", "eval_accuracy", "eval_combined_score", "eval_f1", "eval_loss", "eval_runtime", "eval_samples",
                          "eval_samples_per_second", "eval_steps_per_second"])
        self.assertEqual(len({len(line) for line in block}), 1, block)
        self.assertRegex(out, r"  epoch +=  +2\.0\n")
        found = self.results()
        self.assertEqual((found["epoch"], found["train_samples"], found["eval_samples"]), (2.0, 12, 12))
        self.assertAlmostEqual(found["eval_combined_score"], (found["eval_accuracy"] + found["eval_f1"]) / 2)
        self.assertEqual(len(self.results("trainer_state.json")["log_history"]), 6)
        self.assertEqual(self.results("config.json")["id2label"], {"0": "not_equivalent", "1": "equivalent"})
        # What was saved says the same again.
        again = self.succeeds("glue", "--task", "mrpc", "--validation-file", train, model=self.work / "out")
        self.assertNotIn("train metrics", again)
        self.assertAlmostEqual(self.results()["eval_loss"], found["eval_loss"], places=5)

    def test_own_folders_of_glue(self):
        for task, folder, heading, row in [
                ("cola", "CoLA", "s\t1\t\ta b", lambda i, a, b: f"s\t{i % 2}\t\t{a} {b}"),
                ("sst2", "SST-2", "sentence\tlabel", lambda i, a, b: f"{a} {b}\t{i % 2}"),
                ("mrpc", "MRPC", "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String", lambda i, a, b: f"{i % 2}\t1\t2\t{a}\t{b}"),
                ("qqp", "QQP", "id\tquestion1\tquestion2\tis_duplicate", lambda i, a, b: f"{i}\t{a}\t{b}\t{i % 2}"),
                ("stsb", "STS-B", "index\tsentence1\tsentence2\tscore", lambda i, a, b: f"{i}\t{a}\t{b}\t{i % 6}.5"),
                ("mnli", "MNLI", "index\tsentence1\tsentence2\tlabel1\tgold_label",
                 lambda i, a, b: f"{i}\t{a}\t{b}\tneutral\t{['entailment', 'neutral', 'contradiction'][i % 3]}"),
                ("qnli", "QNLI", "index\tquestion\tsentence\tlabel", lambda i, a, b: f"{i}\t{a}\t{b}\t{'not_' * (i % 2)}entailment"),
                ("rte", "RTE", "index\tsentence1\tsentence2\tlabel", lambda i, a, b: f"{i}\t{a}\t{b}\t{'not_' * (i % 2)}entailment"),
                ("wnli", "WNLI", "index\tsentence1\tsentence2\tlabel", lambda i, a, b: f"{i}\t{a}\t{b}\t{i % 2}")]:
            with self.subTest(task):
                names = ["train", "dev"] if task != "mnli" else ["train", "dev_matched", "dev_mismatched"]
                for name in names:
                    self.pairs(f"glue/{folder}/{name}.tsv", heading, row)
                self.pairs(f"glue/{folder}/test.tsv", *(("index\tsentence", lambda i, a, b: f"{i}\t{a} {b}") if task == "cola"
                                                         else (heading, row)))
                for name in ["matched", "mismatched"] if task == "mnli" else []:
                    self.pairs(f"glue/{folder}/test_{name}.tsv", heading, row)
                self.succeeds("glue", "--task", task, "--data-dir", self.work / "glue", "--max-steps", 1, "--do-predict")
                found = self.results("eval_results.json")
                wanted = {"cola": ["eval_matthews_correlation"], "stsb": ["eval_pearson", "eval_spearmanr"],
                          "mnli": ["eval_accuracy", "eval_accuracy_mm"]}.get(task, ["eval_accuracy"])
                self.assertLessEqual(set(wanted), set(found), found)
                self.assertEqual(found["eval_samples"], 13 if task == "cola" else 12)
                lines = (self.work / f"out/predict_results_{task}.txt").read_text().splitlines()
                self.assertEqual((lines[0], len(lines)), ("index\tprediction", 13))

    def test_files_of_ones_own(self):
        for name, heading, row, wanted in [
                ("a.json", '{"words": "a b", "label": "x"}', lambda i, a, b: f'{{"words": "{a} {b}", "label": "{"xyz"[i % 3]}"}}',
                 ["x", "y", "z"]),
                ("b.csv", "a,b,label", lambda i, a, b: f"{a},{b},{i % 2 + 3}", ["3", "4"]),
                ("c.csv", "sentence,label", lambda i, a, b: f"{a} {b},{i}.5", ["LABEL_0"])]:
            with self.subTest(name):
                path = self.pairs(name, heading, row)
                self.succeeds("glue", "--train-file", path, "--validation-file", path, "--max-steps", 1)
                config = self.results("config.json")
                self.assertEqual(list(config.get("id2label", {"0": "LABEL_0"}).values()), wanted)
                self.assertIn("eval_mse" if name == "c.csv" else "eval_accuracy", self.results("eval_results.json"))

    def test_classes_keep_the_order_of_the_model(self):
        train = self.mrpc()
        self.succeeds("glue", "--task", "mrpc", "--train-file", train, "--max-steps", 1)
        config = self.results("config.json")
        config["id2label"], config["label2id"] = {"0": "Equivalent", "1": "not_equivalent"}, {"Equivalent": 0, "not_equivalent": 1}
        (self.work / "out").rename(self.work / "model")
        (self.work / "model/config.json").write_text(json.dumps(config))
        self.succeeds("glue", "--task", "mrpc", "--train-file", train, "--max-steps", 1, model=self.work / "model")
        self.assertEqual(self.results("config.json")["id2label"]["0"], "Equivalent")

    def test_what_is_wrong_is_named(self):
        wrong = self.put("wrong.csv", 'label,sentence1,sentence2\n1,"a\nb",c\n7,a,b\n')
        self.fails("wrong.csv', line 4, column 'label': the class '7', expected equivalent or not_equivalent", "glue", "--task", "mrpc",
                   "--train-file", wrong)
        gap = self.put("gap.tsv", "sentence1\tsentence2\tscore\na\tb\t1.5\na\tb\t\n")
        self.fails("gap.tsv', line 3, column 'score': not a number", "glue", "--task", "stsb", "--train-file", gap)
        names = self.put("names.csv", "label,first,second\n1,a,b\n")
        self.fails("names.csv', line 1: no column 'sentence1', got label, first, second", "glue", "--task", "mrpc", "--train-file", names)
        ragged = self.put("ragged.tsv", "sentence\tlabel\na\t1\nb\n")
        self.fails("ragged.tsv', line 3", "glue", "--task", "sst2", "--train-file", ragged)
        empty = self.put("empty.csv", "label,sentence1,sentence2\n")
        self.fails("empty.csv'", "glue", "--train-file", empty)
        self.fails("there is no task 'hans', expected cola", "glue", "--task", "hans", "--train-file", names, code=2)
        self.fails("no data, expected --train-file", "glue", "--task", "mrpc", code=2)
        self.fails("expected NAME=VALUE", "glue", "--train-file", self.mrpc(), "--config-overrides", "x", code=2)
        self.fails("nowhere.csv", "glue", "--train-file", "nowhere.csv")


class SquadTest(FineTuneTest):
    CONTEXT = "a b c d e f g h a é c"

    def question(self, i, answer):
        start = self.CONTEXT.index(answer) if answer else 0
        return {"id": f"q{i}", "question": "a b ?", "answers": [{"text": answer, "answer_start": start}] if answer else []}

    def official(self, name, answers, **more):
        qas = [self.question(i, answer) | more for i, answer in enumerate(answers)]
        data = [{"title": "x", "paragraphs": [{"context": self.CONTEXT, "qas": qas}]}]
        return self.put(name, json.dumps({"version": "1.1", "data": data}, indent=1))

    def test_version_1(self):
        train = self.official("train.json", ["c d", "é", "e", "a"])
        out = self.succeeds("squad", "--train-file", train, "--validation-file", train, "--epochs", 1, "--max-seq-length", 12,
                            "--doc-stride", 2, "--n-best-size", 4, "--config-overrides", "max_position_embeddings=16")
        self.assertRegex(out, r"  eval_exact_match +=")
        found = self.results("eval_results.json")
        self.assertLessEqual({"eval_exact_match", "eval_f1", "eval_samples", "epoch"}, set(found))
        self.assertGreater(found["eval_samples"], 4)  # rows, of which a question has several
        texts = self.results("eval_predictions.json")
        self.assertEqual(list(texts), ["q0", "q1", "q2", "q3"])
        best = self.results("eval_nbest_predictions.json")["q1"]
        self.assertEqual(best[0]["text"], texts["q1"])
        self.assertLessEqual(len(best), 4)
        self.assertFalse((self.work / "out/eval_null_odds.json").exists())

    def test_version_2_and_flat_rows(self):
        rows = [{"id": f"q{i}", "question": "b", "context": self.CONTEXT,
                 "answers": {"text": ["é"][:i % 2], "answer_start": [18][:i % 2]}} for i in range(4)]
        for name, text in [("flat.json", json.dumps({"data": rows})), ("list.json", json.dumps(rows)),
                           ("lines.json", "\n".join(map(json.dumps, rows)))]:
            path = self.put(name, text)
            self.succeeds("squad", "--train-file", path, "--validation-file", path, "--test-file", path, "--max-steps", 1,
                          "--version-2-with-negative", "--null-score-diff-threshold", -100, "--no-pad-to-max-length",
                         "--max-seq-length", 16, "--doc-stride", 4)
            found = self.results("eval_results.json")
            self.assertEqual((found["eval_total"], found["eval_HasAns_total"], found["eval_NoAns_total"]), (4, 2, 2))
            self.assertEqual(set(self.results("predict_predictions.json").values()), {""})
            self.assertEqual((found["eval_NoAns_f1"], found["eval_exact"]), (100, 50))
            self.assertEqual(len(self.results("eval_null_odds.json")), 4)

    def test_what_is_wrong_is_named(self):
        train = self.official("good.json", ["c"])
        self.fails("'nowhere.json'", "squad", "--train-file", "nowhere.json")
        self.fails("broken.json', line 2, column 2: not JSON", "squad", "--train-file",
                   self.put("broken.json", '{"id": "1", "question": "a", "context": "b"}\n{x'))
        self.fails("no text \"id\"", "squad", "--train-file", self.put("no_id.json", '[{"question": "a"}]'))
        wrong = self.put("wrong.json", train.read_text().replace('"answer_start": 4', '"answer_start": 5'))
        self.fails("wrong.json', line 11, column 14: the answer \"c\" does not stand at character 5", "squad", "--train-file", wrong)
        far = self.put("far.json", train.read_text().replace('"answer_start": 4', '"answer_start": 21'))
        self.fails("begins at character 21, expected a place in its context of 21 characters", "squad", "--train-file", far)
        self.fails("has no answer", "squad", "--validation-file", self.official("none.json", [""]), "--max-seq-length", 16,
                   "--doc-stride", 4)
        self.fails("no data", "squad", code=2)
        self.fails("stride", "squad", "--train-file", train, "--max-seq-length", 8, "--doc-stride", 8)


class NerTest(FineTuneTest):
    def sentences(self, name):
        rows = [{"tokens": ["a", "bc", "d", "e"], "ner_tags": ["B-PER", "I-PER", "O", "B-LOC"]}, {"tokens": ["f"], "ner_tags": ["O"]}] * 3
        return self.put(name, "\n".join(map(json.dumps, rows)) + "\n")

    def test_lines_of_json_and_conll(self):
        conll = self.put("eng.train", "-DOCSTART- -X- O O\n\na NN B-PER\nbc NN I-PER\nd . O\ne NN B-LOC\n\nf X O\n" * 3)
        for path in (self.sentences("train.json"), conll):
            out = self.succeeds("ner", "--train-file", path, "--validation-file", path, "--test-file", path, "--epochs", 1, "--batch", 4)
            self.assertRegex(out, r"  eval_f1 +=")
            found = self.results("eval_results.json")
            self.assertLessEqual({"eval_accuracy", "eval_f1", "eval_loss", "eval_precision", "eval_recall"}, set(found))
            self.assertEqual(found["eval_samples"], 6)
            self.assertEqual(list(self.results("config.json")["id2label"].values()), ["B-LOC", "B-PER", "I-PER", "O"])
            lines = (self.work / "out/predictions.txt").read_text().splitlines()
            self.assertEqual([len(line.split()) for line in lines], [4, 1] * 3)
        self.succeeds("ner", "--validation-file", conll, "--return-entity-level-metrics", "--label-all-tokens", model=self.work / "out")
        self.assertLessEqual({"eval_PER_f1", "eval_LOC_number", "eval_overall_f1"}, set(self.results("eval_results.json")))

    def test_what_is_wrong_is_named(self):
        few = self.put("few.json", '{"tokens": ["a"], "ner_tags": ["O"]}\n{"tokens": ["a", "b"], "ner_tags": ["O"]}\n')
        self.fails("few.json', line 2, column 'ner_tags': 1 tags, expected one for each of the 2 words", "ner", "--train-file", few)
        self.fails("bad.conll', line 3, column 2: a word without a tag", "ner", "--train-file", self.put("bad.conll", "a O\n\nb\n"))
        other = self.put("other.conll", "a O\nb B-X\n")
        self.fails("other.conll', sentence 1, word 2, 'b': the tag 'B-X', expected B-LOC, B-PER, I-PER, O", "ner", "--train-file",
                   self.sentences("train.json"), "--validation-file", other, "--max-steps", 1)
        self.fails("no column 'tokens'", "ner", "--train-file", self.put("x.json", '{"text": ["a"]}\n'))
        self.fails("no data", "ner", code=2)


class WritingTest(FineTuneTest):
    def model(self, name):
        """A golden model with the other's tokenizer, which knows fewer tokens."""
        folder = self.work / name
        shutil.copytree(GOLDEN / name, folder)
        for path in MODEL.glob("tokenizer*"):
            shutil.copy(path, folder)
        return folder

    def test_language_models(self):
        text = self.put("text.txt", "a b c d\n\nd e f g\r\n" * 12)
        table = self.put("text.json", '{"n": 1, "text": "a b c d e f"}\n' * 8)
        for command, model, path in [("clm", self.model("llama"), text), ("clm", self.model("gpt2"), table), ("mlm", MODEL, text)]:
            with self.subTest(model):
                out = self.succeeds(command, "--train-file", path, "--validation-file", path, "--block-size", 8, "--epochs", 2,
                                    "--learning-rate", 0.01, model=model)
                self.assertRegex(out, r"  perplexity +=|  eval_perplexity +=")
                found = self.results()
                self.assertAlmostEqual(found["eval_perplexity"], math.exp(found["eval_loss"]))
                losses = [one["loss"] for one in self.results("trainer_state.json")["log_history"]]
                self.assertLess(losses[-1], losses[0])
        self.fails("holds fewer than 16 tokens", "mlm", "--train-file", self.put("short.txt", "a b\n"), "--block-size", 16)

    def test_texts_about_texts(self):
        t5 = self.model("t5")
        # A text ends with the tokenizer's [SEP].
        settings = json.loads((t5 / "generation_config.json").read_text())
        tokens = json.loads((t5 / "tokenizer.json").read_text())["model"]["vocab"]
        (t5 / "generation_config.json").write_text(json.dumps(settings | {"eos_token_id": tokens["[SEP]"]}))
        table = self.put("train.csv", "text,summary\n" + "a b c d. e f,a b. c\nd e f,d\n" * 6)
        self.succeeds("summarization", "--train-file", table, "--validation-file", table, "--max-target-length", 8, "--epochs", 1,
                      "--source-prefix", "a ", "--num-beams", 2, "--eval-batch", 5, model=t5)
        found = self.results("eval_results.json")
        self.assertLessEqual({"eval_loss", "eval_gen_len", "eval_rouge1", "eval_rouge2", "eval_rougeL", "eval_rougeLsum"}, set(found))
        self.assertEqual(len((self.work / "out/generated_predictions.txt").read_text().splitlines()), 12)
        lines = self.put("train.json", '{"translation": {"en": "a b", "de": "c d"}}\n' * 6)
        self.succeeds("translation", "--train-file", lines, "--validation-file", lines, "--source-lang", "en", "--target-lang", "de",
                      "--max-target-length", 6, "--epochs", 60, "--learning-rate", 0.01, model=t5)
        # Learned by heart.
        self.assertEqual((self.work / "out/generated_predictions.txt").read_text(), "c d\n" * 6)
        self.assertEqual(self.results()["eval_gen_len"], 4)  # with [CLS] and [SEP]
        self.fails("no column 'translation.fr'", "translation", "--train-file", lines, "--source-lang", "fr", "--target-lang", "de", model=t5)
        self.fails("expected NAME=VALUE", "summarization", "--train-file", table, "--config-overrides", "x", code=2)


if __name__ == "__main__":
    TOOL, MODEL, GOLDEN = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
    unittest.main()

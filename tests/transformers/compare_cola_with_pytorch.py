#!/usr/bin/env python3
"""Fine-tunes one model on CoLA with the example `cola` and with PyTorch, and compares what they reach.

    python3 -m venv V && V/bin/pip install torch==2.15.0 transformers==5.23.0 safetensors==0.8.0
    ninja -C build/release cola
    V/bin/python tests/transformers/compare_cola_with_pytorch.py build/release/bin/cola .deps/minilm train.tsv steps
    V/bin/python tests/transformers/compare_cola_with_pytorch.py build/release/bin/cola .deps/minilm train.tsv seeds

`steps`: the same weights, batches and order, no dropout: the losses of 100 steps must be within 1e-3 of each other.
`seeds`: 3 epochs with dropout and shuffling by 5 seeds: the means of accuracy and of AUC on the tenth that is held back
must be within 0.02. Takes about an hour on two processors. Without the packages it says so and ends with 77.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
    import transformers
except ImportError as error:
    print(f"SKIPPED: {error}; see the head of this file", file=sys.stderr)
    sys.exit(77)


def read(path):
    """(sentences, labels) to train with, and held back, as the example divides them."""
    rows = [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8")]
    rows = [(row[3], int(row[1])) if len(row) == 4 else (row[0], int(row[1])) for row in rows]
    held_back = rows[9::10]
    train = [row for i, row in enumerate(rows) if i % 10 != 9]
    return train, held_back


def start(folder, seed, dropout, target):
    """A model with a new head, saved where both start from."""
    torch.manual_seed(seed)
    fields = {} if dropout is None else {"hidden_dropout_prob": dropout, "attention_probs_dropout_prob": dropout}
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder, num_labels=2, **fields)
    model.save_pretrained(target)
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json"):
        if (pathlib.Path(folder) / name).exists():
            shutil.copy(pathlib.Path(folder) / name, target)
    return model


class Batches:
    def __init__(self, folder, rows):
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.rows = rows

    def batch(self, which):
        texts = [self.rows[i][0] for i in which]
        inputs = self.tokenizer(texts, padding=True, truncation=True, max_length=512, return_tensors="pt")
        return inputs, torch.tensor([self.rows[i][1] for i in which])


def train(model, batches, order, options):
    """Trains on the rows in this order; returns the losses."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.learning_rate, eps=1e-8, weight_decay=0.01, fused=True)
    model.train()
    losses = []
    for at in range(0, len(order), options.batch):
        inputs, labels = batches.batch(order[at:at + options.batch])
        loss = torch.nn.functional.cross_entropy(model(**inputs).logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def scores(model, batches):
    """(accuracy, area under the ROC curve by ranks)."""
    model.eval()
    chances = []
    with torch.no_grad():
        for at in range(0, len(batches.rows), 64):
            inputs, _ = batches.batch(range(at, min(at + 64, len(batches.rows))))
            chances.append(torch.softmax(model(**inputs).logits, -1)[:, 1].numpy())
    chances, labels = np.concatenate(chances), np.array([label for _, label in batches.rows])
    positive, negative = chances[labels == 1], chances[labels == 0]
    pairs = (positive[:, None] > negative[None, :]).mean() + 0.5 * (positive[:, None] == negative[None, :]).mean()
    return ((chances > 0.5) == labels).mean(), pairs


def ours(options, folder, *arguments):
    with tempfile.TemporaryDirectory() as cache:
        result = pathlib.Path(cache) / "result.json"
        subprocess.run([options.program, "--model", folder, "--data", options.data, "--cache", cache, "--json", result,
                        "--batch", str(options.batch), "--learning-rate", str(options.learning_rate), *arguments],
                       check=True)
        return json.loads(result.read_text())


def compare_steps(options):
    rows, _ = read(options.data)
    with tempfile.TemporaryDirectory() as folder:
        model = start(options.model, 1, 0.0, folder)
        order = list(range(len(rows)))[:options.steps * options.batch]
        want = np.array(train(model, Batches(folder, rows), order, options))
        got = np.array(ours(options, folder, "--file-order", "--dropout", "0", "--steps", str(options.steps))["losses"])
    off = np.abs(want - got)
    for i in range(0, len(want), max(1, len(want) // 10)):
        print(f"step {i}: PyTorch {want[i]:.6f}, ours {got[i]:.6f}")
    print(f"{len(want)} steps: losses differ by at most {off.max():.2e}, {np.median(off):.2e} in the median")
    return off.max() > 1e-3


def compare_seeds(options):
    rows, held_back = read(options.data)
    table = []
    for seed in range(1, options.seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            model = start(options.model, seed, None, folder)
            random = np.random.default_rng(seed)
            order = [int(i) for _ in range(options.epochs) for i in random.permutation(len(rows))]
            train(model, Batches(folder, rows), order, options)
            want = scores(model, Batches(folder, held_back))
            result = ours(options, folder, "--epochs", str(options.epochs), "--seed", str(seed))
        table.append([*want, result["accuracy"], result["auc"]])
        print("seed {}: PyTorch accuracy {:.4f}, AUC {:.4f}; ours {:.4f}, {:.4f}".format(seed, *table[-1]), flush=True)
    mean = np.mean(table, axis=0)
    print("mean: PyTorch accuracy {:.4f}, AUC {:.4f}; ours {:.4f}, {:.4f}".format(*mean))
    return max(abs(mean[0] - mean[2]), abs(mean[1] - mean[3])) > 0.02


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("model")
    parser.add_argument("data")
    parser.add_argument("what", choices=["steps", "seeds"])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--learning-rate", type=float, default=2e-5)
    options = parser.parse_args()
    return 1 if (compare_steps if options.what == "steps" else compare_seeds)(options) else 0


sys.exit(main())

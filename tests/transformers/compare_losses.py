#!/usr/bin/env python3
"""Fine-tunes MiniLM on CoLA for 100 steps in PyTorch and here: same weights, order and batches, no dropout.

    python tests/transformers/compare_losses.py MINILM_FOLDER COLA_TRAIN_TSV build/release/bin/fine_tune_steps

Prints the largest difference of the losses; exit code 1 where it is above 1e-3. torch 2.15, transformers 5.23.
"""
import pathlib
import subprocess
import sys
import tempfile

import torch
import transformers
from safetensors.torch import save_file

STEPS, BATCH, TOKENS, RATE, DECAY = 100, 32, 64, 3e-5, 0.01

folder, table, program = sys.argv[1:4]
rows = [line.rstrip("\n").split("\t") for line in open(table, encoding="utf-8")][:STEPS * BATCH]
sentences, labels = [row[0] for row in rows], [int(row[-1]) for row in rows]
tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
encoded = tokenizer(sentences, padding="max_length", truncation=True, max_length=TOKENS, return_tensors="pt")
shape = (STEPS, BATCH, TOKENS)
batches = {"input_ids": encoded["input_ids"].reshape(shape).contiguous(),
           "attention_mask": encoded["attention_mask"].reshape(shape).contiguous(),
           "labels": torch.tensor(labels).reshape(STEPS, BATCH)}

torch.manual_seed(0)
model = transformers.AutoModelForSequenceClassification.from_pretrained(
    folder, num_labels=2, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, dtype=torch.float32).train()
with tempfile.TemporaryDirectory() as scratch:
    start = pathlib.Path(scratch) / "start"
    model.save_pretrained(start)
    save_file(batches, pathlib.Path(scratch) / "batches.safetensors")
    ours = subprocess.run([program, str(start), f"{scratch}/batches.safetensors"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.split()
optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY, eps=1e-8)
largest = 0
for step in range(STEPS):
    loss = model(**{name: value[step] for name, value in batches.items()}).loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    largest = max(largest, abs(loss.item() - float(ours[step])))
    if step % 10 == 0 or step == STEPS - 1:
        print(f"step {step}: PyTorch {loss.item():.6f}, here {float(ours[step]):.6f}", flush=True)
print(f"largest difference of {STEPS} losses: {largest:.2e}")
sys.exit(0 if largest <= 1e-3 else 1)

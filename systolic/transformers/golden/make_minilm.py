#!/usr/bin/env python3
"""What `transformers` computes with the real weights of MiniLM-L6 (sentence-transformers/all-MiniLM-L6-v2).

    python systolic/transformers/golden/make_minilm.py FOLDER        # FOLDER/config.json, model.safetensors, tokenizer.json

Writes minilm/expected.safetensors: ids of two sentences, the last hidden states and the pooled outputs, f32.
"""
import pathlib
import sys

import torch
import transformers
from safetensors.torch import save_file

SENTENCES = ["The sailors rode the breeze clear of the rocks.", "Weights are read, never run!"]

folder = sys.argv[1]
batch = transformers.AutoTokenizer.from_pretrained(folder)(SENTENCES, padding=True, return_tensors="pt")
model = transformers.AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
with torch.no_grad():
    outputs = model(**batch)
to = pathlib.Path(__file__).resolve().parent / "minilm"
to.mkdir(exist_ok=True)
save_file({"Model.last_hidden_state": outputs.last_hidden_state.contiguous(),
           "Model.pooler_output": outputs.pooler_output, **dict(batch)}, to / "expected.safetensors")

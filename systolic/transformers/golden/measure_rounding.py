#!/usr/bin/env python3
"""How far `transformers` in f32 is from itself in f64 on the golden models: what the tests' tolerances follow from.

    python systolic/transformers/golden/measure_rounding.py [FOLDER_OF_MINILM]      # transformers 5.23, torch 2.15

Prints the largest difference of outputs and of losses, absolute.
"""
import contextlib
import sys
import unittest.mock

import safetensors.torch
import torch
import transformers

import make_long_inputs
import make_models


@contextlib.contextmanager
def constants_in_f64():
    """XLNet makes its positions' waves by float()."""
    torch.set_default_dtype(torch.float64)
    with unittest.mock.patch.object(torch.Tensor, "float", torch.Tensor.double):
        yield
    torch.set_default_dtype(torch.float32)


def difference(kind, where, exact, golden):
    """Of a value of the golden files from the same in f64; but for masked logits of -1e6, which f32 rounds to 0.06."""
    found = (exact.double() - golden.double()).abs()[golden.abs() < 1e5].max().item()
    largest[kind] = max(largest.get(kind, (0, "")), (found, where))


def measure_heads(model_type):
    folder = make_models.HERE / model_type
    expected = safetensors.torch.load_file(folder / "expected.safetensors")
    inputs = {name: value.double() if value.is_floating_point() else value
              for name, value in make_models.inputs_of(model_type).items()}
    for head in make_models.MODELS[model_type][2]:
        key = head.removesuffix("Simple")
        fields = {"num_labels": 2} if head.startswith("ForQuestionAnswering") else {}
        if make_models.is_decoder(model_type, head):
            fields["is_decoder"] = True
        kind = make_models.class_of(model_type, head)
        model = kind.from_pretrained(folder, **fields).double().eval()
        with torch.no_grad(), constants_in_f64():
            outputs = model(**inputs, **make_models.labels_of(key))
        for name in make_models.OUTPUTS:
            if outputs.get(name) is not None:
                difference("outputs", f"{model_type} {key}.{name}", outputs[name], expected[f"{key}.{name}"])
        if make_models.labels_of(key):
            difference("losses", f"{model_type} {key}", outputs.loss, expected[f"{key}.loss"])


def measure_long_inputs(values):
    golden = values()
    with constants_in_f64():
        exact = values(torch.float64)
    for name, value in golden.items():
        difference("losses" if name.endswith("loss") else "outputs", name, exact[name].detach(), value.detach())


def measure_minilm(folder):
    expected = safetensors.torch.load_file(make_models.HERE / "minilm" / "expected.safetensors")
    model = transformers.AutoModel.from_pretrained(folder, dtype=torch.float64).eval()
    with torch.no_grad():
        outputs = model(**{name: value for name, value in expected.items() if "." not in name})
    tokens = expected["attention_mask"] != 0
    hidden = "last_hidden_state"
    difference("outputs of MiniLM", hidden, outputs[hidden][tokens], expected[f"Model.{hidden}"][tokens])
    difference("outputs of MiniLM", "pooler_output", outputs.pooler_output, expected["Model.pooler_output"])


largest = {}
transformers.logging.set_verbosity_error()
for one in make_models.MODELS:
    measure_heads(one)
measure_long_inputs(make_long_inputs.streams)
measure_long_inputs(make_long_inputs.sparse)
for one in sys.argv[1:]:
    measure_minilm(one)
for kind, (found, where) in largest.items():
    print(f"{kind}: {found:.2g} {where}")

#!/usr/bin/env python3
"""What `transformers` writes with the encoder-decoders of make_seq2seq.py, and with GPT-2, token by token and by beams.

    python systolic/transformers/golden/make_beams.py      # transformers 5.23, torch 2.15

MODEL_TYPE/beams.safetensors holds the texts of each case below and "eos_token_id", the token that ends them. Each case
gives the same in f64: none of them hangs on rounding.
"""
import copy
import sys

import torch
import transformers
from safetensors.torch import load_file, save_file

import make_generated
import make_models

NEW_TOKENS = 10
# Name of the result: what generate() is called with.
CASES = {
    "greedy": dict(),
    "penalized": dict(repetition_penalty=1.5, min_new_tokens=6),
    "beams": dict(num_beams=4),
    "three": dict(num_beams=4, num_return_sequences=3, length_penalty=2.0),
    "shorter": dict(num_beams=3, length_penalty=-1.0),
    "stops": dict(num_beams=3, early_stopping=True),
    "never": dict(num_beams=3, early_stopping="never", length_penalty=0.5),
    "no_pairs": dict(num_beams=3, no_repeat_ngram_size=2, min_length=6),
    "forced": dict(num_beams=2, forced_bos_token_id=9, forced_eos_token_id=7),
    "penalized_beams": dict(num_beams=3, repetition_penalty=1.5),
}


def generate(model, inputs, options):
    outputs = []
    for dtype in (torch.float32, torch.float64):
        converted = copy.deepcopy(model).to(dtype)
        outputs.append(converted.generate(**inputs, do_sample=False, **options))
    assert torch.equal(*outputs), (options, outputs)
    return outputs[0]


def make(model_type, model, inputs, more_cases):
    padding = model.config.pad_token_id
    common = dict(max_new_tokens=NEW_TOKENS, pad_token_id=padding)
    # A token that texts really end with: what the last text has in fourth place.
    free = generate(model, inputs, dict(common, eos_token_id=59 if padding != 59 else 58))
    end = int(free[-1, free.shape[1] - NEW_TOKENS + 3])
    result = {"eos_token_id": torch.tensor([end])}
    for name, options in CASES.items():
        result[name] = generate(model, inputs, dict(common, eos_token_id=end, **options))
        print(model_type, name, result[name].tolist())
    for name, (more_inputs, options) in more_cases.items():
        result[name] = generate(model, dict(inputs, **more_inputs), dict(common, eos_token_id=end, **options))
        print(model_type, name, result[name].tolist())
    folder = make_models.HERE / model_type
    save_file({name: value.clone().contiguous() for name, value in result.items()}, folder / "beams.safetensors")


def make_seq2seq(model_type):
    folder = make_models.HERE / model_type
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=torch.float32).eval()
    values = load_file(folder / "expected.safetensors")
    inputs = {name: values[name] for name in ("input_ids", "attention_mask")}
    written = values["decoder_input_ids"][:, :3].clone()
    written[:, 0] = model.config.decoder_start_token_id
    make(model_type, model, inputs, {"written": (dict(decoder_input_ids=written), dict(num_beams=3))})


if __name__ == "__main__":
    for name in sys.argv[1:] or ("t5", "mt5", "bart", "marian", "marian_separate"):
        make_seq2seq(name)
    if sys.argv[1:]:
        sys.exit()
    values = load_file(make_models.HERE / "gpt2" / "generated.safetensors")
    make("gpt2", make_generated.untied_model("gpt2"),
         {name: values[name] for name in ("input_ids", "attention_mask")}, {})

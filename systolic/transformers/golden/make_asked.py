#!/usr/bin/env python3
"""What `transformers` gives of the models of make_models.py and make_seq2seq.py besides their usual outputs, and for
inputs that are not the usual ones: MODEL_TYPE/asked.safetensors.

    python systolic/transformers/golden/make_asked.py [MODEL_TYPE...]      # transformers 5.23, torch 2.15

"hidden_states.0" and "attentions.0" are of the usual inputs, the first two rows of expected.safetensors.
"by_position" is the last hidden state with position_ids, "by_vectors" that of inputs_embeds, "by_pairs" that of
attention_mask [rows, tokens, tokens], which is given as `mask_of_pairs`.
"""
import pathlib
import sys

import torch
import transformers
from safetensors.torch import load_file, save_file

import make_models

HERE = pathlib.Path(__file__).resolve().parent
ROWS = 2

ENCODERS = ["albert", "bert", "big_bird", "distilbert", "electra", "roberta", "xlm-roberta-xl", "mpnet", "deberta_v2",
            "deberta_v2_conv", "modernbert", "longformer_global"]
DECODERS = ["gpt2", "llama", "gemma2", "phi", "mistral"]
PICTURES = ["vit", "beit", "dinov2", "clip_vision_model", "siglip_vision_model"]
WRITERS = ["t5", "bart"]
OTHERS = ["xlnet", "clip_text_model"]
STAGES = ["resnet", "convnext", "swin"]  # of which only the states are given
STATES_ALONE = STAGES + ["longformer_global"]


def is_text(name):
    return name in ENCODERS + DECODERS


def inputs_of(model, name):
    stored = load_file(HERE / name / "expected.safetensors")
    names = ["input_ids", "attention_mask", "token_type_ids", "global_attention_mask", "pixel_values", "decoder_input_ids"]
    taken = {key: stored[key][:ROWS] for key in names if key in stored}
    if "pixel_values" in taken:
        taken["pixel_values"] = taken["pixel_values"].movedim(-1, 1)
    return taken


def listed(outputs):
    kinds = ["hidden_states", "attentions", "encoder_hidden_states", "encoder_attentions", "decoder_hidden_states",
             "decoder_attentions", "cross_attentions"]
    return {f"{kind}.{i}": value for kind in kinds for i, value in enumerate(outputs.get(kind) or [])}


def pairs_of(tokens, seed):
    seen = torch.rand(ROWS, tokens, tokens, generator=torch.Generator().manual_seed(seed)) < 0.6
    return seen | torch.eye(tokens, dtype=torch.bool)


def other_inputs(model, name, taken):
    tokens = taken["input_ids"].shape[1]
    generator = torch.Generator().manual_seed(5)
    given = {"position_ids": torch.randint(2, 23, (ROWS, tokens), generator=generator),
             "inputs_embeds": torch.randn(ROWS, tokens, model.get_input_embeddings().embedding_dim, generator=generator),
             "mask_of_pairs": pairs_of(tokens, 6).long()}
    without_ids = {key: value for key, value in taken.items() if key != "input_ids"}
    result = {"by_position": model(**taken, position_ids=given["position_ids"]),
              "by_vectors": model(**without_ids, inputs_embeds=given["inputs_embeds"])}
    if name.startswith(("deberta", "longformer")):  # its embeddings, or its windows, fail on such a mask
        del given["mask_of_pairs"]
    else:
        mask = torch.where(given["mask_of_pairs"].bool(), 0.0, torch.finfo(torch.float32).min)[:, None]
        result["by_pairs"] = model(**dict(taken, attention_mask=mask))
    return dict(given, **{key: value.last_hidden_state for key, value in result.items()})


def make(name):
    full = {"attention_type": "original_full"} if name == "big_bird" else {}
    model = transformers.AutoModel.from_pretrained(HERE / name, dtype=torch.float32, attn_implementation="eager", **full).eval()
    taken = inputs_of(model, name)
    with torch.no_grad():
        kept = listed(model(**taken, output_hidden_states=True, **({} if name in STATES_ALONE else {"output_attentions": True})))
        if is_text(name):
            kept.update(other_inputs(model, name, taken))
    save_file({key: make_models.channels_last(value).clone() if name in STAGES else value.contiguous().clone() for key, value in kept.items()}, HERE / name / "asked.safetensors")
    print(name, len(kept), (HERE / name / "asked.safetensors").stat().st_size)


if __name__ == "__main__":
    for one in sys.argv[1:] or ENCODERS + DECODERS + PICTURES + WRITERS + OTHERS + STAGES:
        make(one)

#!/usr/bin/env python3
"""Small models of each architecture as `transformers` saves them, with what it computes.

    python systolic/transformers/golden/make_models.py [MODEL_TYPE...]      # transformers 5.23, torch 2.15

MODEL_TYPE/model.safetensors holds the body and the weights of all heads, in f16; expected.safetensors the inputs, each
head's outputs and its loss for the labels, computed in f32 from these weights. untied.safetensors has what the head of
a language model holds besides where tie_word_embeddings is false, with its logits and its loss. ForCausalLM of an
encoder is with is_decoder = true, which config.json does not say.
"""
import json
import pathlib
import sys

import torch
import transformers
from safetensors.torch import save_file
from transformers.core_model_loading import revert_weight_conversion

HERE = pathlib.Path(__file__).resolve().parent
TOKENS, ROWS, VOCABULARY, LABELS = 11, 3, 60, 3

SIZES = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37,
             max_position_embeddings=24)
PICTURE_SIZES = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=37)
TEXT_HEADS = ["Model", "ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering", "ForMaskedLM"]
DECODER_HEADS = TEXT_HEADS + ["ForCausalLM"]

LLAMA_HEADS = ["Model", "ForSequenceClassification", "ForTokenClassification", "ForCausalLM"]
# A token that pads may see nothing through its window: eager attention then gives the mean of all, as we do.
LLAMA_SIZES = dict(SIZES, num_key_value_heads=2, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                   attn_implementation="eager")
WINDOWS = ["sliding_attention", "full_attention"]

OUTPUTS = ["last_hidden_state", "pooler_output", "logits", "start_logits", "end_logits", "cls_logits",
           "distillation_logits"]

# model_type: prefix of its classes, its configuration, its heads.
MODELS = {
    "albert": ("Albert", dict(SIZES, type_vocab_size=2, embedding_size=12, num_hidden_layers=4, num_hidden_groups=2,
                              inner_group_num=1), TEXT_HEADS),
    "bert": ("Bert", dict(SIZES, type_vocab_size=2), DECODER_HEADS),
    "distilbert": ("DistilBert", dict(dim=32, n_layers=2, n_heads=4, hidden_dim=37, max_position_embeddings=24),
                   TEXT_HEADS),
    "deit": ("DeiT", dict(PICTURE_SIZES, image_size=12, patch_size=[4, 6], qkv_bias=False, pooler_output_size=20,
                          pooler_act="relu"),
             ["Model", "ForImageClassification", "ForImageClassificationWithTeacher"]),
    "electra": ("Electra", dict(SIZES, type_vocab_size=2, embedding_size=12), TEXT_HEADS + ["ForPreTraining", "ForCausalLM"]),
    "gpt2": ("GPT2", dict(n_embd=32, n_layer=2, n_head=4, n_inner=37, n_positions=24, pad_token_id=0, bos_token_id=1,
                          eos_token_id=2, scale_attn_by_inverse_layer_idx=True), TEXT_HEADS[:4] + ["ForCausalLM"]),
    "llama": ("Llama", dict(LLAMA_SIZES, head_dim=12, attention_bias=True, mlp_bias=True,
                            rope_parameters=dict(rope_type="llama3", rope_theta=100.0, factor=8.0, low_freq_factor=1.0,
                                                 high_freq_factor=4.0, original_max_position_embeddings=16)), LLAMA_HEADS),
    "smollm3": ("SmolLM3", dict(LLAMA_SIZES, no_rope_layers=[0, 1], tie_word_embeddings=True), LLAMA_HEADS),
    "mistral": ("Mistral", dict(LLAMA_SIZES, sliding_window=4,
                                rope_parameters=dict(rope_type="yarn", rope_theta=100.0, factor=4.0, beta_fast=2.0,
                                                     beta_slow=0.5, original_max_position_embeddings=16)), LLAMA_HEADS),
    "qwen2": ("Qwen2", dict(LLAMA_SIZES, use_sliding_window=True, sliding_window=3, max_window_layers=1,
                            tie_word_embeddings=True,
                            rope_parameters=dict(rope_type="linear", rope_theta=10000.0, factor=2.0)), LLAMA_HEADS),
    "qwen3": ("Qwen3", dict(LLAMA_SIZES, head_dim=12), LLAMA_HEADS),
    "gemma": ("Gemma", dict(LLAMA_SIZES, head_dim=12), LLAMA_HEADS),
    "gemma2": ("Gemma2", dict(LLAMA_SIZES, head_dim=12, sliding_window=3, attn_logit_softcapping=2.0,
                              final_logit_softcapping=3.0, query_pre_attn_scalar=7),
               LLAMA_HEADS),
    "gemma3_text": ("Gemma3Text", dict(LLAMA_SIZES, head_dim=12, sliding_window=3, layer_types=WINDOWS),
                    ["Model", "ForSequenceClassification", "ForCausalLM"]),
    "phi": ("Phi", dict(LLAMA_SIZES, qk_layernorm=True), LLAMA_HEADS),
    "roberta": ("Roberta", dict(SIZES, type_vocab_size=1), DECODER_HEADS),
    "big_bird": ("BigBird", dict(SIZES, type_vocab_size=2, rescale_embeddings=True, sep_token_id=56), DECODER_HEADS),
    "vit": ("ViT", dict(PICTURE_SIZES, image_size=[12, 20], patch_size=4), ["Model", "ForImageClassification"]),
    "xlnet": ("XLNet", dict(d_model=32, n_layer=2, n_head=4, d_inner=37, type_vocab_size=2),
              TEXT_HEADS[:3] + ["ForQuestionAnsweringSimple", "ForCausalLM"]),
    "xlm-roberta": ("XLMRoberta", dict(SIZES, type_vocab_size=1, layer_norm_eps=1e-5), DECODER_HEADS),
    "camembert": ("Camembert", dict(SIZES, type_vocab_size=1, layer_norm_eps=1e-5), DECODER_HEADS),
}


def seeded(shape, seed, scale):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)) * scale


def moved(model, seed):
    """Away from what initializers give: no scale is 1, no shift 0; numbers that f16 holds."""
    with torch.no_grad():
        for number, parameter in enumerate(model.parameters()):
            parameter += seeded(parameter.shape, seed + number, 0.1)
            parameter.copy_(parameter.half().float())
    return model.eval()


def takes_pictures(model_type):
    return "image_size" in MODELS[model_type][1]


def pictures_of(model_type):
    size = MODELS[model_type][1]["image_size"]
    height, width = size if isinstance(size, list) else (size, size)
    return {"pixel_values": seeded((ROWS, 3, height, width), 7, 1)}


def inputs_of(model_type):
    if takes_pictures(model_type):
        return pictures_of(model_type)
    generator = torch.Generator().manual_seed(7)
    ids = torch.randint(5, VOCABULARY, (ROWS, TOKENS), generator=generator)
    mask = torch.ones(ROWS, TOKENS, dtype=torch.long)
    mask[1, 8:] = 0
    mask[2, 5:] = 0
    ids[mask == 0] = 1 if "oberta" in model_type else 0
    inputs = {"input_ids": ids, "attention_mask": mask}
    if "type_vocab_size" in MODELS[model_type][1]:
        types = MODELS[model_type][1]["type_vocab_size"]
        inputs["token_type_ids"] = (torch.arange(TOKENS) > 4).long().clamp(max=types - 1).expand(ROWS, TOKENS).contiguous()
    return inputs


def labels_of(head):
    if head in ("ForSequenceClassification", "ForImageClassification"):
        return {"labels": torch.tensor([0, 2, 1])}
    if head == "ForTokenClassification":
        labels = torch.arange(ROWS * TOKENS).reshape(ROWS, TOKENS) % LABELS
        labels[:, ::4] = -100
        return {"labels": labels}
    if head == "ForQuestionAnswering":
        return {"start_positions": torch.tensor([1, 0, 40]), "end_positions": torch.tensor([3, 10, 2])}
    if head == "ForPreTraining":
        labels = torch.arange(ROWS * TOKENS).reshape(ROWS, TOKENS) % 2
        labels[1, 8:] = labels[2, 5:] = -100  # padding
        return {"labels": labels}
    if head in ("ForMaskedLM", "ForCausalLM"):
        labels = torch.arange(ROWS * TOKENS).reshape(ROWS, TOKENS) % VOCABULARY
        labels[:, 1:] = torch.where(torch.arange(TOKENS - 1) % 3 == 0, labels[:, 1:], -100)
        return {"labels": labels}
    return {}


def config_of(model_type):
    common = {} if takes_pictures(model_type) else {"vocab_size": VOCABULARY}
    return transformers.AutoConfig.for_model(model_type, initializer_range=0.2, num_labels=LABELS, **common,
                                             **MODELS[model_type][1])


def is_decoder(model_type, head):
    """Of an encoder: what reads from left to right by itself is not told to."""
    return head == "ForCausalLM" and "ForMaskedLM" in MODELS[model_type][2]


def is_llama(model_type):
    """Whether it is Llama or one of its relatives."""
    return "num_key_value_heads" in MODELS[model_type][1]


def class_of(model_type, head):
    prefix = MODELS[model_type][0]
    older = getattr(transformers, prefix + "LMHeadModel", None) if head == "ForCausalLM" else None
    return older or getattr(transformers, prefix + head, None) or getattr(transformers, prefix.removesuffix("Text") + head)


def untied(model_type, head, config, weights, inputs):
    config = type(config).from_dict(dict(config.to_dict(), tie_word_embeddings=False))
    torch.manual_seed(99)
    model = moved(class_of(model_type, head)(config), 9000)
    model.load_state_dict(weights, strict=False)
    tensors = {name: value.half() for name, value in model.state_dict().items() if name not in weights}
    with torch.no_grad():
        outputs = model(**inputs, **labels_of(head))
    return dict(tensors, logits=outputs.logits.contiguous(), loss=outputs.loss)


def make(model_type):
    heads = MODELS[model_type][2]
    config = config_of(model_type)
    inputs = inputs_of(model_type)
    # Pictures lie there with their channels last.
    weights, expected = {}, {name: value.movedim(1, -1).contiguous() if value.ndim == 4 else value
                             for name, value in inputs.items()}
    for number, head in enumerate(heads):
        torch.manual_seed(number)
        key = head.removesuffix("Simple")
        config.problem_type = None
        config.num_labels = 2 if head.startswith("ForQuestionAnswering") else LABELS
        if is_decoder(model_type, head):
            config.is_decoder = True
        model = moved(class_of(model_type, head)(config), 1000 * number)
        front = f"{model.base_model_prefix}." if head == "Model" else ""
        model.load_state_dict(weights, strict=False)  # the body, and heads of the same name
        tied = model.all_tied_weights_keys
        weights.update({front + name: value for name, value in model.state_dict().items()
                        if front + name not in weights and name not in tied})
        with torch.no_grad():
            outputs = model(**inputs)
            for name in OUTPUTS:
                if outputs.get(name) is not None:
                    expected[f"{key}.{name}"] = outputs[name].contiguous()
            for name, value in labels_of(key).items():
                expected[f"{key}.{name}"] = value
            if labels_of(key):
                expected[f"{key}.loss"] = model(**inputs, **labels_of(key)).loss
    folder = HERE / model_type
    folder.mkdir(exist_ok=True)
    if is_decoder(model_type, heads[-1]):
        config.is_decoder = False
    for head in [head for head in ("ForMaskedLM", "ForCausalLM") if head in heads and not is_llama(model_type)][:1]:
        save_file(untied(model_type, head, config, weights, inputs), folder / "untied.safetensors")
    stored = revert_weight_conversion(model, weights)  # as save_pretrained names them
    unshared = {name: value.half().clone() for name, value in stored.items() if value.is_floating_point()}
    save_file(unshared, folder / "model.safetensors", {"format": "pt"})
    save_file({name: value.clone() for name, value in expected.items()}, folder / "expected.safetensors")
    config.num_labels = LABELS
    config.problem_type = None
    entries = config.to_diff_dict()
    entries.pop("transformers_version", None)
    (folder / "config.json").write_text(json.dumps(entries, indent=1) + "\n")
    print(model_type, sum((folder / name).stat().st_size for name in ("model.safetensors", "expected.safetensors")))


if __name__ == "__main__":
    for name in sys.argv[1:] or MODELS:
        make(name)

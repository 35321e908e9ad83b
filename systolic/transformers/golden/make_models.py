#!/usr/bin/env python3
"""Small models of each architecture as `transformers` saves them, with what it computes.

    python systolic/transformers/golden/make_models.py [MODEL_TYPE...]      # transformers 5.23, torch 2.15

MODEL_TYPE/model.safetensors holds the body and the weights of all heads, in f16; expected.safetensors the inputs, each
head's outputs and its loss for the labels, computed in f32 from these weights. untied.safetensors has what the head of
a language model holds besides where tie_word_embeddings is false, with its logits and its loss. ForCausalLM of an
encoder is with is_decoder = true, which config.json does not say.
"""
import inspect
import json
import pathlib
import sys

import torch
import transformers
from safetensors.torch import save_file
from transformers.core_model_loading import revert_weight_conversion
from transformers.models.deberta_v2.modeling_deberta_v2 import make_log_bucket_position

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

# Halves of CLIP and SigLIP: of the token that ends a text, ids are the last; SigLIP's do without.
TEXT_HALF = dict(vocab_size=VOCABULARY, hidden_size=32, intermediate_size=37, num_hidden_layers=2, num_attention_heads=4,
                 max_position_embeddings=24, pad_token_id=0, bos_token_id=58, eos_token_id=59)
CLIP_TEXT = dict(TEXT_HALF, projection_dim=12)
PICTURE_HALF = dict(hidden_size=24, intermediate_size=37, num_hidden_layers=2, num_attention_heads=4, image_size=12,
                    patch_size=4)
CLIP_PICTURE = dict(PICTURE_HALF, projection_dim=12)

# What else is to be known of a folder: its model type, where it is not named like it; height and width, where they are
# not image_size; what the call is given besides; whether its configuration has halves, and what its body is called in
# weights.
OTHERS = {
    "dinov2": dict(pictures=(16, 8)),
    "dinov2_swiglu": dict(type="dinov2"),
    "resnet": dict(pictures=(33, 48)),
    "convnext": dict(pictures=(16, 24)),
    "clip": dict(halves=True, front=""),
    "clip_text_model": dict(front="text_model."),
    "clip_text_old": dict(type="clip_text_model", front="text_model."),
    "clip_vision_model": dict(front="vision_model.", pictures=(12, 12)),
    "clip_vision_other_size": dict(type="clip_vision_model", front="vision_model.", pictures=(8, 16),
                                   call=dict(interpolate_pos_encoding=True)),
    "siglip": dict(halves=True, front=""),
    "siglip_text_model": dict(front="text_model."),
    "siglip_vision_model": dict(front="vision_model.", pictures=(12, 12)),
    "deberta_v2": dict(type="deberta-v2"),
    "deberta_v2_conv": dict(type="deberta-v2"),
    "deberta_v2_one_way": dict(type="deberta-v2"),
    "beit_shared": dict(type="beit"),
    "beit_other_size": dict(type="beit", pictures=(20, 8), call=dict(interpolate_pos_encoding=True)),
    "beit_shared_other_size": dict(type="beit", pictures=(16, 24), call=dict(interpolate_pos_encoding=True)),
    "longformer_global": dict(type="longformer"),
    "modernbert_answers": dict(type="modernbert"),
    "modernbert_mean": dict(type="modernbert"),
    "swin": dict(pictures=(26, 20)),
    "swin_absolute": dict(type="swin"),
    "vit_other_size": dict(type="vit", pictures=(8, 20), call=dict(interpolate_pos_encoding=True)),
}
PICTURE_HEADS = ["Model", "ForImageClassification"]

OUTPUTS = ["last_hidden_state", "pooler_output", "logits", "start_logits", "end_logits", "cls_logits",
           "distillation_logits", "logits_per_image", "logits_per_text", "text_embeds", "image_embeds"]

# model_type: prefix of its classes, its configuration, its heads.
MODELS = {
    "albert": ("Albert", dict(SIZES, type_vocab_size=2, embedding_size=12, num_hidden_layers=4, num_hidden_groups=2,
                              inner_group_num=1), TEXT_HEADS),
    "bert": ("Bert", dict(SIZES, type_vocab_size=2), DECODER_HEADS),
    "distilbert": ("DistilBert", dict(dim=32, n_layers=2, n_heads=4, hidden_dim=37, max_position_embeddings=24),
                   TEXT_HEADS),
    "modernbert": ("ModernBert", dict(SIZES, num_hidden_layers=3, local_attention=4, pad_token_id=0, bos_token_id=1,
                                      eos_token_id=2, cls_token_id=1, sep_token_id=2, attn_implementation="eager"),
                   ["Model", "ForSequenceClassification", "ForTokenClassification", "ForMaskedLM"]),
    "modernbert_answers": ("ModernBert", dict(SIZES, local_attention=4, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1,
                                              sep_token_id=2, attn_implementation="eager"), ["Model", "ForQuestionAnswering"]),
    "modernbert_mean": ("ModernBert", dict(SIZES, classifier_pooling="mean", norm_bias=True, mlp_bias=True, pad_token_id=0,
                                           attention_bias=True, classifier_bias=True, decoder_bias=False, bos_token_id=1,
                                           layer_types=WINDOWS, eos_token_id=2, cls_token_id=1, sep_token_id=2,
                                           local_attention=6, attn_implementation="eager"),
                        ["Model", "ForSequenceClassification", "ForTokenClassification", "ForMaskedLM"]),
    "mpnet": ("MPNet", dict(SIZES), TEXT_HEADS),
    # Windows of each layer; then one of all, and tokens that are said to see all.
    "longformer": ("Longformer", dict(SIZES, type_vocab_size=1, attention_window=[4, 6]), TEXT_HEADS),
    "longformer_global": ("Longformer", dict(SIZES, type_vocab_size=2, attention_window=4), TEXT_HEADS),
    # Version 3 as published, but smaller: logarithmic distances that a text of eleven tokens reaches, and the head of a
    # language model that has its own names; then version 2's convolution and shared projections.
    "deberta_v2": ("DebertaV2", dict(SIZES, type_vocab_size=0, relative_attention=True, position_buckets=6,
                                     max_relative_positions=-1, norm_rel_ebd="layer_norm", share_att_key=True,
                                     pos_att_type=["p2c", "c2p"], position_biased_input=False), TEXT_HEADS),
    "deberta_v2_conv": ("DebertaV2", dict(SIZES, type_vocab_size=2, relative_attention=True, conv_kernel_size=3,
                                          conv_act="gelu", conv_groups=2, pos_att_type=["p2c", "c2p"], embedding_size=12,
                                          max_relative_positions=4, pooler_dropout=0.1, cls_dropout=0.2), TEXT_HEADS),
    "deberta_v2_one_way": ("DebertaV2", dict(SIZES, relative_attention=True, position_buckets=8, max_relative_positions=9,
                                             pos_att_type=["c2p"], legacy=False), TEXT_HEADS),
    "xlm-roberta-xl": ("XLMRobertaXL", dict(SIZES, type_vocab_size=1), DECODER_HEADS),
    "deit": ("DeiT", dict(PICTURE_SIZES, image_size=12, patch_size=[4, 6], qkv_bias=False, pooler_output_size=20,
                          pooler_act="relu"),
             ["Model", "ForImageClassification", "ForImageClassificationWithTeacher"]),
    "clip": ("CLIP", dict(text_config=CLIP_TEXT, vision_config=CLIP_PICTURE, projection_dim=14), PICTURE_HEADS),
    "clip_text_model": ("CLIPText", CLIP_TEXT, ["Model", "ModelWithProjection"]),
    "clip_text_old": ("CLIPText", dict(CLIP_TEXT, eos_token_id=2), ["Model", "ModelWithProjection"]),
    "clip_vision_model": ("CLIPVision", CLIP_PICTURE, ["Model", "ModelWithProjection"]),
    "clip_vision_other_size": ("CLIPVision", CLIP_PICTURE, ["Model", "ModelWithProjection"]),
    "siglip": ("Siglip", dict(text_config=dict(TEXT_HALF, projection_size=24), vision_config=PICTURE_HALF), PICTURE_HEADS),
    "siglip_text_model": ("SiglipText", dict(TEXT_HALF, projection_size=20), ["Model"]),
    "siglip_vision_model": ("SiglipVision", PICTURE_HALF, ["Model"]),
    "swin": ("Swin", dict(image_size=16, patch_size=2, embed_dim=8, depths=[2, 2], num_heads=[2, 4], window_size=3,
                          mlp_ratio=2.0, drop_path_rate=0.0), PICTURE_HEADS),
    "swin_absolute": ("Swin", dict(image_size=12, patch_size=2, embed_dim=8, depths=[2, 2], num_heads=[2, 4], window_size=3,
                                   use_absolute_embeddings=True, qkv_bias=False, drop_path_rate=0.0), PICTURE_HEADS),
    # As fine-tuned, and the other way of each setting.
    "beit": ("Beit", dict(PICTURE_SIZES, image_size=12, patch_size=4, use_relative_position_bias=True, use_mask_token=True,
                          layer_scale_init_value=0.5, drop_path_rate=0.0), PICTURE_HEADS),
    "beit_shared": ("Beit", dict(PICTURE_SIZES, image_size=12, patch_size=4, use_shared_relative_position_bias=True,
                                 use_absolute_position_embeddings=True, layer_scale_init_value=0.0, use_mean_pooling=False,
                                 drop_path_rate=0.0), PICTURE_HEADS),
    "beit_other_size": ("Beit", dict(PICTURE_SIZES, image_size=12, patch_size=4, use_relative_position_bias=True, drop_path_rate=0.0),
                        PICTURE_HEADS),
    "beit_shared_other_size": ("Beit", dict(PICTURE_SIZES, image_size=12, patch_size=4, use_shared_relative_position_bias=True,
                                            use_absolute_position_embeddings=True, drop_path_rate=0.0), PICTURE_HEADS),
    "dinov2": ("Dinov2", dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, mlp_ratio=2, image_size=12,
                              patch_size=4, layerscale_value=0.5), PICTURE_HEADS),
    "dinov2_swiglu": ("Dinov2", dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, mlp_ratio=2, image_size=12,
                                     patch_size=4, use_swiglu_ffn=True, qkv_bias=False, use_mask_token=False), PICTURE_HEADS),
    "resnet": ("ResNet", dict(embedding_size=8, hidden_sizes=[16, 24], depths=[2, 1], hidden_act="gelu",
                              downsample_in_bottleneck=True), PICTURE_HEADS),
    "convnext": ("ConvNext", dict(num_stages=2, hidden_sizes=[8, 12], depths=[1, 2], layer_scale_init_value=0.5), PICTURE_HEADS),
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
    "vit_other_size": ("ViT", dict(PICTURE_SIZES, image_size=12, patch_size=4), PICTURE_HEADS),
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
        for number, (name, buffer) in enumerate(model.named_buffers()):
            if name.endswith("running_mean"):
                buffer.copy_(seeded(buffer.shape, seed + number, 0.1).half())
            if name.endswith("running_var"):
                buffer.copy_((1 + seeded(buffer.shape, seed + number, 0.1).abs()).half())
    return model.eval()


def takes_pictures(model_type):
    return "ForImageClassification" in MODELS[model_type][2] or "pictures" in OTHERS.get(model_type, {})


def has_halves(model_type):
    return OTHERS.get(model_type, {}).get("halves", False)


def type_of(model_type):
    """As config.json has it, of a folder's name."""
    return OTHERS.get(model_type, {}).get("type", model_type)


def call_of(model_type):
    return OTHERS.get(model_type, {}).get("call", {})


def pictures_of(model_type):
    sizes = PICTURE_HALF if has_halves(model_type) else MODELS[model_type][1]
    size = OTHERS.get(model_type, {}).get("pictures") or sizes["image_size"]
    height, width = size if not isinstance(size, int) else (size, size)
    return {"pixel_values": seeded((ROWS, 3, height, width), 7, 1)}


def inputs_of(model_type):
    if has_halves(model_type):
        return {**texts_of(model_type), **pictures_of(model_type)}
    return pictures_of(model_type) if takes_pictures(model_type) else texts_of(model_type)


def texts_of(model_type):
    generator = torch.Generator().manual_seed(7)
    ids = torch.randint(5, VOCABULARY, (ROWS, TOKENS), generator=generator)
    mask = torch.ones(ROWS, TOKENS, dtype=torch.long)
    mask[1, 8:] = 0
    mask[2, 5:] = 0
    ids[mask == 0] = 1 if "oberta" in model_type or "longformer" in model_type or model_type == "mpnet" else 0
    if "longformer" in model_type:  # three separators in each text, of which the first ends a question
        ids[:, 2] = ids[:, 3] = ids[torch.arange(ROWS), mask.sum(1) - 1] = 2
    if "clip" in model_type:
        ids[torch.arange(ROWS), mask.sum(1) - 1] = TEXT_HALF["eos_token_id"]
    inputs = {"input_ids": ids, "attention_mask": mask}
    if "type_vocab_size" in MODELS[model_type][1]:
        types = MODELS[model_type][1]["type_vocab_size"]
        if model_type == "longformer_global":
            inputs["global_attention_mask"] = ((torch.arange(TOKENS) % 4 == 1) & (torch.arange(ROWS)[:, None] != 1)).long()
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
    common = dict(num_labels=LABELS)
    if not has_halves(model_type):
        common.update(initializer_range=0.2)
    if not takes_pictures(model_type):
        common.update(vocab_size=VOCABULARY)
    return transformers.AutoConfig.for_model(type_of(model_type), **dict(common, **MODELS[model_type][1]))


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


def channels_last(value):
    """As pictures and maps of features lie there."""
    return (value.movedim(1, -1) if value.ndim == 4 else value).contiguous()


def make(model_type):
    heads = MODELS[model_type][2]
    config = config_of(model_type)
    inputs = inputs_of(model_type)
    weights, expected = {}, {name: channels_last(value) for name, value in inputs.items()}
    inputs.update(call_of(model_type))
    for number, head in enumerate(heads):
        torch.manual_seed(number)
        key = head.removesuffix("Simple")
        config.problem_type = None
        config.num_labels = 2 if head.startswith("ForQuestionAnswering") else LABELS
        if is_decoder(model_type, head):
            config.is_decoder = True
        model = moved(class_of(model_type, head)(config), 1000 * number)
        front = OTHERS.get(model_type, {}).get("front", f"{model.base_model_prefix}.") if head == "Model" else ""
        taken = {name: value for name, value in inputs.items() if name in inspect.signature(model.forward).parameters}
        model.load_state_dict(weights, strict=False)  # the body, and heads of the same name
        tied = model.all_tied_weights_keys
        weights.update({front + name: value for name, value in model.state_dict().items()
                        if front + name not in weights and name not in tied})
        with torch.no_grad():
            outputs = model(**taken)
            for name in OUTPUTS:
                if outputs.get(name) is not None:
                    expected[f"{key}.{name}"] = channels_last(outputs[name])
            for name, value in labels_of(key).items():
                expected[f"{key}.{name}"] = value
            if labels_of(key):
                expected[f"{key}.loss"] = model(**taken, **labels_of(key)).loss
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


def make_distances():
    """DeBERTa's rows of distances from -600 to 600, by the number of rows each way and the largest distance."""
    distances = torch.arange(-600, 601)
    result = {}
    for count, largest in ((256, 512), (6, 24), (32, 128), (5, 40)):
        buckets = make_log_bucket_position(distances, count, largest).long()
        result[f"{count}.{largest}"] = torch.clamp(buckets + count, 0, 2 * count - 1).int()
    save_file(result, HERE / "deberta_v2" / "distances.safetensors")


if __name__ == "__main__":
    for name in sys.argv[1:] or MODELS:
        make(name)
    make_distances()

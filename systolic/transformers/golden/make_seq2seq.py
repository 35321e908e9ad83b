#!/usr/bin/env python3
"""Small encoder-decoders as `transformers` saves them, with what they compute.

    python systolic/transformers/golden/make_seq2seq.py [MODEL_TYPE...]      # transformers 5.23, torch 2.15

MODEL_TYPE/ is what save_pretrained writes, in f16. expected.safetensors has the inputs and, computed in f32 from these
weights, the hidden states, the logits, those with a decoder_attention_mask, and the loss for labels, which are the
decoder's input one place to the right. t5_relative_buckets.safetensors has the bucket of each distance under several
settings.
"""
import sys

import torch
import transformers
from safetensors.torch import save_file
from transformers.models.t5.modeling_t5 import T5Attention

import make_models

SOURCE_TOKENS, TOKENS, ROWS, VOCABULARY = 11, 7, 3, 60

T5_SIZES = dict(d_model=32, d_kv=12, d_ff=37, num_layers=3, num_decoder_layers=2, num_heads=4,
                relative_attention_num_buckets=8, relative_attention_max_distance=9, pad_token_id=0, eos_token_id=1,
                decoder_start_token_id=0)
BART_SIZES = dict(d_model=32, encoder_layers=3, encoder_ffn_dim=37, encoder_attention_heads=4, decoder_layers=2,
                  decoder_ffn_dim=29, decoder_attention_heads=2, max_position_embeddings=24, pad_token_id=1, bos_token_id=0,
                  eos_token_id=2, decoder_start_token_id=2, init_std=0.2)
MODELS = {
    "t5": (transformers.T5Config, transformers.T5ForConditionalGeneration, T5_SIZES),
    "mt5": (transformers.MT5Config, transformers.MT5ForConditionalGeneration, T5_SIZES),
    "bart": (transformers.BartConfig, transformers.BartForConditionalGeneration,
             dict(BART_SIZES, forced_eos_token_id=None)),
    "marian": (transformers.MarianConfig, transformers.MarianMTModel,
               dict(BART_SIZES, scale_embedding=True, activation_function="swish", pad_token_id=59,
                    decoder_start_token_id=59, eos_token_id=0, bos_token_id=None, forced_eos_token_id=None)),
}
# What is written has tokens of its own.
MODELS["marian_separate"] = (*MODELS["marian"][:2], dict(MODELS["marian"][2], share_encoder_decoder_embeddings=False, decoder_vocab_size=52,
                                                          pad_token_id=51, decoder_start_token_id=51))
OWN_HEAD = ["mt5"]  # a head that is not the tokens' table, as in all files of mT5 and T5 1.1


def model_of(model_type):
    config, model_class, sizes = MODELS[model_type]
    torch.manual_seed(3)
    model = make_models.moved(model_class(config(vocab_size=VOCABULARY, **sizes)), 100)
    if model_type in OWN_HEAD:
        head = torch.nn.Parameter(make_models.seeded(model.lm_head.weight.shape, 77, 0.5).half().float())
        model.lm_head.weight = head
        model.config.tie_word_embeddings = False
    if hasattr(model, "final_logits_bias"):
        model.final_logits_bias.copy_(make_models.seeded(model.final_logits_bias.shape, 78, 0.5).half().float())
    return model.eval()


def inputs_of(model):
    padding = model.config.pad_token_id
    generator = torch.Generator().manual_seed(7)
    ids = torch.randint(5, VOCABULARY - 2, (ROWS, SOURCE_TOKENS), generator=generator)
    mask = torch.ones(ROWS, SOURCE_TOKENS, dtype=torch.long)
    mask[1, 8:] = 0
    mask[2, 5:] = 0
    ids[mask == 0] = padding
    written_tokens = model.lm_head.weight.shape[0]
    written = torch.randint(5, written_tokens - 2, (ROWS, TOKENS), generator=generator)
    written_mask = torch.ones(ROWS, TOKENS, dtype=torch.long)
    written_mask[1, 4:] = 0
    return {"input_ids": ids, "attention_mask": mask, "decoder_input_ids": written}, {"decoder_attention_mask": written_mask}


def make(model_type):
    folder = make_models.HERE / model_type
    folder.mkdir(exist_ok=True)
    model = model_of(model_type)
    model.half().save_pretrained(folder)
    # What is saved, as it is read again: positions that no file has are made anew.
    model = MODELS[model_type][1].from_pretrained(folder, dtype=torch.float32).eval()
    inputs, with_mask = inputs_of(model)
    labels = inputs["decoder_input_ids"].roll(1, 1).clone()
    labels[1, 5:] = labels[2, 3:] = -100
    head = "ForConditionalGeneration."
    with torch.no_grad():
        outputs = model(**inputs, output_hidden_states=True)
        expected = dict(inputs, **with_mask)
        expected["Model.encoder_last_hidden_state"] = outputs.encoder_last_hidden_state
        expected["Model.last_hidden_state"] = outputs.decoder_hidden_states[-1]
        expected[head + "logits"] = outputs.logits
        expected[head + "logits_masked"] = model(**inputs, **with_mask).logits
        expected[head + "labels"] = labels
        expected[head + "loss"] = model(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"],
                                        labels=labels).loss
    save_file({name: value.clone().contiguous() for name, value in expected.items()}, folder / "expected.safetensors")
    print(model_type, sorted(path.name for path in folder.iterdir()))


def make_buckets():
    result = {}
    for buckets, distance in ((32, 128), (8, 9), (64, 200), (32, 20)):
        for both in (True, False):
            apart = torch.arange(-distance - 9, distance + 10)
            result[f"{buckets}.{distance}.{both}"] = T5Attention._relative_position_bucket(
                apart, bidirectional=both, num_buckets=buckets, max_distance=distance).int()
    save_file(result, make_models.HERE / "t5" / "relative_buckets.safetensors")


if __name__ == "__main__":
    for name in sys.argv[1:] or MODELS:
        make(name)
    make_buckets()

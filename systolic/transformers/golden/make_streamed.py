#!/usr/bin/env python3
"""How `transformers` ends texts by stop strings, and what its TextStreamer shows, with the model of make_generated.py.

    python systolic/transformers/golden/make_streamed.py      # transformers 5.23, torch 2.15

gpt2/streamed.json: a tokenizer of 60 tokens; for each case the stop strings and the ids that generate() gives; for each
row of tokens the pieces that a TextStreamer shows.
"""
import json

import tokenizers
import torch
import transformers
from safetensors.torch import load_file

import make_generated
import make_models

# Tokens as a BPE of bytes has them: with spaces, newlines, letters of several bytes, and parts of such.
BYTES = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
WORDS = ["<pad>", "a", "b", " a", " the", "the", "ab", "ba", "\n", " boat", "boat", "s", ".", " .", "é", "船", "。", "!", "x y", "ing",
         " sail", "sail", "to", " to", "er", "in", " in", "is", "land", " is", "\n\n", ":", "User", "User:", "o", "n", "t", "<", "/", "s>",
         "tt", "nn", "oo", "e", "l", "r", "u", "m", "k", "h", "g", "f", "d", "c", "y", "w", "v", "p"]


def make_tokenizer():
    vocabulary = {}
    for word in WORDS:
        vocabulary[BYTES.pre_tokenize_str(word)[0][0]] = len(vocabulary)
    for part in ("è", "Ī¹"):  # two parts of a letter, as bytes
        vocabulary[part] = len(vocabulary)
    assert len(vocabulary) == make_generated.VOCABULARY, len(vocabulary)
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer, tokenizer.decoder = BYTES, tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens(["<pad>"])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>")


class Shown(transformers.TextStreamer):
    def on_finalized_text(self, text, stream_end=False):
        self.pieces.append([text, stream_end])


def pieces_of(tokenizer, row, **options):
    streamer = Shown(tokenizer, **options)
    streamer.pieces = []
    streamer.put(torch.tensor([row[:3]]))
    for token in row[3:]:
        streamer.put(torch.tensor([token]))
    streamer.end()
    return streamer.pieces


def make():
    tokenizer, model = make_tokenizer(), make_generated.untied_model("gpt2")
    known = load_file(make_models.HERE / "gpt2" / "generated.safetensors")
    prompts = dict(input_ids=known["input_ids"], attention_mask=known["attention_mask"])
    options = dict(max_new_tokens=12, eos_token_id=make_generated.NEVER, pad_token_id=make_generated.PADDING, do_sample=False)
    plain = known["plain"].tolist()
    texts = [tokenizer.decode(row[7:]) for row in plain]
    print(texts)
    # What stands in each text: a whole token, parts of two, of a token's end and another's begin, of the prompt's end.
    wanted = [[texts[0][2:4]], [texts[1][4:7]], [texts[2][5:6]], [texts[0][1:3], texts[2][3:8]], ["never seen"],
              [tokenizer.decode(plain[1][5:8])[1:]], [t[4:6] for t in texts]]
    cases = [dict(stop_strings=stops, ids=model.generate(**prompts, **options, stop_strings=stops, tokenizer=tokenizer).tolist())
             for stops in wanted]
    rows = plain + [[4, 9, 20, 58, 59, 15, 16, 8, 5, 13, 0, 12, 1, 30, 33, 9, 9], [1, 2, 3, 58]]
    shown = [dict(ids=row, skip_prompt=skip, skip_special_tokens=special,
                  pieces=pieces_of(tokenizer, row, skip_prompt=skip, skip_special_tokens=special))
             for row in rows for skip in (False, True) for special in (False, True)]
    with open(make_models.HERE / "gpt2" / "streamed.json", "w") as file:
        json.dump(dict(tokenizer=tokenizer.backend_tokenizer.to_str(), cases=cases, shown=shown), file, ensure_ascii=False)
    for case in cases:
        print(case["stop_strings"], [sum(i != 0 for i in row) for row in case["ids"]])


if __name__ == "__main__":
    make()

#!/usr/bin/env python3
"""A small Whisper as `transformers` saves it, with what it computes, and the features of sounds.

    python systolic/transformers/golden/make_whisper.py      # transformers 5.23, torch 2.15

whisper/ is what save_pretrained writes, in f16; expected.safetensors is as make_seq2seq.py writes it, and asked.safetensors
as make_asked.py does. features.safetensors has waveforms and, for three extractors, what WhisperFeatureExtractor makes of
them.
"""
import numpy
import torch
import transformers
from safetensors.torch import save_file

import make_asked
import make_models

BINS, POSITIONS, TOKENS, ROWS, VOCABULARY = 8, 10, 7, 3, 60
SIZES = dict(vocab_size=VOCABULARY, num_mel_bins=BINS, d_model=32, encoder_layers=3, encoder_attention_heads=4, encoder_ffn_dim=37,
             decoder_layers=2, decoder_attention_heads=2, decoder_ffn_dim=29, max_source_positions=POSITIONS, init_std=0.2,
             max_target_positions=24, pad_token_id=1, bos_token_id=0, eos_token_id=2, decoder_start_token_id=3,
             suppress_tokens=None, begin_suppress_tokens=None)
EXTRACTORS = {"one_second": dict(chunk_length=1), "many_bins": dict(chunk_length=1, feature_size=128),
              "other": dict(chunk_length=1, sampling_rate=8000, hop_length=100, n_fft=250, feature_size=20)}


def expected_of(model):
    generator = torch.Generator().manual_seed(7)
    inputs = {"input_features": torch.randn(ROWS, BINS, 2 * POSITIONS, generator=generator),
              "decoder_input_ids": torch.randint(5, VOCABULARY, (ROWS, TOKENS), generator=generator)}
    written_mask = torch.ones(ROWS, TOKENS, dtype=torch.long)
    written_mask[1, 4:] = 0
    labels = inputs["decoder_input_ids"].roll(1, 1).clone()
    labels[1, 5:] = labels[2, 3:] = -100
    head = "ForConditionalGeneration."
    with torch.no_grad():
        outputs = model(**inputs, output_hidden_states=True)
        expected = dict(inputs, decoder_attention_mask=written_mask)
        expected["Model.encoder_last_hidden_state"] = outputs.encoder_last_hidden_state
        expected["Model.last_hidden_state"] = outputs.decoder_hidden_states[-1]
        expected[head + "logits"] = outputs.logits
        expected[head + "logits_masked"] = model(**inputs, decoder_attention_mask=written_mask).logits
        expected[head + "labels"] = labels
        expected[head + "loss"] = model(input_features=inputs["input_features"], labels=labels).loss
        asked = model.model(**{name: value[:make_asked.ROWS] for name, value in inputs.items()}, output_hidden_states=True,
                            output_attentions=True)
    return expected, make_asked.listed(asked)


def waveforms():
    time = numpy.arange(24000) / 16000
    noise = numpy.random.default_rng(3).normal(size=time.size)
    rising = 0.3 * numpy.sin(2 * numpy.pi * (200 + 900 * time) * time) + 0.02 * noise
    return [rising.astype(numpy.float32), (0.1 * noise[:7000]).astype(numpy.float32)]  # one is cut, one filled up


def main():
    folder = make_models.HERE / "whisper"
    torch.manual_seed(3)
    config = transformers.WhisperConfig(**SIZES)
    model = make_models.moved(transformers.WhisperForConditionalGeneration(config), 100)
    model.half().save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    model = transformers.WhisperForConditionalGeneration.from_pretrained(folder, dtype=torch.float32,
                                                                         attn_implementation="eager").eval()
    for name, values in zip(("expected", "asked"), expected_of(model)):
        save_file({key: value.clone().contiguous() for key, value in values.items()}, folder / f"{name}.safetensors")
    sounds = waveforms()
    features = {f"waveform.{i}": torch.from_numpy(sound) for i, sound in enumerate(sounds)}
    for name, options in EXTRACTORS.items():
        extractor = transformers.WhisperFeatureExtractor(**options)
        made = extractor(sounds, sampling_rate=extractor.sampling_rate, return_tensors="pt")
        features[name] = made["input_features"]
        if name == "many_bins":
            extractor.save_pretrained(folder)
    save_file({key: value.clone().contiguous() for key, value in features.items()}, folder / "features.safetensors")
    print(sorted((path.name, path.stat().st_size) for path in folder.iterdir()))


if __name__ == "__main__":
    main()

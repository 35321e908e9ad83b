#!/usr/bin/env python3
"""What a small Whisper of make_whisper.py's kind writes about sounds, as `transformers` has it.

    python systolic/transformers/golden/make_heard.py      # transformers 5.23, torch 2.15

whisper_heard/ is a folder of save_pretrained, in f16, with a tokenizer of bytes and a generation_config.json; heard.json has
for each of several calls of generate() the settings and the ids, and what the pipeline answers; sounds.safetensors the
features and the waveforms.
"""
import json
import signal

import numpy
import torch
import transformers
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

import make_models

LANGUAGES = ["en", "de", "fr"]
SECONDS, POSITIONS, BINS = 1, 50, 8
SPECIAL = (["<|endoftext|>", "<|startoftranscript|>"] + [f"<|{one}|>" for one in LANGUAGES] +
           ["<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"])
TIMES = [f"<|{i * 0.02:.2f}|>" for i in range(POSITIONS + 1)]


def tokenizer_of_bytes():
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    backend = Tokenizer(models.BPE({letter: i for i, letter in enumerate(letters)}, []))
    backend.pre_tokenizer, backend.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    backend.add_special_tokens(SPECIAL)
    backend.add_tokens(TIMES)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="<|endoftext|>", bos_token="<|endoftext|>",
                                                pad_token="<|endoftext|>", unk_token="<|endoftext|>")


def model_of(ids):
    end, start = ids["<|endoftext|>"], ids["<|startoftranscript|>"]
    torch.manual_seed(5)
    config = transformers.WhisperConfig(
        vocab_size=len(ids), num_mel_bins=BINS, d_model=16, encoder_layers=1, encoder_attention_heads=2, encoder_ffn_dim=24,
        decoder_layers=2, decoder_attention_heads=2, decoder_ffn_dim=24, max_source_positions=POSITIONS, init_std=0.4,
        max_target_positions=40, pad_token_id=end, bos_token_id=end, eos_token_id=end, decoder_start_token_id=start,
        suppress_tokens=None, begin_suppress_tokens=None)
    model = make_models.moved(transformers.WhisperForConditionalGeneration(config), 100)
    settings = model.generation_config
    settings._from_model_config = False
    settings.update(max_length=24, pad_token_id=end, bos_token_id=end, eos_token_id=end, decoder_start_token_id=start)
    settings.lang_to_id = {f"<|{one}|>": ids[f"<|{one}|>"] for one in LANGUAGES}
    settings.task_to_id = {"transcribe": ids["<|transcribe|>"], "translate": ids["<|translate|>"]}
    settings.is_multilingual, settings.no_timestamps_token_id = True, ids["<|notimestamps|>"]
    settings.max_initial_timestamp_index, settings.prev_sot_token_id = 20, ids["<|startofprev|>"]
    # Without training it would end a part at 0.00, from which transformers goes on for ever.
    settings.suppress_tokens = [1, 2, 3] + [ids[one] for one in SPECIAL[1:] + TIMES[:1]]
    settings.begin_suppress_tokens = [ids[" "], end] if " " in ids else [0, end]
    return model


CALLS = [
    dict(), dict(language="german"), dict(language="<|fr|>", task="translate"), dict(task="transcribe"), dict(num_beams=3, language="en"),
    dict(return_timestamps=True, language="en"), dict(return_timestamps=True, num_beams=2, language="en"),
    dict(language="en", max_new_tokens=5), dict(language="en", begin_suppress_tokens=[5, 6, 7], suppress_tokens=[9, 10]),
    dict(language="en", no_repeat_ngram_size=2), dict(sounds="long", language="en"), dict(sounds="long", num_beams=2),
    dict(sounds="long", language="en", condition_on_prev_tokens=True), dict(sounds="several", language="en"),
    dict(sounds="several", language="de", condition_on_prev_tokens=True), dict(sounds="one", language="en", num_return_sequences=2, num_beams=2),
]


def answers_of(hear, seed):
    noise = numpy.random.default_rng(seed).normal(size=52000)
    time = numpy.arange(noise.size) / 16000
    wave = (0.3 * numpy.sin(2 * numpy.pi * (200 + 300 * time) * time) + 0.05 * noise).astype(numpy.float32)
    answers = []
    for samples in (9000, 52000):
        for times in (False, True):
            given = dict(language="en", return_timestamps=True) if samples > 16000 else dict(language="en")
            answer = hear(wave[:samples].copy(), return_timestamps=times, generate_kwargs=given if not times else dict(language="en"))
            answers.append(dict(samples=samples, times=times, answer=answer))
            print(answers[-1])
    return wave, answers


def give_up(*_):
    raise TimeoutError


def main():
    signal.signal(signal.SIGALRM, give_up)
    folder = make_models.HERE / "whisper_heard"
    tokenizer = tokenizer_of_bytes()
    ids = tokenizer.get_vocab()
    model_of(ids).half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    tokenizer = transformers.WhisperTokenizer.from_pretrained(folder)
    assert tokenizer.get_vocab() == ids
    tokenizer.save_pretrained(folder)
    extractor = transformers.WhisperFeatureExtractor(feature_size=BINS, chunk_length=SECONDS)
    extractor.save_pretrained(folder)
    model = transformers.WhisperForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
    generator = torch.Generator().manual_seed(7)
    short = torch.randn(3, BINS, 2 * POSITIONS, generator=generator)
    long = torch.randn(1, BINS, 330, generator=generator)
    several = torch.randn(3, BINS, 330, generator=generator)
    mask = torch.ones(3, 330, dtype=torch.long)
    mask[1, 150:] = mask[2, 290:] = 0
    inputs = {"short": dict(input_features=short), "one": dict(input_features=short[:1]), "long": dict(input_features=long),
              "several": dict(input_features=several, attention_mask=mask)}
    calls = []
    for settings in CALLS:
        given = dict(settings)
        sounds = given.pop("sounds", "short")
        written = model.generate(**inputs[sounds], **given)
        calls.append(dict(settings, sounds=sounds, ids=written.tolist()))
        print(settings, written.shape, written[0].tolist()[:12])
    hear = transformers.pipeline("automatic-speech-recognition", model=model, tokenizer=tokenizer, feature_extractor=extractor, device="cpu")
    for seed in range(20):
        try:
            signal.alarm(60)
            wave, answers = answers_of(hear, seed)
            break
        except TimeoutError:  # a model without training may tell a time at which transformers goes on for ever
            print("seed", seed, "does not end")
        finally:
            signal.alarm(0)
    sounds = {f"{name}.{key}": value.contiguous().clone() for name, one in inputs.items() for key, value in one.items()}
    sounds["waveform"] = torch.from_numpy(wave)
    save_file(sounds, folder / "sounds.safetensors")
    (folder / "heard.json").write_text(json.dumps(dict(calls=calls, answers=answers), ensure_ascii=True) + "\n")
    print(sorted((path.name, path.stat().st_size) for path in folder.iterdir()))


if __name__ == "__main__":
    main()

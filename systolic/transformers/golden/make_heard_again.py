#!/usr/bin/env python3
"""What make_heard.py's small Whisper writes with thresholds and several temperatures, and when it hears each token and each word.

    python systolic/transformers/golden/make_heard_again.py      # transformers 5.23, torch 2.15

Reads whisper_heard/ and writes heard_again.json there: "calls" of generate() with their ids and, where they are asked for, times;
"answers" of the pipeline; "decoded", what its tokenizer makes of drawn stretches of tokens; and the alignment heads, which the folder's generation_config.json lacks. Drawn tokens are the likeliest
ones all the same: at temperatures near 0, or with top_k = 1.
"""
import json
import signal

import numpy
import torch
import transformers
from safetensors.torch import load_file

import make_heard
import make_models

HEADS = [[0, 1], [1, 0], [1, 1]]
COLD = 1e-4
CALLS = [
    dict(language="en", num_beams=3, temperature=[0.0, COLD], logprob_threshold=-0.01),
    dict(language="en", num_beams=3, temperature=[0.0, COLD], logprob_threshold=-100.0),
    dict(language="en", num_beams=3, temperature=[0.0, COLD], compression_ratio_threshold=0.1),
    dict(language="en", num_beams=3, temperature=[0.0, COLD], compression_ratio_threshold=9.0),
    dict(language="en", temperature=[0.0, 0.7], top_k=1, logprob_threshold=-0.01, no_repeat_ngram_size=2),
    dict(language="en", temperature=COLD),
    dict(language="en", temperature=[0.0], logprob_threshold=-0.5, no_speech_threshold=1e-9),
    dict(language="en", temperature=[0.0, COLD], logprob_threshold=-0.5, no_speech_threshold=1.0),
    dict(sounds="long", language="en", temperature=[0.0], logprob_threshold=-0.5, no_speech_threshold=1e-9),
    dict(sounds="long", language="en", num_beams=2, temperature=[0.0, COLD], logprob_threshold=-0.01),
    dict(sounds="long", language="en", temperature=[0.0, COLD, 0.8], top_k=1, compression_ratio_threshold=1.0,
         condition_on_prev_tokens=True),
    dict(sounds="one", language="en", times=True),
    dict(sounds="one", language="en", times=True, num_beams=3),
    dict(sounds="one", language="en", times=True, return_timestamps=True),
    dict(sounds="one", language="en", times=True, frames=61),
    dict(sounds="long", language="en", times=True),
    dict(sounds="long", language="en", times=True, num_beams=2, frames=250),
]


def halves(model, inputs):
    """Calls with thresholds in the middle of what the sounds have."""
    means, ratios = [], []
    for i in range(3):
        out = model.generate(input_features=inputs["short"]["input_features"][i:i + 1], language="en", temperature=[0.0], logprob_threshold=-1e9,
                             return_dict_in_generate=True)
        tokens = out.sequences[0, -len(out.scores):]
        means.append(model._retrieve_avg_logprobs([one[0] for one in out.scores], tokens, 0.0).item())
        ratios.append(model._retrieve_compression_ratio(tokens, model.config.vocab_size))
    print("means", means, "ratios", ratios)
    means, ratios = sorted(means), sorted(ratios)
    return [dict(language="en", num_beams=1, temperature=[0.0, 0.7], top_k=1, no_repeat_ngram_size=1, logprob_threshold=(means[0] + means[1]) / 2),
            dict(language="en", num_beams=2, temperature=[0.0, COLD], compression_ratio_threshold=(ratios[1] + ratios[2]) / 2)]


def called(model, call, inputs):
    given = dict(call)
    sounds = dict(inputs[given.pop("sounds", "short")])
    frames = given.pop("frames", None)
    if frames is not None:
        sounds["attention_mask"] = (torch.arange(sounds["input_features"].shape[-1]) < frames).long()[None]
    if not given.pop("times", False):
        return dict(call, ids=model.generate(**sounds, **given).tolist())
    out = model.generate(**sounds, **given, return_token_timestamps=True, return_segments=True)
    times = [torch.cat([segment["token_timestamps"] for segment in one]).tolist() for one in out["segments"]]
    return dict(call, ids=out["sequences"].tolist(), token_timestamps=times)


ANSWERS = [dict(samples=9000, words=True), dict(samples=52000, words=True), dict(samples=9000, words=True, num_beams=1),
           dict(samples=30000, chunk=1.0), dict(samples=52000, chunk=0.9, stride=[0.2, 0.1]), dict(samples=52000, chunk=0.5, stride=0.0),
           dict(samples=52000, chunk=1.0, times=True), dict(samples=30000, chunk=0.9, stride=[0.1, 0.3], times=True),
           dict(samples=30000, chunk=1.0, words=True), dict(samples=52000, chunk=0.8, stride=[0.2, 0.2], words=True),
           dict(samples=0), dict(samples=1), dict(samples=0, chunk=1.0)]


def answered(hear, wave, call):
    given = dict(language="en", **({"num_beams": call["num_beams"]} if "num_beams" in call else {}))
    if call["samples"] > 16000 and "chunk" not in call:
        given["return_timestamps"] = True
    settings = dict(generate_kwargs=given)
    if "chunk" in call:
        settings.update(chunk_length_s=call["chunk"], stride_length_s=call.get("stride"))
    if call.get("words") or call.get("times"):
        settings.update(return_timestamps="word" if call.get("words") else True)
        given.pop("return_timestamps", None)
    return dict(call, answer=hear(wave[:call["samples"]].copy(), **settings))


SAID = [' The "boat" (it\'s) sails, to the island... \u00bfQu\u00e9? ', " \u65e5\u672c\u3002\u306e\u3002 and \u00e9mile said: [x] 100% - no!", "a  b ! . c\u00a0d (e", "\xff\xfe \u201cx\u201d"]


def stretches_of(tokenizer, random, said):
    """Windows of one text, with times and a wrong token here and there."""
    text = tokenizer(said, add_special_tokens=False).input_ids
    first_time, end = tokenizer.convert_tokens_to_ids("<|0.00|>"), tokenizer.eos_token_id
    count, outputs = random.integers(1, 4), []
    for k in range(count):
        begin = k * len(text) // count
        window = text[max(0, begin - random.integers(0, 7)):(k + 1) * len(text) // count + random.integers(0, 7)]
        tokens, time = [], 0
        for token in window:
            if random.random() < 0.15:
                time = int(random.integers(time, 51)) if random.random() < 0.9 else 0
                tokens += [first_time + time] * int(random.integers(1, 3))
            tokens.append(int(random.integers(32, 90)) if random.random() < 0.05 else token)
        tokens += [end] * int(random.integers(0, 2))
        times = numpy.round(numpy.sort(random.random(len(tokens))), 2).astype(numpy.float32).tolist()
        output = dict(tokens=tokens, times=times)
        if count > 1 or random.random() < 0.3:
            output["stride"] = [1.0, 0.0 if k == 0 else 0.25, 0.0 if k == count - 1 else 0.125]
        outputs.append(output)
    return outputs


def decoded(tokenizer):
    random, cases = numpy.random.default_rng(3), []
    for number in range(48):
        outputs = stretches_of(tokenizer, random, SAID[number % len(SAID)])
        for words in (False, True):
            given = [dict(tokens=torch.tensor([one["tokens"]]), token_timestamps=torch.tensor([one["times"]]),
                          **({"stride": tuple(one["stride"])} if "stride" in one else {})) for one in outputs]
            text, more = tokenizer._decode_asr(given, return_timestamps="word" if words else True, return_language=None, time_precision=0.02)
            cases.append(dict(stretches=outputs, words=words, text=text, chunks=more["chunks"]))
    return cases


def main():
    signal.signal(signal.SIGALRM, make_heard.give_up)
    folder = make_models.HERE / "whisper_heard"
    model = transformers.WhisperForConditionalGeneration.from_pretrained(folder, dtype=torch.float32).eval()
    model.generation_config.alignment_heads = HEADS
    stored = load_file(folder / "sounds.safetensors")
    inputs = {kind: {name.split(".")[1]: value for name, value in stored.items() if name.startswith(kind + ".")}
              for kind in ("short", "one", "long", "several")}
    calls, answers = [], []
    for call in CALLS + halves(model, inputs):
        signal.alarm(60)
        calls.append(called(model, call, inputs))
        signal.alarm(0)
        print({name: value for name, value in calls[-1].items() if name not in ("ids", "token_timestamps")},
              [len(row) for row in calls[-1]["ids"]], calls[-1].get("token_timestamps", [[]])[0][:12])
    tokenizer = transformers.WhisperTokenizer.from_pretrained(folder)
    hear = transformers.pipeline("automatic-speech-recognition", model=model, device="cpu",
                                 tokenizer=tokenizer,
                                 feature_extractor=transformers.WhisperFeatureExtractor.from_pretrained(folder))
    for call in ANSWERS:
        try:
            signal.alarm(60)
            answers.append(answered(hear, stored["waveform"].numpy(), call))
            print(answers[-1])
        except Exception as error:
            print(call, type(error), error)
        finally:
            signal.alarm(0)
    text = json.dumps(dict(alignment_heads=HEADS, calls=calls, answers=answers, decoded=decoded(tokenizer)), ensure_ascii=True)
    (folder / "heard_again.json").write_text(text + "\n")
    print(len(text), "bytes")


if __name__ == "__main__":
    main()

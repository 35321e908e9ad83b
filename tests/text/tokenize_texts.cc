// What our tokenizer makes of texts, for compare_with_tokenizers.py and compare_folders.py to
// compare.
//
//   tokenize_texts tokenizer.json TEXTS RESULTS [pairs|words]
//   tokenize_texts FOLDER TEXTS RESULTS [pairs|words]
//   tokenize_texts tokenizer.json TEXTS RESULTS train OPTIONS.json
//   tokenize_texts tokenizer.json TEXTS RESULTS save
//
// RESULTS of `train`: the tokenizer.json with a vocabulary made of the texts, of `save`: as it was
// read. TEXTS: for each text its size in bytes (u32) and the bytes. RESULTS: for each the number of
// tokens, and of each its id, the begin and end of its offsets, its word, its type, its two masks
// and its sequence (i32 each); the size and bytes of the tokens, a NUL after each; the number of
// parts that truncation cut off, and each of them likewise; then the size and bytes of the decoded
// text, without and with special tokens. In place of all that -1, and the size and bytes of a
// message, where the text ends in an error. With `pairs` two texts after each other are a pair,
// with `words` a text is split at its spaces.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/io/files/file.h"
#include "systolic/text/files/auto_tokenizer.h"
#include "systolic/text/tokenizer.h"

using namespace systolic;

namespace {

using Json = nlohmann::json;

std::vector<std::string> read_texts(const std::string& path) {
  const std::string bytes = io::read_file(path);
  std::vector<std::string> texts;
  for (size_t at = 0; at + 4 <= bytes.size();) {
    uint32_t size;
    std::memcpy(&size, bytes.data() + at, 4);
    texts.push_back(bytes.substr(at + 4, size));
    at += 4 + size;
  }
  return texts;
}

void put(std::string& out, int32_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::string& out, const std::string& text) {
  put(out, static_cast<int32_t>(text.size()));
  out += text;
}

void put(std::string& out, const Encoding& encoding) {
  put(out, static_cast<int32_t>(encoding.size()));
  const std::vector<int32_t> sequences = encoding.sequence_ids();
  std::string tokens;
  for (size_t i = 0; i < encoding.size(); ++i) {
    put(out, encoding.ids[i]);
    put(out, static_cast<int32_t>(encoding.offsets[i].begin));
    put(out, static_cast<int32_t>(encoding.offsets[i].end));
    put(out, encoding.word_ids[i]);
    put(out, encoding.type_ids[i]);
    put(out, encoding.special_tokens_mask[i]);
    put(out, encoding.attention_mask[i]);
    put(out, sequences[i]);
    tokens += encoding.tokens[i] + '\0';
  }
  put(out, tokens);
  put(out, static_cast<int32_t>(encoding.overflowing.size()));
  for (const Encoding& part : encoding.overflowing) put(out, part);
}

Encoding encode(const Tokenizer& tokenizer, const std::string& form, const std::string* text,
                bool offsets) {
  const EncodeOptions options{.offsets = offsets};
  if (form == "pairs") return tokenizer.encode_pair(text[0], text[1], options);
  if (form == "words") return tokenizer.encode_words(split(*text, ' '), options);
  return tokenizer.encode(*text, options);
}

void check_same(const Encoding& fast, const Encoding& whole) {
  if (fast.ids == whole.ids && fast.type_ids == whole.type_ids &&
      fast.attention_mask == whole.attention_mask &&
      fast.special_tokens_mask == whole.special_tokens_mask) {
    return;
  }
  raise<Internal>({.what = "other ids or masks without offsets"});
}

std::string result(const Tokenizer& tokenizer, const std::string& form, const std::string* text) {
  std::string out;
  try {
    const Encoding encoding = encode(tokenizer, form, text, true);
    check_same(encode(tokenizer, form, text, false), encoding);
    put(out, encoding);
    put(out, tokenizer.decode(encoding.ids));
    put(out, tokenizer.decode(encoding.ids, false));
  } catch (const Error& error) {
    out.clear();
    put(out, -1);
    put(out, error.what());
  }
  return out;
}

Tokenizer train(Tokenizer tokenizer, const std::vector<std::string>& texts,
                const std::string& path) {
  const Json json = Json::parse(io::read_file(path));
  TrainOptions options{.vocab_size = json.at("vocab_size")};
  for (const std::string token : json.at("special_tokens"))
    options.special_tokens.push_back({.content = token, .special = true});
  options.min_frequency = json.value("min_frequency", options.min_frequency);
  options.limit_alphabet = json.value("limit_alphabet", options.limit_alphabet);
  for (const uint32_t c : json.value("initial_alphabet", std::vector<uint32_t>()))
    options.initial_alphabet.push_back(c);
  options.continuing_subword_prefix = json.value("continuing_subword_prefix", "##");
  options.end_of_word_suffix = json.value("end_of_word_suffix", "");
  options.max_token_length = json.value("max_token_length", options.max_token_length);
  options.shrinking_factor = json.value("shrinking_factor", options.shrinking_factor);
  options.sub_iterations = json.value("sub_iterations", options.sub_iterations);
  options.seed_size = json.value("seed_size", options.seed_size);
  tokenizer.train(texts, options);
  return tokenizer;
}

int run(int argc, char** argv) {
  if (argc < 4) return 2;
  const Tokenizer tokenizer = std::filesystem::is_directory(argv[1])
                                  ? AutoTokenizer::from_pretrained(argv[1])
                                  : Tokenizer::from_file(argv[1]);
  const std::vector<std::string> texts = read_texts(argv[2]);
  const std::string form = argc > 4 ? argv[4] : "";
  if (form == "train" && argc == 6) {
    train(tokenizer, texts, argv[5]).save(argv[3]);
    return 0;
  }
  if (form == "save") {
    tokenizer.save(argv[3]);
    return 0;
  }
  const size_t step = form == "pairs" ? 2 : 1;
  std::string out;
  for (size_t i = 0; i + step <= texts.size(); i += step) out += result(tokenizer, form, &texts[i]);
  io::write_file(argv[3], out);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

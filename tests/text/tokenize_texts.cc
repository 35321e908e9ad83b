// What our tokenizer makes of texts, for compare_with_tokenizers.py and compare_folders.py to
// compare.
//
//   tokenize_texts tokenizer.json TEXTS RESULTS [pairs|words]
//   tokenize_texts FOLDER TEXTS RESULTS [pairs|words]
//   tokenize_texts tokenizer.json TEXTS RESULTS train SIZE
//
// RESULTS of `train`: the tokenizer.json with a vocabulary of SIZE tokens made of the texts.
// TEXTS: for each text its size in bytes (u32) and the bytes. RESULTS: for each the number of
// tokens, and of each its id, the begin and end of its offsets, its word, its type and its two
// masks (i32 each); the number of parts that truncation cut off, and each of them likewise; then
// the size and bytes of the decoded text. With `pairs` two texts after each other are a pair, with
// `words` a text is split at its spaces.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/io/file.h"
#include "systolic/text/auto_tokenizer.h"
#include "systolic/text/tokenizer.h"

using namespace systolic;

namespace {

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

void put(std::string& out, const Encoding& encoding) {
  put(out, static_cast<int32_t>(encoding.size()));
  for (size_t i = 0; i < encoding.size(); ++i) {
    put(out, encoding.ids[i]);
    put(out, static_cast<int32_t>(encoding.offsets[i].begin));
    put(out, static_cast<int32_t>(encoding.offsets[i].end));
    put(out, encoding.word_ids[i]);
    put(out, encoding.type_ids[i]);
    put(out, encoding.special_tokens_mask[i]);
    put(out, encoding.attention_mask[i]);
  }
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

Tokenizer train(Tokenizer tokenizer, const std::vector<std::string>& texts, size_t size) {
  TrainOptions options{.vocab_size = size};
  for (const char* token : {"<unk>", "<s>", "</s>"}) {
    options.special_tokens.push_back({.content = token, .normalized = false, .special = true});
  }
  tokenizer.train(texts, options);
  return tokenizer;
}

int run(int argc, char** argv) {
  if (argc < 4) return 2;
  const Tokenizer tokenizer = std::filesystem::is_directory(argv[1])
                                  ? AutoTokenizer::from_pretrained(argv[1])
                                  : Tokenizer::from_file(argv[1]);
  const std::vector<std::string> texts = read_texts(argv[2]);
  if (argc == 6 && std::string(argv[4]) == "train") {
    train(tokenizer, texts, std::stoul(argv[5])).save(argv[3]);
    return 0;
  }
  const std::string form = argc > 4 ? argv[4] : "";
  const size_t step = form == "pairs" ? 2 : 1;
  std::string out;
  for (size_t i = 0; i + step <= texts.size(); i += step) {
    const Encoding encoding = encode(tokenizer, form, &texts[i], true);
    const Encoding only_ids = encode(tokenizer, form, &texts[i], false);
    if (only_ids.ids != encoding.ids)
      std::fprintf(stderr, "text %zu: other ids without offsets\n", i);
    put(out, encoding);
    const std::string decoded = tokenizer.decode(encoding.ids);
    put(out, static_cast<int32_t>(decoded.size()));
    out += decoded;
  }
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

// What tokenizers of each kind do to hostile texts.
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/text/pieces/byte_characters.h"
#include "systolic/text/pieces/json_view.h"
#include "systolic/text/tokenizer.h"
#include "systolic/text/unicode/utf8.h"
#include "tests/fuzz/attempt.h"
#include "tests/fuzz/targets.h"

namespace fuzz {
namespace {

using namespace systolic;

void check(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

// WordPiece as BERT has it, with added tokens of all kinds.
constexpr std::string_view bert = R"({"added_tokens":[
  {"id":0,"content":"[UNK]","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true},
  {"id":8,"content":"<x>","single_word":false,"lstrip":true,"rstrip":true,"normalized":false,"special":false},
  {"id":9,"content":"Öl","single_word":true,"lstrip":false,"rstrip":true,"normalized":true,"special":false}],
  "normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,
                "lowercase":true},
  "pre_tokenizer":{"type":"BertPreTokenizer"},
  "post_processor":{"type":"BertProcessing","sep":["b",2],"cls":["a",1]},
  "decoder":{"type":"WordPiece","prefix":"##","cleanup":true},
  "model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,
           "vocab":{"[UNK]":0,"a":1,"b":2,"##a":3,"##b":4,"aab":5,"##abb":6,"中":7}}})";

// As T5 and XLM-R have it.
constexpr std::string_view pieces =
    R"({"normalizer":{"type":"Sequence","normalizers":[{"type":"Nmt"},
    {"type":"NFKC"},{"type":"Replace","pattern":{"Regex":" {2,}"},"content":" "},{"type":"Strip","strip_left":false,
    "strip_right":true}]},
  "pre_tokenizer":{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":true},
  "decoder":{"type":"Sequence","decoders":[{"type":"ByteFallback"},{"type":"Fuse"},
    {"type":"Strip","content":"▁","start":1,"stop":1}]},
  "model":{"type":"Unigram","unk_id":0,"byte_fallback":true,"vocab":[["<unk>",0],["▁",-2],["a",-3],["▁a",-2.5],
    ["ab",-4],["b",-3.5],["中文",-5],["<0xE4>",-9],["<0xB8>",-9],["<0xAD>",-9]]}})";

// Everything that splits, and what normalizes to other lengths.
constexpr std::string_view parts =
    R"json({"normalizer":{"type":"Sequence","normalizers":[{"type":"NFKD"},
    {"type":"StripAccents"},{"type":"Lowercase"},{"type":"Prepend","prepend":"_ "},
    {"type":"Replace","pattern":{"Regex":"\\p{L}(?=\\d)|^a*"},"content":"xy"}]},
  "pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"UnicodeScripts"},
    {"type":"Split","pattern":{"Regex":"\\s+|(?<=b)"},"behavior":"MergedWithPrevious","invert":false},
    {"type":"Digits","individual_digits":false},{"type":"Punctuation","behavior":"MergedWithNext"},
    {"type":"FixedLength","length":3}]},
  "post_processor":{"type":"TemplateProcessing",
    "special_tokens":{"s":{"id":"s","ids":[1,2],"tokens":["a","b"]}},
    "single":[{"SpecialToken":{"id":"s","type_id":1}},{"Sequence":{"id":"A","type_id":0}}],
    "pair":[{"Sequence":{"id":"B","type_id":2}},{"SpecialToken":{"id":"s","type_id":1}},
            {"Sequence":{"id":"A","type_id":0}}]},
  "decoder":{"type":"CTC","pad_token":"a","word_delimiter_token":"_","cleanup":true},
  "model":{"type":"BPE","unk_token":"?","fuse_unk":true,"byte_fallback":true,
    "continuing_subword_prefix":"##","end_of_word_suffix":"</w>",
    "vocab":{"?":0,"a":1,"b":2,"##a":3,"##b":4,"##b</w>":5,"ab":6,"abb</w>":7},
    "merges":[["a","##b"],["ab","##b</w>"]]}})json";

// GPT-2's: `split` splits, and each byte is a token.
std::string byte_level(const std::string& split, bool ignore_merges) {
  std::string vocabulary;
  for (int32_t id = 0; id < 256; ++id) {
    const std::u32string character(1, text::byte_characters[static_cast<size_t>(id)]);
    vocabulary += str(text::json_quoted(text::to_utf8(character)), ":", id, ",");
  }
  return str(R"({"pre_tokenizer":)", split,
             R"(,"post_processor":{"type":"RobertaProcessing","sep":["b",98],"cls":["a",97],)"
             R"("trim_offsets":true,"add_prefix_space":true},"decoder":{"type":"ByteLevel"},)"
             R"("model":{"type":"BPE","ignore_merges":)",
             ignore_merges ? "true" : "false", R"(,"vocab":{)", vocabulary,
             R"("Ġa":256,"ab":257,"Ġab":258,"aa":259},)"
             R"("merges":[["Ġ","a"],["a","b"],["Ġa","b"],["a","a"]]}})");
}

struct Pair {
  Tokenizer usual, general;  // the second takes no short cuts
};

Pair of(std::string_view json) {
  Pair pair{Tokenizer::from_json(json), Tokenizer::from_json(json)};
  pair.general.set_truncation(TruncationParameters{.max_length = 1 << 24});
  return pair;
}

const Pair& tokenizer_number(size_t number) {
  static const std::array<Pair, 5> all = {
      of(bert), of(pieces), of(parts),
      of(byte_level(R"({"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true})", false)),
      of(byte_level(
          R"({"type":"Sequence","pretokenizers":[{"type":"Split","behavior":"Isolated",)"
          R"("invert":false,"pattern":{"Regex":"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L})"
          R"(\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|)"
          R"(\\s+(?!\\S)|\\s+"}},{"type":"ByteLevel","add_prefix_space":false,)"
          R"("trim_offsets":true,"use_regex":false}]})",
          true))};
  return all[number % all.size()];
}

void check_same(const Encoding& a, const Encoding& b, const char* what) {
  check(a.ids == b.ids && a.type_ids == b.type_ids &&
            a.special_tokens_mask == b.special_tokens_mask &&
            a.attention_mask == b.attention_mask && a.sequences == b.sequences,
        what);
}

void check_offsets(const Encoding& encoding, size_t characters) {
  check(encoding.offsets.size() == encoding.size() && encoding.tokens.size() == encoding.size() &&
            encoding.word_ids.size() == encoding.size(),
        "a list of another length");
  for (const auto& [begin, end] : encoding.offsets)
    check(begin <= end && end <= characters, "offsets outside of the text");
}

void check_parts(const Tokenizer& tokenizer, std::string_view text) {
  Tokenizer cut = Tokenizer::from_json(tokenizer.to_json());
  cut.set_truncation(
      TruncationParameters{.max_length = 7, .stride = 2, .from_left = text.size() % 2 != 0});
  cut.set_padding(PaddingParameters{.length = 8, .left = text.size() % 3 == 0});
  const Encoding first = cut.encode(text);
  check(first.size() == 8, "a part of another length");
  for (const Encoding& part : first.overflowing)
    check(part.size() == 8, "a part of another length");
}

}  // namespace

void encode(std::string_view bytes) {
  if (bytes.empty()) return;
  const Pair& pair = tokenizer_number(static_cast<unsigned char>(bytes[0]));
  const std::string_view text = bytes.substr(1);
  const size_t characters = text::count_characters(text::lossy_utf8(text));
  attempt([&] {
    const Encoding encoding = pair.usual.encode(text), general = pair.general.encode(text);
    check_offsets(encoding, characters);
    check_same(encoding, general, "another way gives other ids");
    check(encoding.offsets == general.offsets && encoding.tokens == general.tokens &&
              encoding.word_ids == general.word_ids,
          "another way gives other offsets");
    check_same(encoding, pair.usual.encode(text, {.offsets = false}), "other ids without offsets");
    pair.usual.decode(encoding.ids);
    pair.usual.decode(encoding.ids, false);
  });
  attempt([&] { check_parts(pair.usual, text); });
  attempt([&] {
    const size_t middle = text.size() / 2;
    check_offsets(pair.usual.encode_pair(text.substr(0, middle), text.substr(middle)),
                  2 * characters + 2);
    pair.usual.encode_words(split(text, ' '));
  });
}

}  // namespace fuzz

// What calls of a folder's tokenizer give, for compare_calls.py to compare with `transformers`.
//
//   call_tokenizer FOLDER CALLS.json RESULTS.json
//
// CALLS: a list of {"texts": [...], "pairs": [...] or null, "overflowing": bool, and the fields of
// TokenizeOptions}. RESULTS: for each the rows of its arrays by name; with "overflowing" the parts
// that were cut off after each text, with offsets and words; the texts that rows decode to; or
// {"error": message}.
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/text/files/auto_tokenizer.h"

using namespace systolic;

namespace {

using Json = nlohmann::json;

PaddingChoice padding_of(const std::string& name) {
  if (name == "longest") return "longest";
  if (name == "max_length") return "max_length";
  return "do_not_pad";
}

TruncationChoice truncation_of(const std::string& name) {
  if (name == "longest_first") return "longest_first";
  if (name == "only_first") return "only_first";
  if (name == "only_second") return "only_second";
  if (name == "left_out") return {};
  return "do_not_truncate";
}

TokenizeOptions options_of(const Json& call) {
  return {.padding = padding_of(call.at("padding")),
          .truncation = truncation_of(call.at("truncation")),
          .max_length = call.at("max_length"),
          .pad_to_multiple_of = call.at("pad_to_multiple_of"),
          .stride = call.at("stride"),
          .add_special_tokens = call.at("add_special_tokens")};
}

Json rows_of(const Literal& array) {
  Json rows = Json::array();
  const auto data = array.data<int32_t>();
  const int64_t length = array.shape()[1];
  for (int64_t i = 0; i < array.shape()[0]; ++i) {
    const auto row = data.subspan(static_cast<size_t>(i * length), static_cast<size_t>(length));
    rows.push_back(std::vector<int32_t>(row.begin(), row.end()));
  }
  return rows;
}

BatchEncoding call_of(const Tokenizer& tokenizer, const Json& call,
                      const TokenizeOptions& options) {
  const std::vector<std::string> texts = call.at("texts");
  if (call.at("pairs").is_null()) return tokenizer(texts, options);
  return tokenizer(texts, call.at("pairs").get<std::vector<std::string>>(), options);
}

// Rows of different lengths, as `transformers` gives them where nothing pads.
Json rows_as_they_are(const BatchEncoding& batch) {
  Json result;
  for (const Encoding& row : batch.encodings) {
    result["input_ids"].push_back(row.ids);
    result["token_type_ids"].push_back(row.type_ids);
    result["attention_mask"].push_back(row.attention_mask);
    result["special_tokens_mask"].push_back(row.special_tokens_mask);
    result["word_ids"].push_back(row.word_ids);
    Json offsets = Json::array();
    for (const auto& [begin, end] : row.offsets) offsets.push_back({begin, end});
    result["offset_mapping"].push_back(offsets);
  }
  return result;
}

Json padded_rows(const BatchEncoding& batch, bool left) {
  Json result{{"input_ids", rows_of(batch.input_ids)},
              {"token_type_ids", rows_of(batch.token_type_ids)},
              {"attention_mask", rows_of(batch.attention_mask)},
              {"special_tokens_mask", rows_of(batch["special_tokens_mask"])}};
  const Literal offsets = batch["offset_mapping"];
  for (int64_t i = 0; i < offsets.shape()[0]; ++i)
    result["offset_mapping"].push_back(rows_of(offsets.row(i)));
  for (const Encoding& row : batch.encodings) {
    std::vector<int32_t> words = row.word_ids;
    const size_t more = static_cast<size_t>(offsets.shape()[1]) - words.size();
    words.insert(left ? words.begin() : words.end(), more, -1);
    result["word_ids"].push_back(words);
  }
  return result;
}

Json overflowing_rows(const Tokenizer& tokenizer, const Json& call, TokenizeOptions options) {
  options.return_overflowing_tokens = options.return_offsets_mapping =
      options.return_special_tokens_mask = true;
  const BatchEncoding batch = call_of(tokenizer, call, options);
  const bool as_they_are = options.padding.kind() == PaddingChoice::do_not_pad;
  Json result =
      as_they_are ? rows_as_they_are(batch) : padded_rows(batch, tokenizer.padding().left);
  const Literal texts = batch["overflow_to_sample_mapping"];
  const auto numbers = texts.data<int32_t>();
  result["overflow_to_sample_mapping"] = std::vector<int32_t>(numbers.begin(), numbers.end());
  return result;
}

Json result_of(const std::string& folder, const Json& call) {
  const Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder);
  const TokenizeOptions options = options_of(call);
  if (call.at("overflowing")) return overflowing_rows(tokenizer, call, options);
  const BatchEncoding batch = call_of(tokenizer, call, options);
  Json result;
  for (const auto& [name, array] : batch.arrays()) result[std::string(name)] = rows_of(array);
  result["decoded"] = tokenizer.decode_batch(batch.input_ids);
  result["decoded_whole"] = tokenizer.decode_batch(batch.input_ids, false);
  return result;
}

int run(const std::string& folder, const std::string& calls, const std::string& results) {
  Json all = Json::array();
  for (const Json& call : Json::parse(io::read_file(calls))) {
    try {
      all.push_back(result_of(folder, call));
    } catch (const Error& error) {
      all.push_back({{"error", error.what()}});
    }
  }
  io::write_file(results, all.dump(-1, ' ', false, Json::error_handler_t::replace));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  try {
    return run(argv[1], argv[2], argv[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

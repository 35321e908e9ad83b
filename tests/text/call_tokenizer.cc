// What calls of a folder's tokenizer give, for compare_calls.py to compare with `transformers`.
//
//   call_tokenizer FOLDER CALLS.json RESULTS.json
//
// CALLS: a list of {"texts": [...], "pairs": [...] or null, "overflowing": bool, and the fields of
// TokenizeOptions}. RESULTS: for each the rows of its arrays by name; with "overflowing" those of
// encode_batch, the parts that were cut off behind each text, with offsets and words; the texts
// that the first row decodes to; or {"error": message}.
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/io/file.h"
#include "systolic/text/auto_tokenizer.h"

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

void add_row(const Encoding& encoding, Json& result) {  // without parts of parts
  result["input_ids"].push_back(encoding.ids);
  result["token_type_ids"].push_back(encoding.type_ids);
  result["attention_mask"].push_back(encoding.attention_mask);
  result["special_tokens_mask"].push_back(encoding.special_tokens_mask);
  result["word_ids"].push_back(encoding.word_ids);
  Json offsets = Json::array();
  for (const auto& [begin, end] : encoding.offsets) offsets.push_back({begin, end});
  result["offset_mapping"].push_back(offsets);
}

// encode_batch() cuts and pads as the tokenizer is told to.
Json overflowing_rows(Tokenizer tokenizer, const Json& call, const TokenizeOptions& options) {
  const int64_t length = options.max_length > 0 ? options.max_length : tokenizer.model_max_length();
  std::optional<TruncationParameters> truncation;
  const TruncationChoice how = options.how_to_cut();
  if (how.kind() != TruncationChoice::do_not_truncate) {
    truncation = TruncationParameters{.max_length = length,
                                      .stride = options.stride,
                                      .strategy = how,
                                      .from_left = call.at("from_left")};
  }
  tokenizer.set_truncation(truncation);
  std::optional<PaddingParameters> padding;
  if (options.padding.kind() != PaddingChoice::do_not_pad) {
    padding = tokenizer.padding();
    padding->pad_to_multiple_of = options.pad_to_multiple_of;
    padding->length = options.padding.kind() == PaddingChoice::max_length ? length : 0;
  }
  tokenizer.set_padding(padding);
  const std::vector<std::string> texts = call.at("texts");
  const EncodeOptions plain{.add_special_tokens = options.add_special_tokens};
  const auto encodings =
      call.at("pairs").is_null()
          ? tokenizer.encode_batch(texts, plain)
          : tokenizer.encode_batch(texts, call.at("pairs").get<std::vector<std::string>>(), plain);
  Json result;
  for (const Encoding& encoding : encodings) {
    add_row(encoding, result);
    for (const Encoding& part : encoding.overflowing) add_row(part, result);
  }
  return result;
}

Json result_of(const std::string& folder, const Json& call) {
  const Tokenizer tokenizer = AutoTokenizer::from_pretrained(folder);
  const TokenizeOptions options = options_of(call);
  if (call.at("overflowing")) return overflowing_rows(tokenizer, call, options);
  const std::vector<std::string> texts = call.at("texts");
  const BatchEncoding batch =
      call.at("pairs").is_null()
          ? tokenizer(texts, options)
          : tokenizer(texts, call.at("pairs").get<std::vector<std::string>>(), options);
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

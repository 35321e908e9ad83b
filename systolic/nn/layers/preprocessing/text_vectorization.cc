#include "systolic/nn/layers/preprocessing/text_vectorization.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/preprocessing/encode.h"

namespace systolic::inline v0 {
namespace {

template <class Names>
Config config_of_name(Choice<Names> rule) {
  return rule.is("none") ? Config() : Config(rule.name());
}
template <class Names>
void read_name(const Config& config, Choice<Names>& rule) {
  rule = Choice<Names>::parse(config.is_null() ? "none" : config.text_value());
}

TextRules text_rules_of(const TextVectorization& layer) {
  return {.standardize = layer.standardize.name(),
          .split = layer.split.name(),
          .ngrams = layer.ngrams.widths(),
          .standardize_function = layer.standardize_function,
          .split_function = layer.split_function};
}

std::vector<int64_t> places_of_tokens(const Lookup<std::string>& lookup, const TokenRows& rows) {
  std::vector<int64_t> places;
  places.reserve(rows.tokens.size());
  for (const std::string& token : rows.tokens) places.push_back(lookup.place_of(token));
  return places;
}

// [rows, length] of the places, cut or filled up with 0.
Literal padded_rows(const std::vector<int64_t>& places, const std::vector<int64_t>& splits,
                    std::optional<int64_t> length) {
  const auto rows = static_cast<int64_t>(splits.size()) - 1;
  int64_t longest = 0;
  for (size_t row = 0; row + 1 < splits.size(); ++row)
    longest = std::max(longest, splits[row + 1] - splits[row]);
  const int64_t width = length.value_or(longest);
  Literal result = Literal::zeros(DType::i64, {rows, width});
  const std::span<int64_t> to = result.mutable_data<int64_t>();
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t begin = splits[static_cast<size_t>(row)];
    const int64_t count = std::min(splits[static_cast<size_t>(row) + 1] - begin, width);
    std::copy_n(places.begin() + begin, count, to.begin() + row * width);
  }
  return result;
}

void check_length(const TextVectorization& layer) {
  const std::optional<int64_t>& length = layer.output_sequence_length;
  if (!length || (layer.output_mode.is("int") && *length > 0)) return;
  raise<InvalidArgument>({.what = str("output_sequence_length is ", *length, " with output_mode \"",
                                      layer.output_mode.name(), "\""),
                          .wanted = "1 or more, with \"int\""});
}

}  // namespace

Config to_config(Standardize rule) { return config_of_name(rule); }
Config to_config(TextSplit rule) { return config_of_name(rule); }
void from_config(const Config& config, Standardize& rule) { read_name(config, rule); }
void from_config(const Config& config, TextSplit& rule) { read_name(config, rule); }

Ngrams::Ngrams(int64_t up_to) {
  for (int64_t width = 1; width <= up_to; ++width) widths_.push_back(width);
}

Config to_config(const Ngrams& ngrams) {
  return ngrams.widths().empty() ? Config() : to_config(ngrams.widths());
}

void from_config(const Config& config, Ngrams& ngrams) {
  ngrams = {};
  if (config.is_null()) return;
  if (config.is_integer()) {
    ngrams = Ngrams(std::clamp<int64_t>(config.integer(), 0, 1000));
    return;
  }
  std::vector<int64_t> widths;
  from_config(config, widths);
  ngrams = Ngrams(std::move(widths));
}

LookupRules<std::string> TextVectorization::rules() const {
  return {.max_tokens = max_tokens,
          .mask_token = "",
          .oov_token = "[UNK]",
          .vocabulary = vocabulary,
          .idf_weights = idf_weights.values(),
          .output_mode = output_mode.name(),
          .pad_to_max_tokens = pad_to_max_tokens};
}

Literal TextVectorization::operator()(const Literal& texts, SourceLocation at) const {
  const ErrorScope scope(kind, at);
  check_length(*this);
  const Lookup<std::string> lookup(rules());
  const TokenRows rows = tokens_of(text_rules_of(*this), texts);
  const std::vector<int64_t> places = places_of_tokens(lookup, rows);
  const Literal result = output_mode.is("int")
                             ? padded_rows(places, rows.row_splits, output_sequence_length)
                             : encode_rows({places, rows.row_splits}, output_mode.name(),
                                           lookup.depth(), lookup.weights());
  const bool splits = split_function || !split.is("none");
  return texts.rank() == 0 || (!splits && texts.rank() == 1) ? result.row(0) : result;
}

Example TextVectorization::ragged(const Literal& texts, SourceLocation at) const {
  const ErrorScope scope(kind, at);
  const TokenRows rows = tokens_of(text_rules_of(*this), texts);
  return {{"values", places_of_tokens(Lookup<std::string>(rules()), rows)},
          {"row_splits", rows.row_splits}};
}

void TextVectorization::adapt(const Literal& texts, SourceLocation at) {
  const ErrorScope scope(kind, at);
  TokenCounts<std::string> counts;
  count_texts(counts, texts.rank() == 1 ? texts.reshape({texts.size(), 1}) : texts);
  learn(counts, at);
}

void TextVectorization::count_texts(TokenCounts<std::string>& counts, const Literal& texts) const {
  const TokenRows rows = tokens_of(text_rules_of(*this), texts);
  std::vector<std::string_view> row;
  for (size_t i = 0; i + 1 < rows.row_splits.size(); ++i) {
    row.assign(rows.tokens.begin() + rows.row_splits[i],
               rows.tokens.begin() + rows.row_splits[i + 1]);
    counts.add_document(row);
  }
}

void TextVectorization::learn(const TokenCounts<std::string>& counts, SourceLocation at) {
  const ErrorScope scope(kind, at);
  LookupRules<std::string> learned = rules();
  counts.finish(learned);
  vocabulary = learned.vocabulary;
  idf_weights = learned.idf_weights;
}

std::vector<std::string> TextVectorization::get_vocabulary(bool include_special_tokens) const {
  const ErrorScope scope(kind, location);
  return Lookup<std::string>(rules()).vocabulary(include_special_tokens);
}

int64_t TextVectorization::vocabulary_size() const {
  const ErrorScope scope(kind, location);
  return Lookup<std::string>(rules()).size();
}

Tensor TextVectorization::call(const Tensor&, CallContext&) const {
  raise_runs_on_host(kind, location);
}

KerasForm TextVectorization::keras_form() {
  KerasForm form{.silent = silent_entries_of_lookups()};
  form.silent.emplace_back("ragged", "*");  // a function of its own here
  form.silent.emplace_back("dtype", "*");
  return form;
}

SYSTOLIC_DEFINE_LAYER(TextVectorization)

}  // namespace systolic::inline v0

#include "systolic/transformers/questions/qa_features.h"

#include <algorithm>
#include <memory>

#include "systolic/base/error.h"
#include "systolic/data/sources/sources.h"
#include "systolic/text/characters.h"

namespace systolic::inline v0 {
namespace {

void check_answers(const QaExample& example, SourceLocation location) {
  if (example.answers.size() != example.answer_starts.size()) {
    raise<InvalidArgument>(
        {.what = str("question '", example.id, "': ", example.answers.size(), " answers and ",
                     example.answer_starts.size(), " places where they begin"),
         .wanted = "as many of each",
         .location = location});
  }
  const auto size = int64_t{character_of(example.context, example.context.size())};
  for (size_t i = 0; i < example.answers.size(); ++i) {
    const auto length = int64_t{character_of(example.answers[i], example.answers[i].size())};
    const int64_t start = example.answer_starts[i];
    if (start >= 0 && start <= size - length) continue;
    raise<InvalidArgument>({.what = str("question '", example.id, "': the answer of ", length,
                                        " characters begins at ", start),
                            .wanted = str("a place in its text, which has ", size, " characters"),
                            .location = location});
  }
}

// Spaces before a question are not part of it.
std::string without_leading_space(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\n\r\f\v");
  return begin == std::string::npos ? std::string() : text.substr(begin);
}

// Which token stands for "no answer".
int64_t class_position(const Tokenizer& tokenizer, const std::vector<int32_t>& ids,
                       SourceLocation location) {
  for (const char* role : {"cls_token", "bos_token"}) {
    const auto id = tokenizer.special_token_id(role, location);
    if (!id) continue;
    const auto found = std::ranges::find(ids, *id);
    if (found != ids.end()) return found - ids.begin();
  }
  return 0;
}

// The tokens of characters [begin, end) of the context; the class token's where the row lacks some.
void place_answer(QaFeature& row, int64_t begin, int64_t end) {
  const auto is_context = [](const std::optional<Offsets>& one) { return one.has_value(); };
  const auto first = std::ranges::find_if(row.offsets, is_context) - row.offsets.begin();
  int64_t last = static_cast<int64_t>(row.offsets.size()) - 1;
  while (last >= 0 && !row.offsets[static_cast<size_t>(last)]) --last;
  const auto offsets = [&](int64_t token) { return *row.offsets[static_cast<size_t>(token)]; };
  if (last < first || offsets(first).begin > begin || offsets(last).end < end) return;
  int64_t start = first;
  while (start < last && offsets(start + 1).begin <= begin) ++start;
  int64_t stop = last;
  while (stop > first && offsets(stop - 1).end >= end) --stop;
  row.start_position = start, row.end_position = stop;
}

QaFeature feature_of(const Encoding& encoding, size_t example, int context) {
  QaFeature row{.example = example,
                .input_ids = encoding.ids,
                .token_type_ids = encoding.type_ids,
                .word_ids = encoding.word_ids};
  const std::vector<int32_t> sequences = encoding.sequence_ids();
  for (size_t i = 0; i < encoding.size(); ++i) {
    row.offsets.emplace_back();
    if (sequences[i] == context) row.offsets.back() = encoding.offsets[i];
  }
  return row;
}

// Few lengths, each of which is a program; none beyond the model's positions.
int64_t padded_length(const std::vector<QaFeature>& features, int64_t most) {
  constexpr int64_t step = 8;
  int64_t longest = 1;
  for (const QaFeature& row : features)
    longest = std::max(longest, static_cast<int64_t>(row.input_ids.size()));
  const int64_t rounded = (longest + step - 1) / step * step;
  return most > 0 && rounded > most ? longest : rounded;
}

}  // namespace

std::vector<QaFeature> qa_features(const Tokenizer& tokenizer,
                                   const std::vector<QaExample>& examples,
                                   const QaFeatureOptions& options, SourceLocation location) {
  const bool pads_in_front = tokenizer.padding(location).left;
  std::vector<std::string> questions, contexts;
  for (const QaExample& example : examples) {
    check_answers(example, location);
    questions.push_back(without_leading_space(example.question));
    contexts.push_back(example.context);
  }
  if (pads_in_front) std::swap(questions, contexts);
  TruncationChoice cut = "only_second";
  if (pads_in_front) cut = "only_first";
  const BatchEncoding batch = tokenizer(questions, contexts,
                                        {.truncation = cut,
                                         .max_length = options.max_seq_length,
                                         .stride = options.doc_stride,
                                         .return_overflowing_tokens = true,
                                         .return_offsets_mapping = true},
                                        location);
  const Literal& example_of_row = batch["overflow_to_sample_mapping"];
  std::vector<QaFeature> rows;
  for (size_t i = 0; i < batch.encodings.size(); ++i) {
    const auto which = static_cast<size_t>(example_of_row.integer_at(static_cast<int64_t>(i)));
    rows.push_back(feature_of(batch.encodings[i], which, pads_in_front ? 0 : 1));
    QaFeature& row = rows.back();
    row.start_position = row.end_position = class_position(tokenizer, row.input_ids, location);
    const QaExample& example = examples[which];
    if (example.answers.empty()) continue;
    const int64_t begin = example.answer_starts[0];
    const std::string& answer = example.answers[0];
    place_answer(row, begin, begin + character_of(answer, answer.size()));
  }
  return rows;
}

data::Dataset qa_dataset(std::vector<QaFeature> features, bool labelled) {
  const auto rows = std::make_shared<const std::vector<QaFeature>>(std::move(features));
  return data::range(static_cast<int64_t>(rows->size())).map([rows, labelled](const Example& each) {
    const QaFeature& row = (*rows)[static_cast<size_t>(each["value"].integer_at(0))];
    const auto tokens = static_cast<int64_t>(row.input_ids.size());
    Example made{{"input_ids", Literal::from(row.input_ids, {tokens})},
                 {"token_type_ids", Literal::from(row.token_type_ids, {tokens})}};
    if (labelled) {
      made.set("start_positions", Literal::scalar(static_cast<int32_t>(row.start_position)));
      made.set("end_positions", Literal::scalar(static_cast<int32_t>(row.end_position)));
    }
    return made;
  });
}

Example qa_scores(const PretrainedModel& model, const Tokenizer& tokenizer,
                  const std::vector<QaFeature>& features, int64_t batch_size,
                  SourceLocation location) {
  const PaddingParameters padding = tokenizer.padding(location);
  const auto rows = static_cast<int64_t>(features.size());
  const int64_t length = padded_length(features, model.config().architecture().max_tokens());
  BatchEncoding batch{
      .input_ids = Literal::filled(DType::i32, {rows, length}, padding.id),
      .token_type_ids = Literal::filled(DType::i32, {rows, length}, padding.type_id),
      .attention_mask = Literal::filled(DType::i32, {rows, length}, 0)};
  for (int64_t row = 0; row < rows; ++row) {
    const QaFeature& one = features[static_cast<size_t>(row)];
    const auto size = static_cast<int64_t>(one.input_ids.size());
    const int64_t at = row * length + (padding.left ? length - size : 0);
    std::ranges::copy(one.input_ids, batch.input_ids.mutable_data<int32_t>().begin() + at);
    std::ranges::copy(one.token_type_ids,
                      batch.token_type_ids.mutable_data<int32_t>().begin() + at);
    std::ranges::fill_n(batch.attention_mask.mutable_data<int32_t>().begin() + at, size, 1);
  }
  const Example scores =
      model.predict_outputs(batch, {.batch_size = std::min(batch_size, rows)}, location);
  return {{"start_logits", scores["start_logits"].convert(DType::f32)},
          {"end_logits", scores["end_logits"].convert(DType::f32)}};
}

}  // namespace systolic::inline v0

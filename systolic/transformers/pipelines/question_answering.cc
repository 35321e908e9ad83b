#include "systolic/transformers/pipelines/question_answering.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "systolic/base/error.h"
#include "systolic/text/characters.h"
#include "systolic/text/unicode/properties.h"
#include "systolic/text/unicode/utf8.h"
#include "systolic/transformers/questions/qa_features.h"

namespace systolic::inline v0 {
namespace {

using Answers = std::vector<QuestionAnswer>;

void check(const std::string& question, const std::string& context,
           const QuestionAnsweringOptions& options, SourceLocation location) {
  if (question.empty() || context.empty()) {
    raise<InvalidArgument>({.what = str("an empty ", question.empty() ? "question" : "context"),
                            .wanted = "a question and the text in which its answer stands",
                            .location = location});
  }
  if (options.top_k < 1 || options.max_answer_len < 1) {
    raise<InvalidArgument>(
        {.what = str("top_k = ", options.top_k, ", max_answer_len = ", options.max_answer_len),
         .wanted = "1 or more of each",
         .location = location});
  }
}

QaFeatureOptions feature_options(const QuestionAnsweringOptions& options, int64_t most,
                                 SourceLocation location) {
  constexpr int64_t usual_length = 384, usual_stride = 128;
  const int64_t length =
      options.max_seq_len.value_or(most > 0 ? std::min(most, usual_length) : usual_length);
  const int64_t stride = options.doc_stride.value_or(std::min(length / 2, usual_stride));
  if (stride < 0 || stride > length) {
    raise<InvalidArgument>({.what = str("doc_stride = ", stride),
                            .wanted = str("0 to max_seq_len = ", length),
                            .location = location});
  }
  return {.max_seq_length = length, .doc_stride = stride};
}

// exp(x - max) / sum over the tokens of the context and the class token, 0 for others.
std::vector<double> chances(std::span<const float> logits, const std::vector<bool>& counts) {
  double most = -std::numeric_limits<double>::infinity(), sum = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i]) most = std::max<double>(most, logits[i]);
  }
  std::vector<double> result;
  for (size_t i = 0; i < counts.size(); ++i) {
    result.push_back(counts[i] ? std::exp(logits[i] - most) : 0);
    sum += result.back();
  }
  for (double& one : result) one /= sum;
  return result;
}

// That an answer begins and ends at each token of a row.
struct Chances {
  std::vector<double> starts, ends;
  double no_answer = 0;
};

Chances chances_of(const QaFeature& row, size_t number, const Example& scores,
                   std::optional<int32_t> class_token, bool pads_in_front) {
  const auto width = static_cast<size_t>(scores["start_logits"].shape()[1]);
  const size_t size = row.input_ids.size();
  const size_t begin = number * width + (pads_in_front ? width - size : 0);
  std::vector<bool> counts;
  for (size_t token = 0; token < size; ++token)
    counts.push_back(row.offsets[token] || (class_token && row.input_ids[token] == *class_token));
  const auto of = [&](const char* name) {
    return chances(scores[name].data<float>().subspan(begin, size), counts);
  };
  Chances made{.starts = of("start_logits"), .ends = of("end_logits")};
  made.no_answer = made.starts[0] * made.ends[0];
  for (size_t token = 0; token < size; ++token) {
    if (!row.offsets[token]) made.starts[token] = made.ends[token] = 0;
  }
  return made;
}

struct Span {
  double score = 0;
  size_t start = 0, end = 0;
};

// The likeliest spans of at most `longest` tokens; of equal ones the first.
std::vector<Span> likeliest(const Chances& chances, int64_t longest, int64_t count) {
  const std::vector<double>&starts = chances.starts, &ends = chances.ends;
  std::vector<Span> spans;
  for (size_t start = 0; start < starts.size(); ++start) {
    const size_t stop = std::min(ends.size(), start + static_cast<size_t>(longest));
    for (size_t end = start; end < stop; ++end) {
      const double score = starts[start] * ends[end];
      if (score > 0) spans.push_back({score, start, end});
    }
  }
  const auto most = std::min(spans.size(), static_cast<size_t>(count));
  const auto order = [](const Span& a, const Span& b) {
    return a.score != b.score ? a.score > b.score
                              : std::pair(a.start, a.end) < std::pair(b.start, b.end);
  };
  std::ranges::partial_sort(spans, spans.begin() + static_cast<std::ptrdiff_t>(most), order);
  spans.resize(most);
  return spans;
}

// The characters of the context from one token to another, or of the words that these are of.
Offsets characters_of(const QaFeature& row, const Span& span, bool align_to_words) {
  size_t first = span.start, last = span.end;
  const auto of_word = [&](size_t token, size_t of) {
    return row.offsets[token] && row.word_ids[token] == row.word_ids[of];
  };
  if (align_to_words && row.word_ids[first] >= 0 && row.word_ids[last] >= 0) {
    while (first > 0 && of_word(first - 1, span.start)) --first;
    while (last + 1 < row.offsets.size() && of_word(last + 1, span.end)) ++last;
  }
  return {row.offsets[first]->begin, row.offsets[last]->end};
}

std::string lower(const std::string& text) {
  std::string result;
  for (size_t at = 0; at < text.size(); at += text::utf8_size(static_cast<unsigned char>(text[at])))
    text::lower_case_of(text::character_at(text, at),
                        [&](char32_t c) { result += str(static_cast<uint32_t>(c), " "); });
  return result;
}

void add_answer(Answers& answers, double score, Offsets range, const std::string& context) {
  const std::string text = characters(context, range);
  for (QuestionAnswer& one : answers) {
    if (lower(one.answer) != lower(text)) continue;
    one.score += score;
    return;
  }
  answers.push_back({score, range.begin, range.end, text});
}

Answers best(Answers answers, int64_t count) {
  std::ranges::stable_sort(
      answers, [](const QuestionAnswer& a, const QuestionAnswer& b) { return a.score > b.score; });
  if (answers.size() > static_cast<size_t>(count)) answers.resize(static_cast<size_t>(count));
  return answers;
}

}  // namespace

QuestionAnsweringPipeline::QuestionAnsweringPipeline(const std::string& folder,
                                                     SourceLocation location)
    : parts_(PipelineParts::from_pretrained(folder, Task::question_answering, location)) {}

QuestionAnsweringPipeline::QuestionAnsweringPipeline(PretrainedModel model, Tokenizer tokenizer)
    : parts_{std::move(model), std::move(tokenizer)} {}

Answers QuestionAnsweringPipeline::operator()(const std::string& question,
                                              const std::string& context,
                                              const QuestionAnsweringOptions& options,
                                              SourceLocation location) const {
  check(question, context, options, location);
  const Tokenizer& tokenizer = parts_.tokenizer;
  const std::vector<QaFeature> rows =
      qa_features(tokenizer, {{.question = question, .context = context}},
                  feature_options(options, tokenizer.model_max_length(), location), location);
  const Example scores = qa_scores(parts_.model, tokenizer, rows, 8, location);
  const bool pads_in_front = tokenizer.padding(location).left;
  const auto class_token = tokenizer.special_token_id("cls_token", location);
  // Some become one where words are whole.
  const int64_t tried = options.align_to_words ? 2 * options.top_k + 10 : options.top_k;
  double no_answer = 1;
  Answers answers;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Chances chances = chances_of(rows[i], i, scores, class_token, pads_in_front);
    no_answer = std::min(no_answer, chances.no_answer);
    for (const Span& span : likeliest(chances, options.max_answer_len, tried))
      add_answer(answers, span.score, characters_of(rows[i], span, options.align_to_words),
                 context);
  }
  if (options.handle_impossible_answer) answers.push_back({no_answer, 0, 0, ""});
  return best(std::move(answers), options.top_k);
}

}  // namespace systolic::inline v0

#include "systolic/transformers/questions/postprocess_qa_predictions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>

#include "systolic/base/error.h"
#include "systolic/text/characters.h"

namespace systolic::inline v0 {
namespace {

struct Candidate {
  Offsets offsets = {};
  float score = 0, start_logit = 0, end_logit = 0;
};

// The places of the `count` largest; of equal ones the later first, as a sorted array read from its
// end has them.
std::vector<size_t> largest(std::span<const float> values, int64_t count) {
  std::vector<size_t> places(values.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::ranges::stable_sort(places, [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::ranges::reverse(places);
  places.resize(std::min(places.size(), static_cast<size_t>(count)));
  return places;
}

class Candidates {
 public:
  explicit Candidates(const QaAnswerOptions& options) : options_(options) {}

  void add_row(const QaFeature& row, std::span<const float> starts, std::span<const float> ends) {
    const float none = starts[0] + ends[0];
    if (!null_ || null_->score > none) null_ = Candidate{{}, none, starts[0], ends[0]};
    const std::vector<size_t> last = largest(ends, options_.n_best_size);
    for (const size_t start : largest(starts, options_.n_best_size)) {
      for (const size_t end : last) {
        if (!is_answer(row, start, end)) continue;
        found_.push_back({{row.offsets[start]->begin, row.offsets[end]->end},
                          starts[start] + ends[end],
                          starts[start],
                          ends[end]});
      }
    }
  }
  // The best ones, the best first; with "no answer" among them where that is possible.
  std::vector<Candidate> best() {
    if (options_.version_2_with_negative) found_.push_back(*null_);
    std::ranges::stable_sort(
        found_, [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
    const auto most = static_cast<size_t>(options_.n_best_size);
    if (found_.size() > most) found_.resize(most);
    const bool has_none =
        std::ranges::any_of(found_, [](const Candidate& one) { return one.offsets == Offsets{}; });
    if (options_.version_2_with_negative && !has_none) found_.push_back(*null_);
    return found_;
  }
  double null_score() const { return null_->score; }

 private:
  bool is_answer(const QaFeature& row, size_t start, size_t end) const {
    if (std::max(start, end) >= row.offsets.size() || end < start) return false;
    if (!row.offsets[start] || !row.offsets[end]) return false;
    return static_cast<int64_t>(end - start) < options_.max_answer_length;
  }

  const QaAnswerOptions& options_;
  std::optional<Candidate> null_;
  std::vector<Candidate> found_;
};

std::vector<QaAnswer> answers_of(const std::vector<Candidate>& candidates,
                                 const std::string& context) {
  std::vector<QaAnswer> answers;
  std::vector<double> scores;
  for (const Candidate& one : candidates) {
    answers.push_back({.text = characters(context, one.offsets),
                       .start_logit = one.start_logit,
                       .end_logit = one.end_logit});
    scores.push_back(one.score);
  }
  if (answers.empty() || (answers.size() == 1 && answers[0].text.empty())) {
    answers.insert(answers.begin(), QaAnswer{.text = "empty"});
    scores.insert(scores.begin(), 0);
  }
  const double most = *std::ranges::max_element(scores);
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - most);
  for (size_t i = 0; i < scores.size(); ++i) answers[i].probability = scores[i] / sum;
  return answers;
}

QaPrediction prediction_of(Candidates& candidates, const std::string& context,
                           const QaAnswerOptions& options) {
  QaPrediction made{.n_best = answers_of(candidates.best(), context)};
  made.text = made.n_best.front().text;
  if (!options.version_2_with_negative) return made;
  const auto best =
      std::ranges::find_if(made.n_best, [](const QaAnswer& one) { return !one.text.empty(); });
  if (best == made.n_best.end()) return made;
  made.score_diff = candidates.null_score() - best->start_logit - best->end_logit;
  made.text = made.score_diff > options.null_score_diff_threshold ? "" : best->text;
  return made;
}

void check(const std::vector<QaFeature>& features, const Literal& logits, const char* name,
           const std::vector<QaExample>& examples, const QaAnswerOptions& options,
           SourceLocation location) {
  const auto rows = static_cast<int64_t>(features.size());
  int64_t longest = 1;
  for (const QaFeature& row : features)
    longest = std::max(longest, static_cast<int64_t>(row.offsets.size()));
  const Shape& shape = logits.shape();
  if (shape.rank() != 2 || shape[0] != rows || shape[1] < longest) {
    raise<InvalidArgument>({.what = str("postprocess_qa_predictions: ", name, " is ", shape),
                            .wanted = str("[", rows, ", ", longest, " or more]"),
                            .location = location});
  }
  if (options.n_best_size < 1 || options.max_answer_length < 1) {
    raise<InvalidArgument>(
        {.what = str("postprocess_qa_predictions: n_best_size ", options.n_best_size,
                     " and max_answer_length ", options.max_answer_length),
         .wanted = "1 or more",
         .location = location});
  }
  for (const QaFeature& row : features) {
    if (row.example < examples.size()) continue;
    raise<InvalidArgument>(
        {.what = str("postprocess_qa_predictions: a row of example ", row.example),
         .wanted = str("less than ", examples.size()),
         .location = location});
  }
}

}  // namespace

std::vector<QaPrediction> postprocess_qa_predictions(const std::vector<QaExample>& examples,
                                                     const std::vector<QaFeature>& features,
                                                     const Literal& start_logits,
                                                     const Literal& end_logits,
                                                     const QaAnswerOptions& options,
                                                     SourceLocation location) {
  check(features, start_logits, "start_logits", examples, options, location);
  check(features, end_logits, "end_logits", examples, options, location);
  const Literal starts = start_logits.convert(DType::f32), ends = end_logits.convert(DType::f32);
  std::vector<std::vector<size_t>> rows_of(examples.size());
  for (size_t i = 0; i < features.size(); ++i) rows_of[features[i].example].push_back(i);
  std::vector<QaPrediction> predictions;
  for (size_t i = 0; i < examples.size(); ++i) {
    Candidates candidates(options);
    for (const size_t row : rows_of[i]) {
      const auto row_of = [&](const Literal& logits) {
        const auto width = static_cast<size_t>(logits.shape()[1]);
        const auto all = logits.data<float>().subspan(row * width, width);
        return options.pads_in_front ? all.last(features[row].offsets.size()) : all;
      };
      candidates.add_row(features[row], row_of(starts), row_of(ends));
    }
    if (rows_of[i].empty()) {
      raise<InvalidArgument>(
          {.what = str("postprocess_qa_predictions: no row of question '", examples[i].id, "'"),
           .location = location});
    }
    predictions.push_back(prediction_of(candidates, examples[i].context, options));
  }
  return predictions;
}

}  // namespace systolic::inline v0

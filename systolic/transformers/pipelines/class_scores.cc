#include "systolic/transformers/pipelines/class_scores.h"

#include "systolic/transformers/pipelines/pipeline_parts.h"

namespace systolic::inline v0 {
namespace {

ScoreFunction function_for(const Labels& labels, ScoreFunction given) {
  if (given.kind() != ScoreFunction::left_out) return given;
  if (labels.problem_type == "regression") return ScoreFunction::none;
  if (labels.problem_type == "multi_label_classification" || labels.count() == 1)
    return ScoreFunction::sigmoid;
  return ScoreFunction::softmax;
}

std::vector<double> scores_of(std::span<const float> logits, ScoreFunction function) {
  if (function.kind() == ScoreFunction::softmax) return softmax_of(logits);
  if (function.kind() == ScoreFunction::sigmoid) return sigmoid_of(logits);
  return {logits.begin(), logits.end()};
}

}  // namespace

std::vector<ClassScore> class_scores(std::span<const float> logits, const Labels& labels,
                                     ScoreFunction function, int64_t top_k) {
  const std::vector<double> scores = scores_of(logits, function_for(labels, function));
  std::vector<ClassScore> result;
  for (const size_t place : places_of_largest(scores, top_k))
    result.push_back({labels.names[place], scores[place]});
  return result;
}

}  // namespace systolic::inline v0

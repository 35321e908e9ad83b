#include "systolic/transformers/pipelines/pipeline_parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/text/files/auto_tokenizer.h"

namespace systolic::inline v0 {

PipelineParts PipelineParts::from_pretrained(const std::string& folder, Task task,
                                             SourceLocation location) {
  return {PretrainedModel::from_pretrained(folder, task, {}, location),
          AutoTokenizer::from_pretrained(folder, location)};
}

BatchEncoding PipelineParts::encode(std::span<const std::string> texts,
                                    SourceLocation location) const {
  constexpr int64_t step = 8;
  const bool pads = tokenizer.special_token("pad_token").has_value();
  // Rounding up must not lead beyond the model's positions.
  const bool rounds = pads && model.config().architecture().max_tokens() % step == 0;
  return tokenizer(texts,
                   {.padding = pads,
                    .pad_to_multiple_of = rounds ? step : 0,
                    .return_offsets_mapping = true,
                    .return_special_tokens_mask = true},
                   location);
}

Literal PipelineParts::predict(const BatchEncoding& batch, SourceLocation location) const {
  return model.predict(batch, {}, location).convert(DType::f32);
}

GenerationConfig folder_settings(const std::string& folder, SourceLocation location) {
  GenerationConfig settings;
  const std::string path = folder + "/generation_config.json";
  if (!io::exists(path, location)) return settings;
  ConfigFields fields(read_config_file(path, location), path, location);
  settings.transfer(fields);
  return settings;
}

std::vector<std::string> hypotheses_of(const std::vector<std::string>& labels,
                                       const std::string& pattern, SourceLocation location) {
  const size_t at = pattern.find("{}");
  if (at == std::string::npos || labels.empty()) {
    raise<InvalidArgument>(
        {.what = str(labels.size(), " candidate_labels, hypothesis_template \"", pattern, "\""),
         .wanted = "one label or more, and a template with {} where a label is to stand",
         .location = location});
  }
  std::vector<std::string> result;
  for (const std::string& label : labels)
    result.push_back(pattern.substr(0, at) + label + pattern.substr(at + 2));
  return result;
}

std::vector<double> softmax_of(std::span<const float> scores) {
  const double most = *std::ranges::max_element(scores);
  std::vector<double> result;
  for (const float score : scores) result.push_back(std::exp(score - most));
  const double sum = std::accumulate(result.begin(), result.end(), 0.0);
  for (double& one : result) one /= sum;
  return result;
}

std::vector<double> sigmoid_of(std::span<const float> scores) {
  std::vector<double> result;
  for (const float score : scores) result.push_back(1 / (1 + std::exp(-double{score})));
  return result;
}

std::vector<size_t> places_of_largest(std::span<const double> values, int64_t count) {
  std::vector<size_t> places(values.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::ranges::stable_sort(places, [&](size_t a, size_t b) { return values[a] > values[b]; });
  if (count > 0 && static_cast<size_t>(count) < places.size())
    places.resize(static_cast<size_t>(count));
  return places;
}

}  // namespace systolic::inline v0

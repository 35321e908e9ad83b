#include "systolic/transformers/pipelines/text_generation.h"

#include <algorithm>
#include <span>
#include <utility>

namespace systolic::inline v0 {
namespace {

// Defaults of transformers' pipeline, within the model's positions.
GenerationConfig pipeline_defaults(int64_t positions, int64_t prompt, bool has_length) {
  constexpr int64_t most_new = 256;
  GenerationConfig defaults{.do_sample = true, .temperature = 0.7};
  if (!has_length)
    defaults.max_new_tokens =
        positions > prompt ? std::min(most_new, positions - prompt) : most_new;
  return defaults;
}

}  // namespace

TextGenerationPipeline::TextGenerationPipeline(const std::string& folder, SourceLocation location)
    : parts_(PipelineParts::from_pretrained(folder, Task::causal_lm, location)),
      of_folder_(folder_settings(folder, location)) {}

TextGenerationPipeline::TextGenerationPipeline(PretrainedModel model, Tokenizer tokenizer)
    : parts_{std::move(model), std::move(tokenizer)} {}

std::vector<std::string> TextGenerationPipeline::written(const std::string& prompt,
                                                         bool add_special_tokens,
                                                         const GenerationConfig& generation,
                                                         SourceLocation location) const {
  const BatchEncoding batch =
      parts_.tokenizer(std::span(&prompt, 1), {.add_special_tokens = add_special_tokens}, location);
  const int64_t tokens = batch["input_ids"].shape()[1];
  GenerationConfig settings = generation.over(of_folder_);
  const bool has_length = settings.max_new_tokens || settings.max_length;
  const int64_t positions = parts_.model.config().architecture().max_tokens();
  settings = settings.over(pipeline_defaults(positions, tokens, has_length));
  const Literal ids = parts_.model.generate(batch, settings, location);
  std::vector<std::string> result;
  for (int64_t row = 0; row < ids.shape()[0]; ++row) {
    const auto all = ids.convert(DType::i32).row(row);
    const std::span<const int32_t> numbers = all.data<int32_t>();
    result.push_back(parts_.tokenizer.decode(numbers.subspan(static_cast<size_t>(tokens))));
  }
  return result;
}

std::vector<GeneratedText> TextGenerationPipeline::operator()(const std::string& prompt,
                                                              const GenerationConfig& generation,
                                                              const TextGenerationOptions& options,
                                                              SourceLocation location) const {
  std::vector<GeneratedText> result;
  for (const std::string& text : written(prompt, true, generation, location))
    result.push_back({options.return_full_text ? prompt + text : text});
  return result;
}

std::vector<GeneratedText> TextGenerationPipeline::operator()(
    const std::vector<ChatMessage>& messages, const GenerationConfig& generation,
    SourceLocation location) const {
  const std::string prompt =
      apply_chat_template(parts_.tokenizer, messages, {.add_generation_prompt = true}, location);
  std::vector<GeneratedText> result;
  for (std::string& text : written(prompt, false, generation, location))
    result.push_back({std::move(text)});
  return result;
}

}  // namespace systolic::inline v0

// pipeline("text-generation"): texts and conversations continued.
//
//   const TextGenerationPipeline write("SmolLM2-135M/");
//   std::cout << write("The boat", {.max_new_tokens = 20})[0].generated_text << "\n";
//   std::cout << write(std::vector<ChatMessage>{{"user", "Hello"}})[0].generated_text << "\n";
#pragma once

#include <string>
#include <vector>

#include "systolic/text/chat_template.h"
#include "systolic/transformers/generation/generation_config.h"
#include "systolic/transformers/pipelines/pipeline_parts.h"

namespace systolic::inline v0 {

// A text that was written.
struct GeneratedText {
  std::string generated_text;
};

// What a call of a TextGenerationPipeline gives: {.return_full_text = false}.
struct TextGenerationOptions {
  bool return_full_text = true;  // the prompt in front of what was written; of texts only
};

// The texts of transformers' pipeline. What neither the call nor the folder's
// generation_config.json sets is as there: 256 tokens, or as many as there are positions for, drawn
// at a temperature of 0.7; {.do_sample = false} takes the likeliest.
//   TextGenerationPipeline write("SmolLM2-135M/");
class TextGenerationPipeline {
 public:
  // A causal language model, and its tokenizer, of one folder.
  explicit TextGenerationPipeline(const std::string& folder,
                                  SourceLocation location = SourceLocation::current());
  TextGenerationPipeline(PretrainedModel model, Tokenizer tokenizer);

  // num_return_sequences texts. Errors are those of PretrainedModel::generate.
  std::vector<GeneratedText> operator()(const std::string& prompt,
                                        const GenerationConfig& generation = {},
                                        const TextGenerationOptions& options = {},
                                        SourceLocation location = SourceLocation::current()) const;
  // What an assistant answers, by the tokenizer's chat template. Errors are also those of
  // apply_chat_template (text/chat_template.h).
  std::vector<GeneratedText> operator()(const std::vector<ChatMessage>& messages,
                                        const GenerationConfig& generation = {},
                                        SourceLocation location = SourceLocation::current()) const;

 private:
  std::vector<std::string> written(const std::string& prompt, bool add_special_tokens,
                                   const GenerationConfig& generation,
                                   SourceLocation location) const;
  PipelineParts parts_;
  GenerationConfig of_folder_;
};

}  // namespace systolic::inline v0

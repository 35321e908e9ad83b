// From texts to answers by a task's name, as transformers' pipeline("text-classification") gives
// them.
//
//   const auto classify = pipeline<"text-classification">("distilbert-sst-2/");
//   std::cout << classify("a fine story")[0].label << "\n";
//
// The name is known while compiling, and so is what an answer consists of.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "systolic/transformers/pipelines/feature_extraction.h"
#include "systolic/transformers/pipelines/fill_mask.h"
#include "systolic/transformers/pipelines/text_classification.h"
#include "systolic/transformers/pipelines/token_classification.h"

namespace systolic::inline v0 {

// A text as a template argument: pipeline<"fill-mask">.
template <size_t n>
struct PipelineName {
  consteval PipelineName(const char (&name)[n]) { std::copy_n(name, n, text); }  // NOLINT
  constexpr std::string_view view() const { return {text, n - 1}; }
  char text[n] = {};
};

// A model with the task's head, and its tokenizer, of one folder. "text-classification" (or
// "sentiment-analysis"), "token-classification" ("ner"), "fill-mask" and "feature-extraction".
//   const auto fill = pipeline<"fill-mask">("bert-base-uncased/");
template <PipelineName name>
auto pipeline(const std::string& folder, SourceLocation location = SourceLocation::current()) {
  constexpr std::string_view task = name.view();
  if constexpr (task == "text-classification" || task == "sentiment-analysis") {
    return TextClassificationPipeline(folder, location);
  } else if constexpr (task == "token-classification" || task == "ner") {
    return TokenClassificationPipeline(folder, location);
  } else if constexpr (task == "fill-mask") {
    return FillMaskPipeline(folder, location);
  } else {
    static_assert(
        task == "feature-extraction",
        "a pipeline is \"text-classification\", \"token-classification\", \"fill-mask\" or "
        "\"feature-extraction\"");
    return FeatureExtractionPipeline(folder, location);
  }
}

}  // namespace systolic::inline v0

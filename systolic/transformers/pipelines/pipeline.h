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
#include "systolic/transformers/pipelines/image_classification.h"
#include "systolic/transformers/pipelines/question_answering.h"
#include "systolic/transformers/pipelines/speech_recognition.h"
#include "systolic/transformers/pipelines/text_classification.h"
#include "systolic/transformers/pipelines/text_generation.h"
#include "systolic/transformers/pipelines/token_classification.h"
#include "systolic/transformers/pipelines/zero_shot_classification.h"
#include "systolic/transformers/pipelines/zero_shot_image_classification.h"

namespace systolic::inline v0 {

// A text as a template argument: pipeline<"fill-mask">.
template <size_t n>
struct PipelineName {
  consteval PipelineName(const char (&name)[n]) { std::copy_n(name, n, text); }  // NOLINT
  constexpr std::string_view view() const { return {text, n - 1}; }
  char text[n] = {};
};

// A model with the task's head, and its tokenizer or image processor, of one folder.
// "text-classification" (or "sentiment-analysis"), "token-classification" ("ner"), "fill-mask",
// "feature-extraction", "text-generation", "question-answering", "zero-shot-classification",
// "image-classification", "zero-shot-image-classification" and "automatic-speech-recognition".
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
  } else if constexpr (task == "text-generation") {
    return TextGenerationPipeline(folder, location);
  } else if constexpr (task == "zero-shot-classification") {
    return ZeroShotClassificationPipeline(folder, location);
  } else if constexpr (task == "question-answering") {
    return QuestionAnsweringPipeline(folder, location);
  } else if constexpr (task == "image-classification") {
    return ImageClassificationPipeline(folder, location);
  } else if constexpr (task == "zero-shot-image-classification") {
    return ZeroShotImageClassificationPipeline(folder, location);
  } else if constexpr (task == "automatic-speech-recognition") {
    return SpeechRecognitionPipeline(folder, location);
  } else {
    static_assert(task == "feature-extraction",
                  "a pipeline is \"text-classification\", \"token-classification\", \"fill-mask\", "
                  "\"feature-extraction\", \"text-generation\", \"question-answering\", "
                  "\"zero-shot-classification\", \"image-classification\", "
                  "\"zero-shot-image-classification\" or \"automatic-speech-recognition\"");
    return FeatureExtractionPipeline(folder, location);
  }
}

}  // namespace systolic::inline v0

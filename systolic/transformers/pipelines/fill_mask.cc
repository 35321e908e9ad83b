#include "systolic/transformers/pipelines/fill_mask.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {

FillMaskPipeline::FillMaskPipeline(const std::string& folder, SourceLocation location)
    : parts_(PipelineParts::from_pretrained(folder, Task::masked_lm, location)) {}

FillMaskPipeline::FillMaskPipeline(PretrainedModel model, Tokenizer tokenizer)
    : parts_{std::move(model), std::move(tokenizer)} {}

std::vector<FilledMask> FillMaskPipeline::operator()(const std::string& text,
                                                     const FillMaskOptions& options,
                                                     SourceLocation location) const {
  const auto all = each_mask(text, options, location);
  if (all.size() == 1) return all[0];
  raise<InvalidArgument>({.what = str("fill-mask of a text with ", all.size(), " masks"),
                          .wanted = "one",
                          .hint = "each_mask(text) gives a list for each",
                          .location = location});
}

std::vector<std::vector<FilledMask>> FillMaskPipeline::each_mask(const std::string& text,
                                                                 const FillMaskOptions& options,
                                                                 SourceLocation location) const {
  const auto mask = parts_.tokenizer.special_token_id("mask_token", location);
  const BatchEncoding batch = parts_.encode(std::span(&text, 1), location);
  const std::vector<int32_t>& ids = batch.encodings[0].ids;
  const std::vector<int32_t>& attended = batch.encodings[0].attention_mask;
  std::vector<size_t> masks;
  std::vector<int32_t> tokens;  // without those that pad
  for (size_t i = 0; i < ids.size(); ++i) {
    if (attended[i] == 0) continue;
    if (mask && ids[i] == *mask) masks.push_back(i);
    tokens.push_back(ids[i]);
  }
  if (masks.empty())
    raise<InvalidArgument>(
        {.what = str("fill-mask of a text without a mask: '", text.substr(0, 80), "'"),
         .wanted = mask ? parts_.tokenizer.special_token("mask_token").value_or("") + " in it"
                        : "a tokenizer with a mask_token",
         .location = location});
  const Literal logits = parts_.predict(batch, location);  // [1, tokens, vocabulary]
  const auto vocabulary = static_cast<size_t>(logits.shape()[2]);
  std::vector<std::vector<FilledMask>> result;
  size_t at = 0;  // of the mask among `tokens`
  for (const size_t place : masks) {
    while (tokens[at] != *mask) ++at;
    const std::vector<double> scores =
        softmax_of(logits.data<float>().subspan(place * vocabulary, vocabulary));
    result.emplace_back();
    for (const size_t best : places_of_largest(scores, options.top_k)) {
      const auto token = static_cast<int32_t>(best);
      std::vector<int32_t> filled = tokens;
      filled[at] = token;
      result.back().push_back({scores[best], token, parts_.tokenizer.decode({token}, false),
                               parts_.tokenizer.decode(filled, masks.size() == 1)});
    }
    ++at;
  }
  return result;
}

}  // namespace systolic::inline v0

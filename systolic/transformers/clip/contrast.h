// How alike texts and pictures are: the outputs of CLIPModel and SiglipModel. Internal to
// transformers.
#pragma once

#include <vector>

#include "systolic/nn/symbol.h"

namespace systolic::inline v0 {

struct ContrastOptions {
  double scale = 0;       // the logarithm of what similarities are multiplied by, at the start
  bool has_bias = false;  // SigLIP adds a learned number; both numbers are arrays of one then
};

// text, picture [batch, size] -> {logits_per_image, logits_per_text [batch, batch], text_embeds,
// image_embeds [batch, size]}, whose embeddings have length 1. Rows of logits are those of the
// thing that they are named after.
std::vector<Symbol> contrast_outputs(const Symbol& text, const Symbol& picture,
                                     const ContrastOptions& options);

}  // namespace systolic::inline v0

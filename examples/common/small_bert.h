// A small BERT of random weights, with a WordPiece vocabulary trained on the texts at hand: what
// the text examples fine-tune where there is no pretrained model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace examples {

// Makes `folder` with config.json, model.safetensors and tokenizer.json.
void make_small_bert(const std::string& folder, const std::vector<std::string>& texts);

}  // namespace examples

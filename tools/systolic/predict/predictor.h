// What predicts: a model's file, an exported program, or a folder of Hugging Face's.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/nn/network/network.h"
#include "systolic/text/tokenizer.h"

namespace tool::predict {

struct Predictor {
  std::vector<systolic::NetworkPort> inputs = {};
  std::function<systolic::Example(const systolic::Example&)> run = {};  // all rows at once
  // Makes the bytes of a picture's file a row of the only input, where the model's folder says how;
  // else empty.
  std::function<systolic::Literal(std::string_view)> prepare_picture = {};
  // What the model takes of a tokenizer's arrays.
  std::function<systolic::Example(const systolic::BatchEncoding&)> inputs_of = {};
  std::string folder = {};  // where a tokenizer may lie: the model's own, or its file's
  std::vector<std::string> labels =
      {};  // of the classes that the output scores; empty where unknown
};

// By what lies at the path.
Predictor open_predictor(const std::string& model);

}  // namespace tool::predict

// How the halves of an encoder-decoder are called. Internal to transformers.
#pragma once

#include <vector>

#include "systolic/transformers/architecture/architecture.h"
#include "systolic/transformers/layers/seq2seq.h"

namespace systolic::inline v0 {

// For calls while `arguments` live.
inline OutputsOfBody outputs_of(const BuildArguments& arguments) {
  return [&arguments](const Layer& body, const std::vector<Symbol>& given, const char* half) {
    return arguments.features(body, given, half);
  };
}

}  // namespace systolic::inline v0

// Training of vocabularies on the pieces of texts.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "systolic/text/models/model.h"
#include "systolic/text/train_options.h"

namespace systolic::inline v0 {
namespace text {

// How often each piece was seen.
using PieceCounts = std::map<std::string, uint64_t>;

// A model of the kind of `model`, with a vocabulary of its own.
std::unique_ptr<Model> train_model(const Model& model, const PieceCounts& pieces,
                                   const TrainOptions& options);

}  // namespace text
}  // namespace systolic::inline v0

// Configurations of tables as data, for the files of models: which tables there are, which of them
// each feature looks up, and their optimizers. Internal to nn.
//
//   {"tables": [{"name": "movies", "vocabulary_size": 2000, "dim": 32, ...}],
//    "features": [{"name": "watched", "table": 0, ...}]}
//
// What is written in C++, such as a learning rate that is a function, is an Unimplemented.
#pragma once

#include "systolic/nn/config/field_values.h"
#include "systolic/nn/embedding/config.h"

namespace systolic::inline v0 {
namespace tpu::experimental::embedding {

// [min, max], null where there is none.
Config to_config(const ClipValue& limits);
void from_config(const Config& config, ClipValue& limits);

// {"name": "Adagrad", "learning_rate": 0.05, ...}
Config to_config(const EmbeddingOptimizer& rule);
void from_config(const Config& config, EmbeddingOptimizer& rule);

}  // namespace tpu::experimental::embedding
}  // namespace systolic::inline v0

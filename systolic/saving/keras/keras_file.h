// Keras 3's .keras: a ZIP archive of metadata.json, config.json and model.weights.h5. Internal to
// saving.
#pragma once

#include <string>

#include "systolic/saving/keras/host_layers.h"
#include "systolic/train/model/model.h"

namespace systolic::inline v0 {
namespace saving {

// Layers on the host, and the model after them.
struct TextModelParts {
  HostSplit host;
  Model model;
};

void write_keras_file(const Model& model, const std::string& path, const SaveOptions& options,
                      SourceLocation location);
Model read_keras_file(const std::string& path, const LoadOptions& options, SourceLocation location);
// The same of a model that begins with layers that take text.
TextModelParts read_keras_text_model(const std::string& path, const LoadOptions& options,
                                     SourceLocation location);
// config.json, with what preprocessing layers learnt (learned_states.h), statistics among it.
Config read_keras_config(const std::string& path, SourceLocation location);
// A model of one layer that takes [batch, 1] of that type. The layer need not run on a device.
// `token_weights`: what Keras keeps of a lookup among the arrays, too.
void write_keras_layer(const Layer& layer, const std::vector<double>& token_weights,
                       const std::string& path, DType input, SourceLocation location);
// metadata.json: who wrote the file, and when.
Config keras_file_metadata(const std::string& path, SourceLocation location);

}  // namespace saving
}  // namespace systolic::inline v0

// The forms of files of weights, by the path's ending. Internal to train and saving.
#pragma once

#include <string>
#include <string_view>

#include "systolic/train/model/model.h"

namespace systolic::inline v0 {

struct WeightsForm {
  std::string_view ending;
  // Atomic: a reader sees the old file or the new one.
  void (*write)(const Model& model, const std::string& path, const SaveWeightsOptions& options,
                SourceLocation location);
  void (*read)(Model& model, const std::string& path, const LoadWeightsOptions& options,
               SourceLocation location);
};

// A path whose ending is none of a form's is a safetensors file.
const WeightsForm& weights_form_of(std::string_view path);
// The same for what is there: a path without one of the endings may be that of a TensorFlow
// checkpoint.
const WeightsForm& weights_form_at(const std::string& path, SourceLocation location);

void write_safetensors_weights(const Model& model, const std::string& path,
                               const SaveWeightsOptions& options, SourceLocation location);
void read_safetensors_weights(Model& model, const std::string& path,
                              const LoadWeightsOptions& options, SourceLocation location);

// NumPy's .npz, with an array for each weight by its name, "dense/kernel". bf16 is stored as f32.
void write_npz_weights(const Model& model, const std::string& path,
                       const SaveWeightsOptions& options, SourceLocation location);
void read_npz_weights(Model& model, const std::string& path, const LoadWeightsOptions& options,
                      SourceLocation location);

// Keras 3's .weights.h5 (keras_weights.h).
void write_keras_weights(const Model& model, const std::string& path,
                         const SaveWeightsOptions& options, SourceLocation location);
void read_keras_weights(Model& model, const std::string& path, const LoadWeightsOptions& options,
                        SourceLocation location);

// Keras 3's weights in several files (keras_shards.h).
void write_keras_shards(const Model& model, const std::string& path,
                        const SaveWeightsOptions& options, SourceLocation location);
void read_keras_shards(Model& model, const std::string& path, const LoadWeightsOptions& options,
                       SourceLocation location);

// Keras 1's and 2's .h5, with the layers' names at the root (legacy_weights.h).
void write_legacy_weights(const Model& model, const std::string& path,
                          const SaveWeightsOptions& options, SourceLocation location);
void read_legacy_weights(Model& model, const std::string& path, const LoadWeightsOptions& options,
                         SourceLocation location);

// TensorFlow's checkpoints, PREFIX.index and files of numbers (checkpoint_model.h). Writes
// "checkpoint" in the folder, too, so that tf.train.latest_checkpoint finds it.
void write_checkpoint_weights(const Model& model, const std::string& path,
                              const SaveWeightsOptions& options, SourceLocation location);
void read_checkpoint_weights(Model& model, const std::string& path,
                             const LoadWeightsOptions& options, SourceLocation location);
// The prefix of the checkpoint that the path names: PREFIX, PREFIX.index, the folder of a
// SavedModel or of checkpoints. Empty where there is none.
std::string checkpoint_at(const std::string& path, SourceLocation location);

}  // namespace systolic::inline v0

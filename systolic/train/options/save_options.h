// What Model::save, load_model, save_weights and load_weights take, with the names of keras.Model's
// functions and of tf.saved_model.SaveOptions.
#pragma once

#include <optional>
#include <string>

namespace systolic::inline v0 {

struct SaveOptions {
  // With the optimizer's state, so that training goes on as if it had not stopped.
  bool include_optimizer = true;
  // False: a file that is there already is a FailedPrecondition.
  bool overwrite = true;
  // Accepted as the TPU guide writes it, and without effect. In TensorFlow it names the host on
  // which a remote TPU's variables are read and written; here weights come from the device to the
  // program, which writes them.
  std::string experimental_io_device = {};
};

struct LoadOptions {
  // False: the layers and weights alone, without optimizer, loss and metrics.
  bool compile = true;
  std::string experimental_io_device = {};  // as in SaveOptions
};

// Settings of Model::save_weights().
//   model.save_weights("large.weights.json", SaveWeightsOptions{.max_shard_size = 1});
struct SaveWeightsOptions {
  // False: a file that is there already is a FailedPrecondition.
  bool overwrite = true;
  // GiB that one file may hold, for a path that ends in .weights.json: as many files are written as
  // the weights need (Keras 3's sharded weights). Nothing: 5.
  std::optional<double> max_shard_size = std::nullopt;
};

struct LoadWeightsOptions {
  // Layers that the file does not have keep their weights, and what it has besides is left. By
  // names in every form but .weights.h5 and .weights.json, which have none that count: an
  // InvalidArgument there.
  bool by_name = false;
  // Weights of another shape, or layers with another number of them, keep theirs: a warning lists
  // them.
  bool skip_mismatch = false;
};

}  // namespace systolic::inline v0

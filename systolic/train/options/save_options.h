// What Model::save and load_model take, with the names of keras.Model.save and
// tf.saved_model.SaveOptions.
#pragma once

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

}  // namespace systolic::inline v0

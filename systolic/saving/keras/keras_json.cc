// A model's layers as Keras's JSON, for TensorBoard's graph
// (train/callbacks/logging/tensor_board.h).
#include "systolic/saving/keras/network_config.h"
#include "systolic/train/callbacks/logging/tensor_board.h"

namespace systolic::inline v0 {

std::string keras_json(const Network& network) {
  if (!network.built()) return "";
  std::vector<std::string> problems;
  const Config config = saving::network_to_keras(network, problems);
  return problems.empty() ? config.text() : "";
}

}  // namespace systolic::inline v0

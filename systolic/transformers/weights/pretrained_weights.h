// Loads the weights of a folder (io/tensors/folder/tensor_folder.h) into a network: each is found
// by the name that `transformers` gives it (WeightNames), its axes put into the order of ours, and
// copied to the device by Variable::set. Internal to transformers.
#pragma once

#include <string>

#include "systolic/nn/network/network.h"
#include "systolic/transformers/architecture/architecture.h"
#include "systolic/transformers/weights/save_pretrained_options.h"

namespace systolic::inline v0 {

struct PretrainedWeightsOptions {
  std::string class_name;                     // "BertForMaskedLM", in messages
  std::string body_name;                      // "bert"
  std::vector<std::string> body_layers = {};  // Architecture::body_layers()
  WeightNames names;
  bool ignore_mismatched_sizes = false;
  SourceLocation location = {};
};

// One InvalidArgument lists the weights of the body that the checkpoint lacks, weights of another
// shape, and what the checkpoint has besides (100 of that at most); nothing is assigned then. Those
// of the head may be missing: a log line names them. One array is in the host's memory at a time.
void load_pretrained_weights(const Network& network, const std::string& folder,
                             const PretrainedWeightsOptions& options);

// Whether the folder holds, next to a weight, a copy of it (WeightNames::copies) with other
// numbers: then they are not tied, whatever its configuration says.
bool has_untied_copies(const std::string& folder, const PretrainedWeightsOptions& options);

// The folder's model.safetensors, under the names that `transformers` gives: those of a bare body,
// which has no head, begin with its parts.
void save_pretrained_weights(const Network& network, const std::string& folder,
                             const PretrainedWeightsOptions& options, bool bare_body,
                             const SavePretrainedOptions& saving);

}  // namespace systolic::inline v0

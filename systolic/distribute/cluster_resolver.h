// Finding the TPU to use (tf.distribute.cluster_resolver.TPUClusterResolver).
//
//   TPUClusterResolver resolver;            // what is here: a TPU, else the software TPU
//   TPUClusterResolver resolver("tpu");     // the TPU of this machine, or an error
//   TPUClusterResolver resolver("v5e-8");   // the software TPU of that kind
#pragma once

#include <string>

#include "systolic/base/source_location.h"
#include "systolic/runtime/topology.h"

namespace systolic::inline v0 {

struct ClusterOptions {
  int cores = 0;  // cores of the software TPU to use; 0: all that its kind has
};

class TPUClusterResolver {
 public:
  // "" and "local": the TPU of this machine where one opens, else the software TPU v3-8;
  // initialize_tpu_system says which and why. "tpu": the TPU of this machine, or an error. A kind
  // ("v3-8", "v5e:2x4"): the software TPU of that kind, whatever else is here. "grpc://host:8470":
  // the device of another machine, where `systolic serve` runs (docs/processes.md). Any other name
  // is an InvalidArgument that lists the kinds.
  explicit TPUClusterResolver(std::string tpu = "", ClusterOptions options = {},
                              SourceLocation location = SourceLocation::current());

  // Resolves and initializes in one go, as TPUClusterResolver.connect does.
  static TPUClusterResolver connect(std::string tpu = "");

  const std::string& tpu() const { return tpu_; }
  // "local" or the address.
  std::string master() const;
  // The kind of the software TPU; initialize_tpu_system finds out what a TPU of this machine is.
  const std::string& kind() const { return kind_; }
  // Whether a TPU of this machine may or must be it.
  bool may_be_tpu() const { return tpu_.empty() || tpu_ == "local" || must_be_tpu(); }
  // Whether it is a device of another machine.
  bool is_remote() const { return tpu_.rfind("grpc://", 0) == 0; }
  bool must_be_tpu() const { return tpu_ == "tpu"; }
  int cores() const { return options_.cores; }
  // How many processes were started together, and which this one is: cluster/place/place.h.
  runtime::Processes processes() const;

 private:
  std::string tpu_;
  std::string kind_ = "v3-8";
  ClusterOptions options_;
};

}  // namespace systolic::inline v0

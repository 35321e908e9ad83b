// The masks that Keras finds by itself and writes into a functional model's file: ops that compute
// them from what Masking or an Embedding is given, and an argument `mask` of the layers that get
// them. Tensors carry their masks here (nn/step_mask.h), so that these ops are left out. Internal
// to saving.
#pragma once

#include <map>
#include <set>
#include <string>

#include "systolic/nn/config/config.h"

namespace systolic::inline v0 {
namespace saving {

class ImplicitMasks {
 public:
  // Takes a functional network's entries, which must live as long as this, and "output_layers".
  ImplicitMasks(const Config::List& entries, const Config& outputs);

  // Whether the entry is an op that no layer takes but as a mask.
  bool only_makes_masks(const Config& entry) const;
  // Unimplemented for an argument `mask` that is none of those: one that the program computed.
  void check(const Config& mask) const;

 private:
  // Calls visit(tensor, argument) for each array that the entry is called with.
  template <class Visit>
  static void visit_arguments(const Config& entry, const Visit& visit);
  void add_source(const Config& entry);
  void find_taken(const Config& outputs);

  std::map<std::string, const Config*> entries_;  // by name
  std::set<std::string> sources_;                 // what layers that make masks are given
  std::set<std::string> taken_;                   // ops whose results are more than masks
};

}  // namespace saving
}  // namespace systolic::inline v0

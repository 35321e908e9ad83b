#include "systolic/train/options/model_arrays.h"

namespace systolic::inline v0 {

ModelArrays::ModelArrays(const Example& named) : names_(named.names()) {
  for (const auto& [name, array] : named) arrays_.push_back(array);
}

}  // namespace systolic::inline v0

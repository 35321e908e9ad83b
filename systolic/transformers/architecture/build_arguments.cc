#include "systolic/transformers/architecture/architecture.h"
#include "systolic/transformers/layers/asked_body.h"

namespace systolic::inline v0 {

std::vector<Symbol> BuildArguments::features(const Layer& body) const {
  return features(body, inputs);
}

std::vector<Symbol> BuildArguments::features(const Layer& body, const std::vector<Symbol>& given,
                                             const char* half) const {
  return asked == nullptr ? body.outputs(given) : asked_outputs(body, given, *asked, half);
}

}  // namespace systolic::inline v0

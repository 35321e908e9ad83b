// The constraints that dot_general and convolution put on quantized operands.
#pragma once

#include "systolic/stablehlo/verify/op/op_verifier.h"

namespace systolic::inline v0 {
namespace stablehlo {

// The number of each label: dot_general has 14, 17, 18, 19, 20, convolution 28, 31, 32, 33, 34.
struct QuantizedLabels {
  int quantized, storage, expressed, per_tensor, hybrid;
};
void verify_quantized_product(const OpVerifier& op, const QuantizedLabels& labels);

}  // namespace stablehlo
}  // namespace systolic::inline v0

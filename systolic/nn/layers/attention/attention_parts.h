// What layers of attention with projections have in common: their inputs with all masks, and the
// projections. Internal to nn.
#pragma once

#include <optional>
#include <vector>

#include "systolic/nn/call_context.h"

namespace systolic::inline v0 {

struct ProjectedInputs {
  Tensor query, key, value;    // [batch, target or source, features]
  std::optional<Tensor> mask;  // pred
};

// xs in Keras's order, query, value and key, then masks of pred or integers, which all must hold.
// What is known of the steps of the values (nn/step_mask.h) joins them. All axes between batch and
// features become one.
ProjectedInputs projected_inputs(const std::vector<Tensor>& xs, const CallContext& context);

struct ProjectionOptions {
  bool use_bias;
  WeightOptions kernel, bias;
};

// From a layer's fields.
template <class Spec>
ProjectionOptions projection_options(const Spec& spec) {
  return {.use_bias = spec.use_bias,
          .kernel = {.initializer = spec.kernel_initializer,
                     .regularizer = spec.kernel_regularizer,
                     .constraint = spec.kernel_constraint},
          .bias = {.initializer = spec.bias_initializer,
                   .regularizer = spec.bias_regularizer,
                   .constraint = spec.bias_constraint}};
}

// A product with the layer's weights NAME/kernel and NAME/bias.
class Projection {
 public:
  Projection(ProjectionOptions options, const char* name, CallContext& context)
      : options_(std::move(options)), name_(name), context_(context) {}

  // [batch, steps, in] -> [batch, steps, heads, size]
  Tensor to_heads(const Tensor& x, int64_t heads, int64_t size) const;
  // [batch, steps, heads, size] -> [batch, steps, the product of sizes]
  Tensor from_heads(const Tensor& x, const std::vector<int64_t>& sizes) const;

 private:
  Tensor weight(const char* which, const Shape& shape, const WeightOptions& options) const;

  ProjectionOptions options_;
  const char* name_;
  CallContext& context_;
};

}  // namespace systolic::inline v0

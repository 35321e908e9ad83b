// What TransformerEncoder and TransformerDecoder are made of. Internal to nn.
#pragma once

#include <string>
#include <vector>

#include "systolic/nn/activation.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct TransformerParts {
  int64_t intermediate_dim;
  int64_t num_heads;
  double dropout;
  Activation activation;
  double layer_norm_epsilon;
  Initializer kernel_initializer;
  Initializer bias_initializer;
  bool normalize_first;
  SourceLocation location;
  CallContext& context;

  struct AttentionStep {
    std::string name;                 // of the MultiHeadAttention
    std::string prefix;               // of the names of what lies around it
    std::vector<Tensor> others = {};  // what x attends to, and masks; itself without
    bool causal = false;
  };
  // x + dropout(attention(x)), normalized before or after. The features of x must be a multiple of
  // the heads.
  Tensor attention(const Tensor& x, const AttentionStep& step) const;
  // x + dropout(output_dense(intermediate_dense(x))), likewise.
  Tensor feedforward(const Tensor& x) const;

 private:
  template <class Inner>
  Tensor residual(const Tensor& x, const std::string& prefix, const Inner& inner) const;
};

// The parts that a layer's fields name, for one call of it.
template <class Spec>
TransformerParts parts_of(const Spec& spec, CallContext& context) {
  return {spec.intermediate_dim,
          spec.num_heads,
          spec.dropout,
          spec.activation,
          spec.layer_norm_epsilon,
          spec.kernel_initializer,
          spec.bias_initializer,
          spec.normalize_first,
          spec.location,
          context};
}

// The fields that both have.
template <class Spec>
constexpr auto transformer_fields() {
  return std::tuple(field("intermediate_dim", &Spec::intermediate_dim),
                    field("num_heads", &Spec::num_heads), field("dropout", &Spec::dropout),
                    field("activation", &Spec::activation),
                    field("layer_norm_epsilon", &Spec::layer_norm_epsilon),
                    field("kernel_initializer", &Spec::kernel_initializer),
                    field("bias_initializer", &Spec::bias_initializer),
                    field("normalize_first", &Spec::normalize_first), field("dtype", &Spec::dtype),
                    field("name", &Spec::name));
}

}  // namespace systolic::inline v0

// Modules without parameters (torch.nn): activations and Flatten; and the same as functions
// (torch.nn.functional).
#pragma once

#include "systolic/torch/nn/module.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {
namespace torch {

// torch.relu: max(x, 0), element by element.
inline Tensor relu(const Tensor& x) { return systolic::relu(x); }
// torch.sigmoid: 1 / (1 + exp(-x)), element by element.
inline Tensor sigmoid(const Tensor& x) { return systolic::sigmoid(x); }
// torch.tanh: the hyperbolic tangent, element by element.
inline Tensor tanh(const Tensor& x) { return systolic::tanh(x); }

namespace nn {

// A module of one function.
#define SYSTOLIC_TORCH_ACTIVATION(Name, expression)                        \
  class Name : public Module<Name> {                                       \
   public:                                                                 \
    explicit Name(At at = At::current()) : Module(#Name, at) {}            \
    Tensor forward(const Tensor& x) const { return systolic::expression; } \
  }
// max(x, 0).
SYSTOLIC_TORCH_ACTIVATION(ReLU, relu(x));
// min(max(x, 0), 6).
SYSTOLIC_TORCH_ACTIVATION(ReLU6, relu6(x));
// 1 / (1 + exp(-x)).
SYSTOLIC_TORCH_ACTIVATION(Sigmoid, sigmoid(x));
// The hyperbolic tangent.
SYSTOLIC_TORCH_ACTIVATION(Tanh, tanh(x));
// x sigmoid(x).
SYSTOLIC_TORCH_ACTIVATION(SiLU, silu(x));
// x tanh(softplus(x)).
SYSTOLIC_TORCH_ACTIVATION(Mish, mish(x));
// x min(max(x + 3, 0), 6) / 6.
SYSTOLIC_TORCH_ACTIVATION(Hardswish, hard_silu(x));
#undef SYSTOLIC_TORCH_ACTIVATION

struct GELUOptions {
  bool approximate = false;  // by tanh: GELU(approximate="tanh")
};
// x times the share of a standard normal distribution below x, or nearly so with `approximate`
// (Hendrycks and Gimpel 2016, arXiv 1606.08415).
class GELU : public Module<GELU> {
 public:
  explicit GELU(GELUOptions options = {}, At at = At::current())
      : Module("GELU", at), options_(options) {}
  Tensor forward(const Tensor& x) const { return systolic::gelu(x, options_.approximate); }

 private:
  GELUOptions options_;
};

// x, or negative_slope times x where x is below 0.
class LeakyReLU : public Module<LeakyReLU> {
 public:
  explicit LeakyReLU(double negative_slope = 0.01, At at = At::current())
      : Module("LeakyReLU", at), slope_(negative_slope) {}
  Tensor forward(const Tensor& x) const { return systolic::leaky_relu(x, slope_); }

 private:
  double slope_;
};

// exp(x) over its sum along `dim`, which must be given; negative ones count from the end.
class Softmax : public Module<Softmax> {
 public:
  explicit Softmax(int dim, At at = At::current()) : Module("Softmax", at), dim_(dim) {}
  Tensor forward(const Tensor& x) const { return systolic::softmax(x, dim_); }

 private:
  int dim_;
};

// x itself.
class Identity : public Module<Identity> {
 public:
  explicit Identity(At at = At::current()) : Module("Identity", at) {}
  Tensor forward(const Tensor& x) const { return x; }
};

// The axes from start_dim to end_dim as one.
class Flatten : public Module<Flatten> {
 public:
  explicit Flatten(int start_dim = 1, int end_dim = -1, At at = At::current())
      : Module("Flatten", at), start_(start_dim), end_(end_dim) {}
  Tensor forward(const Tensor& x) const { return x.flatten(start_, end_, location()); }

 private:
  int start_, end_;
};

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0

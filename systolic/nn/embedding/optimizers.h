// The optimizers of embedding tables (tf.tpu.experimental.embedding): of a table they move the rows
// that a step looks up, each once, by the sum of its gradients over the global batch.
//
//   namespace embedding = tpu::experimental::embedding;
//   embedding::TableConfig{.vocabulary_size = 2'000'000, .dim = 32,
//                          .optimizer = embedding::Adagrad{.learning_rate = 0.05}}
//
// Each has these fields after its own:
//   use_gradient_accumulation     false is Unimplemented: gradients of one id are always summed
//   first clip_weight_min, _max         limits of the values after each update weight_decay_factor
//   the share of a looked-up row's values that is taken away before
//                                 its update, times the learning rate where
//   multiply_weight_decay_factor_by_learning_rate is true
//   clipvalue                     limits of the summed gradients
// A learning rate may be a schedule, or a function of the table's number of updates so far: the
// dynamic rates of TensorFlow. Formulas as in TensorFlow's optimization_parameters.proto: g is the
// gradient, all else lies beside each row.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "systolic/nn/embedding/clip_value.h"
#include "systolic/nn/optimizers/optimizer.h"

namespace systolic::inline v0 {
namespace tpu::experimental::embedding {

// value -= rate * g
struct SGD {
  static constexpr const char* kind = "SGD";
  LearningRate learning_rate = 0.01;
  bool use_gradient_accumulation = true;
  std::optional<double> clip_weight_min = {};
  std::optional<double> clip_weight_max = {};
  std::optional<double> weight_decay_factor = {};
  bool multiply_weight_decay_factor_by_learning_rate = false;
  std::optional<ClipValue> clipvalue = {};

  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const;
  std::vector<OptimizerSlot> slots(const Variable& variable) const;
};

// accumulator += g^2;  value -= rate * g / sqrt(accumulator)
struct Adagrad {
  static constexpr const char* kind = "Adagrad";
  LearningRate learning_rate = 0.001;
  double initial_accumulator_value = 0.1;
  bool use_gradient_accumulation = true;
  std::optional<double> clip_weight_min = {};
  std::optional<double> clip_weight_max = {};
  std::optional<double> weight_decay_factor = {};
  bool multiply_weight_decay_factor_by_learning_rate = false;
  std::optional<ClipValue> clipvalue = {};

  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const;
  std::vector<OptimizerSlot> slots(const Variable& variable) const;
};

// accumulator += g^2, or beta2 * accumulator + (1 - beta2) g^2 where beta2 is not 1
// scaled = g * (accumulator + epsilon)^(-1 / exponent);  momenta = momentum * momenta + scaled
// value -= rate * (momenta, or with use_nesterov momentum * momenta + scaled)
struct AdagradMomentum {
  static constexpr const char* kind = "AdagradMomentum";
  LearningRate learning_rate = 0.001;
  double momentum = 0;
  bool use_nesterov = false;
  double exponent = 2;
  double beta2 = 1;
  double epsilon = 1e-10;
  bool use_gradient_accumulation = true;
  std::optional<double> clip_weight_min = {};
  std::optional<double> clip_weight_max = {};
  std::optional<double> weight_decay_factor = {};
  bool multiply_weight_decay_factor_by_learning_rate = false;
  std::optional<ClipValue> clipvalue = {};

  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const;
  std::vector<OptimizerSlot> slots(const Variable& variable) const;
};

// "Follow the regularized leader" (McMahan et al. 2013), with p = -learning_rate_power:
//   linear += g - (new^p - accumulator^p) / rate * value;  accumulator = new = accumulator + g^2
//   value = (sign(linear) l1 - linear) / ((new^p + beta) / rate + 2 l2), 0 where |linear| <= l1
// With multiply_linear_by_learning_rate `linear` is kept multiplied by the rate, which may then be
// 0.
struct FTRL {
  static constexpr const char* kind = "FTRL";
  LearningRate learning_rate = 0.001;
  double learning_rate_power = -0.5;
  double l1_regularization_strength = 0;
  double l2_regularization_strength = 0;
  double beta = 0;
  double initial_accumulator_value = 0.1;
  bool use_gradient_accumulation = true;
  std::optional<double> clip_weight_min = {};
  std::optional<double> clip_weight_max = {};
  std::optional<double> weight_decay_factor = {};
  bool multiply_weight_decay_factor_by_learning_rate = false;
  bool multiply_linear_by_learning_rate = false;
  bool allow_zero_accumulator = false;  // an accumulator of 0 is allowed either way
  std::optional<ClipValue> clipvalue = {};

  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const;
  std::vector<OptimizerSlot> slots(const Variable& variable) const;
};

// m += (g - m) (1 - beta_1);  v += (g^2 - v) (1 - beta_2)
// value -= rate * sqrt(1 - beta_2^t) / (1 - beta_1^t) * m / sqrt(v + epsilon^2), where t counts the
// table's updates; without sum_inside_sqrt m / (sqrt(v) + epsilon). Where lazy_adam is false all
// rows move in each step.
struct Adam {
  static constexpr const char* kind = "Adam";
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  bool lazy_adam = true;
  bool sum_inside_sqrt = true;
  bool use_gradient_accumulation = true;
  std::optional<double> clip_weight_min = {};
  std::optional<double> clip_weight_max = {};
  std::optional<double> weight_decay_factor = {};
  bool multiply_weight_decay_factor_by_learning_rate = false;
  std::optional<ClipValue> clipvalue = {};

  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const;
  std::vector<OptimizerSlot> slots(const Variable& variable) const;
};

// The rule by which a table moves: any of the above.
using EmbeddingOptimizer = std::variant<SGD, Adagrad, AdagradMomentum, FTRL, Adam>;

// The optimizer that moves one table by this rule. InvalidArgument for numbers outside of what they
// may be, such as limits in the wrong order.
systolic::Optimizer table_optimizer(const EmbeddingOptimizer& rule,
                                    SourceLocation location = SourceLocation::current());

}  // namespace tpu::experimental::embedding
}  // namespace systolic::inline v0

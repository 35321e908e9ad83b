// What a layer's call may ask for: weights, random keys, its types. One function both builds and
// runs a layer, as add_weight makes a weight at the first call and finds it at all later ones.
//
//   struct Scale {
//     double initial = 1;
//     Tensor call(const Tensor& x, CallContext& context) const {
//       return x * context.weight("scale", {x.shape()[-1]}, {.initializer = Constant{initial}});
//     }
//   };
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/nn/call_options.h"
#include "systolic/nn/config/dtype_policy.h"
#include "systolic/nn/constraints/constraint.h"
#include "systolic/nn/initializers/initializer.h"
#include "systolic/nn/regularizer.h"
#include "systolic/nn/step_mask.h"
#include "systolic/trace/variable.h"

namespace systolic::inline v0 {

class Layer;
struct LayerState;

struct WeightOptions {
  Initializer initializer = "glorot_uniform";  // how it starts
  bool trainable = true;                       // false: a state that no optimizer moves
  std::optional<DType> dtype = {};             // the policy's variable type
  Regularizer regularizer = {};                // adds a penalty on the weight to the loss
  Constraint constraint = {};                  // of the value, after each update by an optimizer
};

// State of one call of the outermost layer or network; internal.
struct RootCall {
  CallOptions options;
  LayerState* root = nullptr;
  bool infers_shapes = false;
  std::optional<Tensor> key = {};                 // drawn at the first random_key()
  std::map<std::string, uint64_t> draws = {};     // so far, by path of the layer
  std::vector<const LayerState*> penalized = {};  // whose weights' penalties are among the losses
};

class CallContext {
 public:
  CallContext(RootCall& call, LayerState& layer);

  bool training() const { return call_.options.training; }
  // False for a frozen layer.
  bool trainable() const;
  DType compute_dtype() const;
  DType variable_dtype() const;
  // Only types are wanted: sizes may be large stand-ins for axes that are not known yet.
  bool infers_shapes() const { return call_.infers_shapes; }
  // [batch], pred; nothing when every row is real.
  const std::optional<Tensor>& sample_mask() const {
    saw_mask_ = true;
    return call_.options.sample_mask;
  }

  // The weight of that name, made at the first call. Another shape later is an InvalidArgument.
  Variable add_weight(std::string_view name, const Shape& shape, WeightOptions options = {});
  // Its value in the compute type.
  Tensor weight(std::string_view name, const Shape& shape, WeightOptions options = {});

  // u64[2], another one at each step, for each layer and each call; made from the model's seed.
  Tensor random_key();
  // A term of the training loss; a scalar. Rows that only pad are left out by sample_mask(); after
  // a layer that does not ask for it, fit does not pad.
  void add_loss(const Tensor& loss);
  // A scalar for the logs of fit and evaluate: its mean over the samples of an epoch. Values of one
  // name have one mean. Rows that only pad are as in add_loss.
  void add_metric(const Tensor& value, std::string_view name);

  // Which steps of x are real: [batch, steps], pred; nothing where all are. Embedding{.mask_zero =
  // true} gives its output one, layers that support masking hand it on, attention and
  // GlobalAveragePooling1D use it, and losses and metrics of the outputs leave the other steps out
  // (Keras's implicit masks; nn/step_mask.h).
  std::optional<Tensor> step_mask(const Tensor& x) const { return step_mask_of(x); }
  // The first axes of x are those of the mask; nothing: leaves x as it is.
  void set_step_mask(const Tensor& x, const std::optional<Tensor>& mask) {
    systolic::set_step_mask(x, mask);
  }

  // The integers of x must lie in [0, limit), else an InvalidArgument: on the device they would be
  // clamped. What is checked is what the host knows: data that fit, evaluate and predict take, host
  // constants, and arguments of functions and of strategy.run, and batches in their loops, that are
  // host constants or come from a distributed dataset, if no op but a change of type or shape lies
  // between. What a device computed is not, nor what a branch may not read.
  void check_integers_below(const Tensor& x, int64_t limit);

  // What stands in the place of `product`, x · kernel, where this layer has an adapter
  // (nn/network/adapter.h); `product` where it has none.
  Tensor adapted(const Tensor& x, const Tensor& kernel, const Tensor& product);

  // Calls a layer inside this one; `is_inline` for a spec written in the call itself, which is
  // found again by its kind and its turn.
  std::vector<Tensor> call(const Layer& layer, const std::vector<Tensor>& inputs, bool is_inline);
  // The layer that call() calls for `layer`: in a copy of this one it is a copy, too.
  Layer inside(const Layer& layer);

 private:
  friend class Layer;
  // What folds all rows of a batch is other for one that is padded.
  void note_fold_of_rows();

  RootCall& call_;
  LayerState& layer_;
  std::vector<std::pair<std::string, int>> inline_turns_;  // of this call, by kind
  mutable bool saw_mask_ = false;
};

}  // namespace systolic::inline v0

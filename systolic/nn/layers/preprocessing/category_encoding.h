// Integers as rows of 0 and 1, or of counts (keras.layers.CategoryEncoding).
//
//   CategoryEncoding{.num_tokens = 4}                                  [[0, 1], [3, 3]] ->
//                                                                      [[1, 1, 0, 0], [0, 0, 0, 1]]
//   CategoryEncoding{.num_tokens = 4, .output_mode = "count"}          ... [[1, 1, 0, 0], [0, 0, 0,
//   2]] CategoryEncoding{.num_tokens = 4, .output_mode = "one_hot"}        [[0], [3]] -> a row of
//   each
//
// "count" takes a second input, the weights of the integers, of their shape. Where the host knows
// them, integers outside of [0, num_tokens) are an InvalidArgument; so is a second input in another
// mode.
#pragma once

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/preprocessing/categories.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct CategoryEncoding {
  static constexpr const char* kind = "CategoryEncoding";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  Required<int64_t> num_tokens;
  CategoryOutput output_mode = "multi_hot";
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  std::vector<LookupLimit> lookups() const { return {{.input = 0, .limit = num_tokens}}; }
  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;

  Symbol operator()(const Symbol& x) && { return call_once(std::move(*this), x); }
  SYSTOLIC_MERGING_LAYER_CALLS

  static KerasForm keras_form();
  template <class Self = CategoryEncoding>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("num_tokens", &Self::num_tokens),
                                     field("output_mode", &Self::output_mode)),
                          common_fields<Self>());
  }
};

extern template Layer::Layer(CategoryEncoding);

}  // namespace systolic::inline v0

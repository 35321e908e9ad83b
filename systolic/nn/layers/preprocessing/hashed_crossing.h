// Features crossed: two or more values together to a bin by their hash
// (keras.layers.HashedCrossing). It runs on the host, in a pipeline.
//
//   HashedCrossing{.num_bins = 5}({Literal::strings({"A", "B"}), Literal::of<int64_t>({101, 102})})
//
// Inputs: strings or integers, all of one shape, (), [batch] or [batch, 1]. Output: i64 of that
// shape; for "one_hot" f32 [batch, num_bins]. The bins are TensorFlow's (tf.sparse.cross_hashed).
#pragma once

#include "systolic/nn/config/required.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/preprocessing/lookup_fields.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

// A number, or a 1 in its place.
struct CrossingOutputNames {
  SYSTOLIC_NAMES(throw "output_mode must be one of: int one_hot")
};

struct HashedCrossing {
  static constexpr const char* kind = "HashedCrossing";
  static constexpr LayerTraits traits = {};
  static constexpr bool runs_on_host = true;
  Required<int64_t> num_bins;
  Choice<CrossingOutputNames> output_mode = "int";
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Literal operator()(const std::vector<Literal>& xs,
                     SourceLocation at = SourceLocation::current()) const;
  // Unimplemented: hashes are made on the host.
  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;

  static KerasForm keras_form();
  template <class Self = HashedCrossing>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("num_bins", &Self::num_bins), field("output_mode", &Self::output_mode)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(HashedCrossing);

}  // namespace systolic::inline v0

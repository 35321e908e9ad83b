// What layers for pictures have in common besides what they do. A layer is its own fields, and one
// function from pictures to pictures:
//
//   struct RandomInvert {
//     DrawnFactor factor = 1.0;
//     ValueRange value_range = {0, 255};
//     std::optional<int64_t> seed = {};  // instead of the model's
//
//     Tensor changed(const Tensor& x, PictureDraws& draws) const;
//     SYSTOLIC_PICTURE_LAYER(RandomInvert, factor, value_range, seed)
//   };
//
// `changed` takes f32 [batch, height, width, channels]. With draws it is called while training
// alone; in evaluation pictures come out as they are, or as `in_evaluation(x)` makes them. Without
// draws, changed(x), it is always called. `static constexpr int64_t channels` is their number where
// it must be one. Bytes are taken as well, and the result has the layer's type. Internal to nn.
#pragma once

#include <tuple>

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/config/required.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/preprocessing/pictures/pictures.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

// field("a", &Self::a), field("b", &Self::b), ...: up to ten names, one for each scan of the text.
#define SYSTOLIC_RESCAN(...) SYSTOLIC_RESCAN_3(SYSTOLIC_RESCAN_3(SYSTOLIC_RESCAN_3(__VA_ARGS__)))
#define SYSTOLIC_RESCAN_3(...) SYSTOLIC_RESCAN_1(SYSTOLIC_RESCAN_1(SYSTOLIC_RESCAN_1(__VA_ARGS__)))
#define SYSTOLIC_RESCAN_1(...) __VA_ARGS__
#define SYSTOLIC_NO_ARGUMENTS ()
#define SYSTOLIC_FIELDS_OF_NEXT() SYSTOLIC_FIELDS_OF_SOME
#define SYSTOLIC_FIELDS_OF_SOME(first, ...) \
  field(#first, &Self::first)               \
      __VA_OPT__(, SYSTOLIC_FIELDS_OF_NEXT SYSTOLIC_NO_ARGUMENTS(__VA_ARGS__))
#define SYSTOLIC_FIELDS_OF(...) SYSTOLIC_RESCAN(SYSTOLIC_FIELDS_OF_SOME(__VA_ARGS__))

// The last lines of a layer, after its own fields, whose names follow that of the struct.
#define SYSTOLIC_PICTURE_LAYER(Spec, ...)                          \
  SYSTOLIC_PICTURE_LAYER_FIELDS(Spec, __VA_ARGS__)                 \
  Tensor call(const Tensor& pictures, CallContext& context) const; \
  SYSTOLIC_LAYER_CALLS

// The same for one that is called on several arrays, whose `changed` takes and gives them all.
#define SYSTOLIC_MIXING_LAYER(Spec, ...)                                                 \
  SYSTOLIC_PICTURE_LAYER_FIELDS(Spec, __VA_ARGS__)                                       \
  std::vector<Tensor> changed(const std::vector<Tensor>& xs, PictureDraws& draws) const; \
  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;   \
  SYSTOLIC_LAYER_CALLS

#define SYSTOLIC_PICTURE_LAYER_FIELDS(Spec, ...)                                               \
  static constexpr const char* kind = #Spec;                                                   \
  static constexpr LayerTraits traits = {};                                                    \
  static constexpr bool casts_inputs = false;                                                  \
  DTypePolicy dtype = {};                                                                      \
  std::string name = {};                                                                       \
  SourceLocation location = SourceLocation::current();                                         \
  static KerasForm keras_form();                                                               \
  template <class Self = Spec>                                                                 \
  static constexpr auto fields() {                                                             \
    return std::tuple_cat(std::tuple(SYSTOLIC_FIELDS_OF(__VA_ARGS__)), common_fields<Self>()); \
  }

}  // namespace systolic::inline v0

#include "systolic/transformers/clip/contrast.h"

#include <string>

#include "systolic/nn/initializers/constant.h"
#include "systolic/nn/layer.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

// x [batch, size] -> the same, each row of length 1.
struct UnitLength {
  static constexpr const char* kind = "UnitLength";
  static constexpr LayerTraits traits = {};

  Tensor call(const Tensor& x, CallContext&) const {
    return x / sqrt(sum(square(x), {.axis = -1, .keepdims = true}));
  }
};

// {a [rows, size], b [columns, size]} -> their products, [rows, columns].
struct Similarity {
  static constexpr const char* kind = "Similarity";
  static constexpr LayerTraits traits = {};

  Tensor call(const std::vector<Tensor>& xs, CallContext&) const {
    return matmul(xs.at(0), xs.at(1), {.transpose_b = true});
  }
};

struct Transposed {
  static constexpr const char* kind = "Transposed";
  static constexpr LayerTraits traits = {};

  Tensor call(const Tensor& x, CallContext&) const { return transpose(x); }
};

// x times the exponential of a learned number, or plus one.
struct LearnedNumber {
  static constexpr const char* kind = "LearnedNumber";
  static constexpr LayerTraits traits = {};
  bool adds = false;
  bool is_scalar = true;  // in files
  double value = 0;       // at the start
  std::string name;

  Tensor call(const Tensor& x, CallContext& context) const {
    const Shape shape = is_scalar ? Shape{} : Shape{1};
    const Tensor number =
        context.weight("itself", shape, {.initializer = Constant{.value = value}});
    return adds ? x + number : x * exp(number);
  }
};

}  // namespace

std::vector<Symbol> contrast_outputs(const Symbol& text, const Symbol& picture,
                                     const ContrastOptions& options) {
  const Symbol texts = Layer(UnitLength{})(text), pictures = Layer(UnitLength{})(picture);
  const bool is_scalar = !options.has_bias;
  Symbol logits = Layer(Similarity{})({texts, pictures});
  logits = Layer(
      LearnedNumber{.is_scalar = is_scalar, .value = options.scale, .name = "logit_scale"})(logits);
  if (options.has_bias) {
    logits =
        Layer(LearnedNumber{.adds = true, .is_scalar = is_scalar, .name = "logit_bias"})(logits);
  }
  return {named_scores(Layer(Transposed{})(logits), "logits_per_image"),
          named_scores(logits, "logits_per_text"), named_output(texts, "text_embeds"),
          named_output(pictures, "image_embeds")};
}

}  // namespace systolic::inline v0

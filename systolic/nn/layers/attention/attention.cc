#include "systolic/nn/layers/attention/attention.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/noise.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

struct AttentionInputs {
  Tensor query, value, key;
};

AttentionInputs attention_inputs(const std::vector<Tensor>& xs) {
  if (xs.size() < 2 || xs.size() > 3) {
    raise<InvalidArgument>({.what = str("called on ", xs.size(), " inputs"),
                            .wanted = "query and value, or query, value and key"});
  }
  check_inputs(xs, 2);
  for (const Tensor& x : xs) check_rank(x, 3, "3: [batch, steps, features]");
  const AttentionInputs in{xs[0], xs[1], xs.size() == 3 ? xs[2] : xs[1]};
  const bool fit =
      in.query.shape()[2] == in.key.shape()[2] && in.key.shape()[1] == in.value.shape()[1];
  if (!fit) {
    raise<InvalidArgument>(
        {.what = str("query of ", in.query.shape(), ", value of ", in.value.shape(), ", key of ",
                     in.key.shape()),
         .wanted = "query and key with the same features, value and key with the same steps"});
  }
  return in;
}

// query + key for each pair: [batch, target, source, features].
Tensor each_pair(const AttentionInputs& in) {
  return expand_dims(in.query, 2) + expand_dims(in.key, 1);
}

struct ScoreUse {
  double dropout;
  std::optional<int64_t> seed;
  bool causal, returns_scores;
};

// Pred, broadcast to [batch, target, source]; nothing where all may be attended to.
std::optional<Tensor> attended(const AttentionInputs& in, bool causal, CallContext& context) {
  std::optional<Tensor> mask = context.step_mask(in.value);
  if (mask) mask = expand_dims(*mask, 1);
  if (!causal) return mask;
  const Shape shape{1, in.query.shape()[1], in.value.shape()[1]};
  const Tensor before = iota(shape, 1) >= iota(shape, 2);
  return mask ? logical_and(*mask, before) : before;
}

std::vector<Tensor> attend(const AttentionInputs& in, Tensor scores, const ScoreUse& use,
                           CallContext& context) {
  check_rate(use.dropout, /*with_1=*/false);
  // Shifted and not replaced, as in Keras: a query that may attend to nothing attends to all.
  const double far = scores.dtype() == DType::f16 ? 65504.0 : 1e9;
  if (const auto mask = attended(in, use.causal, context))
    scores = where(*mask, scores, scores - far);
  const Tensor shares = softmax(scores);
  Tensor used = shares;
  if (context.training() && use.dropout > 0)
    used = dropped_out(shares, use.dropout, {}, noise_key(context, use.seed));
  Tensor y = matmul(used, in.value);
  const std::optional<Tensor> real = context.step_mask(in.query);
  if (real) y = where(expand_dims(*real, 2), y, 0.0);
  context.set_step_mask(y, real);
  return use.returns_scores ? std::vector<Tensor>{y, shares} : std::vector<Tensor>{y};
}

}  // namespace

std::vector<Tensor> Attention::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const AttentionInputs in = attention_inputs(xs);
  std::optional<Tensor> scale;
  if (use_scale) scale = context.weight("scale", {}, {.initializer = "ones"});
  Tensor scores;
  if (score_mode.is("dot")) {
    scores = matmul(in.query, in.key, {.transpose_b = true});
    if (scale) scores = scores * *scale;
  } else {
    const Tensor weight = context.weight("concat_score_weight", {}, {.initializer = "ones"});
    const Tensor pairs = each_pair(in);
    scores = weight * sum(tanh(scale ? *scale * pairs : pairs), {.axis = 3});
  }
  return attend(in, scores, {dropout, seed, use_causal_mask, return_attention_scores}, context);
}

std::vector<Tensor> AdditiveAttention::call(const std::vector<Tensor>& xs,
                                            CallContext& context) const {
  const AttentionInputs in = attention_inputs(xs);
  Tensor pairs = tanh(each_pair(in));
  if (use_scale) pairs = pairs * context.weight("scale", {in.query.shape()[2]});
  return attend(in, sum(pairs, {.axis = 3}),
                {dropout, seed, use_causal_mask, return_attention_scores}, context);
}

namespace {

// Inputs are one list; these two are said in the call.
KerasForm form_of_attention() {
  return {.call_fields = {"use_causal_mask", "return_attention_scores"}};
}

}  // namespace

KerasForm Attention::keras_form() { return form_of_attention(); }
KerasForm AdditiveAttention::keras_form() {
  KerasForm form = form_of_attention();
  form.silent = {{"score_mode", "*"}};
  return form;
}

SYSTOLIC_DEFINE_LAYER(Attention)
SYSTOLIC_DEFINE_LAYER(AdditiveAttention)

}  // namespace systolic::inline v0

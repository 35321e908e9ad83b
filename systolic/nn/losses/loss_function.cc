#include "systolic/nn/losses/loss_function.h"

#include <utility>

#include "systolic/nn/config/choice_rows.h"
#include "systolic/nn/losses/cosine_similarity.h"
#include "systolic/nn/losses/crossentropy/binary_crossentropy.h"
#include "systolic/nn/losses/crossentropy/binary_focal_crossentropy.h"
#include "systolic/nn/losses/crossentropy/categorical_crossentropy.h"
#include "systolic/nn/losses/crossentropy/categorical_focal_crossentropy.h"
#include "systolic/nn/losses/crossentropy/categorical_generalized_cross_entropy.h"
#include "systolic/nn/losses/crossentropy/sparse_categorical_crossentropy.h"
#include "systolic/nn/losses/hinge_losses.h"
#include "systolic/nn/losses/huber.h"
#include "systolic/nn/losses/kl_divergence.h"
#include "systolic/nn/losses/mean_absolute_error.h"
#include "systolic/nn/losses/mean_squared_error.h"
#include "systolic/nn/losses/regression_losses.h"
#include "systolic/nn/losses/structured/circle.h"
#include "systolic/nn/losses/structured/ctc.h"
#include "systolic/nn/losses/structured/overlap_losses.h"
#include "systolic/nn/same_rank.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

using Rule = std::shared_ptr<const LossRule>;

struct Row {
  std::string_view name, kind;
  Rule (*make)();
  LossFunction (*from_fields)(const Config& values);
};

template <class Spec>
constexpr Row row(std::string_view name) {
  return {name, Spec::kind,
          [] { return std::make_shared<const LossRule>(internal::loss_rule(Spec{})); },
          [](const Config& values) { return LossFunction(spec_from<Spec>(values)); }};
}

constexpr Row rows[] = {SYSTOLIC_LOSSES(SYSTOLIC_ROW)};

// What a loss is given: class numbers as they are, other labels like the predictions.
std::pair<Tensor, Tensor> taken_by(const LossRule& loss, const Tensor& y_true,
                                   const Tensor& y_pred) {
  if (loss.class_labels) return {y_true, cast(y_pred, DType::f32)};
  return comparable(y_true, y_pred);
}

}  // namespace

LossFunction LossFunction::parse(std::string_view name, SourceLocation location) {
  LossFunction result;
  result.position_ = parse_choice(LossNames::subject, name, Choice<LossNames>::known(), location);
  return result;
}

Config LossFunction::get_config() const {
  return rule_ ? rule_->config() : Config(rows[position_].name);
}

LossFunction LossFunction::from_config(const Config& config, SourceLocation location) {
  if (config.is_text()) return parse(config.text_value(), location);
  return row_of_kind(rows, LossNames::subject, config, location).from_fields(config["config"]);
}

std::shared_ptr<const LossRule> LossFunction::rule() const {
  return rule_ ? rule_ : rows[position_].make();
}

Tensor LossFunction::values(const Tensor& y_true, const Tensor& y_pred) const {
  const Rule loss = rule();
  const auto [labels, predictions] = taken_by(*loss, y_true, y_pred);
  return cast(loss->values(labels, predictions), DType::f32);
}

std::optional<Tensor> LossFunction::mask(const Tensor& y_true, const Tensor& y_pred) const {
  const Rule loss = rule();
  const auto [labels, predictions] = taken_by(*loss, y_true, y_pred);
  return loss->mask ? loss->mask(labels, predictions) : std::nullopt;
}

Tensor LossFunction::operator()(const Tensor& y, const Predictions& predicted) const {
  const std::optional<Tensor>& steps = predicted.step_mask;
  const Tensor y_true = labels_of_steps(y, predicted.values, steps);
  const Tensor losses = values(y_true, predicted.values);
  std::optional<Tensor> counted = both_masks(predicted.mask, mask(y_true, predicted.values));
  if (steps && losses.rank() >= 2 && losses.shape().slice(0, 2) == steps->shape())
    counted = both_masks(counted, broadcast_to(with_axes(*steps, losses.rank()), losses.shape()));
  return reduce_losses(losses, reduction(),
                       {.sample_weight = predicted.sample_weight, .mask = counted});
}

Tensor LossFunction::operator()(const Tensor& y, const Tensor& y_pred, LossOptions options) const {
  Predictions predicted = predictions_of(y_pred);
  predicted.sample_weight = std::move(options.sample_weight);
  predicted.mask = std::move(options.mask);
  return (*this)(y, predicted);
}

}  // namespace systolic::inline v0

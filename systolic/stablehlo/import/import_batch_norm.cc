// batch_norm_inference, _training and _grad, as the specification spells them out.
#include "systolic/base/error.h"
#include "systolic/stablehlo/chlo/chlo_formulas.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/import/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

struct BatchNorm {
  ir::Value x;
  int64_t feature = 0;
  double epsilon = 0, count = 1;  // elements of each feature
  ir::Axes others;                // all axes but the feature's

  ir::Value over_features(ir::Value numbers) const {
    return ir::broadcast_in_dim(numbers, x.shape(), {feature});
  }
  ir::Value sum(ir::Value values) const { return ir::reduce_sum(values, others); }
  ir::Value mean(ir::Value values) const { return sum(values) / count; }
};

BatchNorm batch_norm(const OpImport& op) {
  BatchNorm norm;
  norm.x = op.operand(0);
  norm.feature = op.integer("feature_index");
  norm.epsilon = read_float(op.importer().program(), op.required("epsilon"));
  if (norm.feature < 0 || norm.feature >= norm.x.rank()) {
    op.fail("feature_index", str(norm.feature), str("an axis of ", to_string(norm.x.type())));
  }
  for (int64_t axis = 0; axis < norm.x.rank(); ++axis) {
    if (axis == norm.feature) continue;
    norm.others.push_back(axis);
    norm.count *= static_cast<double>(norm.x.shape()[static_cast<int>(axis)]);
  }
  return norm;
}

ir::Value normalized(const BatchNorm& norm, ir::Value scale, ir::Value offset, ir::Value mean,
                     ir::Value variance) {
  const ir::Value centered = norm.x - norm.over_features(mean);
  const ir::Value deviation = norm.over_features(formula::sqrt(variance + norm.epsilon));
  return norm.over_features(scale) * (centered / deviation) + norm.over_features(offset);
}

}  // namespace

void import_batch_norm_inference(OpImport& op) {
  op.set(normalized(batch_norm(op), op.operand(1), op.operand(2), op.operand(3), op.operand(4)));
}

void import_batch_norm_training(OpImport& op) {
  const BatchNorm norm = batch_norm(op);
  const ir::Value mean = norm.mean(norm.x);
  const ir::Value centered = norm.x - norm.over_features(mean);
  const ir::Value variance = norm.mean(centered * centered);
  op.set_arrays({normalized(norm, op.operand(1), op.operand(2), mean, variance), mean, variance});
}

void import_batch_norm_grad(OpImport& op) {
  const BatchNorm norm = batch_norm(op);
  const ir::Value scale = op.operand(1), mean = op.operand(2), variance = op.operand(3);
  const ir::Value gradient = op.operand(4);
  const ir::Value shifted = variance + norm.epsilon, deviation = formula::sqrt(shifted);
  const ir::Value centered = norm.x - norm.over_features(mean);
  const ir::Value product = norm.sum(gradient * centered);
  const ir::Value total = norm.sum(gradient);
  const ir::Value inner = gradient * norm.count - norm.over_features(total) -
                          norm.over_features(product) * centered / norm.over_features(shifted);
  const ir::Value grad_operand = norm.over_features(scale / deviation / norm.count) * inner;
  op.set_arrays({grad_operand, product / deviation, total});
}

}  // namespace stablehlo
}  // namespace systolic::inline v0

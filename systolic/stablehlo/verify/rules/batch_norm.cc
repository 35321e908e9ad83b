#include <initializer_list>

#include "systolic/stablehlo/verify/rules/families.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

// The axis of features, which must be one.
int64_t feature_index(const OpVerifier& op, const NamedValue& operand) {
  const int64_t axis = op.integer("feature_index");
  op.in_range(1, "feature_index", {axis}, operand.rank());
  return axis;
}

void one_a_feature(const OpVerifier& op, int label, const NamedValue& value,
                   const NamedValue& operand, int64_t axis) {
  op.is(label, str("rank(", value.text(), ")"), value.rank(), 1);
  op.same_dim(label, value, 0, operand, axis);
}

}  // namespace

void verify_batch_norm_grad(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand"), scale = op.operand(1, "scale");
  const NamedValue mean = op.operand(2, "mean"), variance = op.operand(3, "variance");
  const NamedValue grad_output = op.operand(4, "grad_output");
  const NamedValue grad_operand = op.result(0, "grad_operand"),
                   grad_scale = op.result(1, "grad_scale"),
                   grad_offset = op.result(2, "grad_offset");
  const int64_t axis = feature_index(op, operand);
  for (const NamedValue& value :
       {scale, mean, variance, grad_output, grad_operand, grad_scale, grad_offset}) {
    op.same_baseline_element(2, value, operand);
  }
  op.same_shape(3, grad_output, operand);
  op.same_shape(3, grad_operand, operand);
  for (const NamedValue& value : {mean, variance, grad_scale, grad_offset}) {
    op.same_shape(4, value, scale);
  }
  one_a_feature(op, 5, scale, operand, axis);
}

void verify_batch_norm_inference(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand"), result = op.result();
  const NamedValue features[] = {op.operand(1, "scale"), op.operand(2, "offset"),
                                 op.operand(3, "mean"), op.operand(4, "variance")};
  const int64_t axis = feature_index(op, operand);
  for (const NamedValue& value : features) op.same_baseline_element(2, value, operand);
  op.same_baseline_element(2, result, operand);
  for (int i = 0; i < 4; ++i) one_a_feature(op, 3 + i, features[i], operand, axis);
  op.same_baseline_type(7, result, operand);
}

void verify_batch_norm_training(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand"), output = op.result(0, "output");
  const NamedValue features[] = {op.operand(1, "scale"), op.operand(2, "offset"),
                                 op.result(1, "batch_mean"), op.result(2, "batch_var")};
  const int64_t axis = feature_index(op, operand);
  for (const NamedValue& value : features) op.same_baseline_element(2, value, operand);
  op.same_baseline_element(2, output, operand);
  for (int i = 0; i < 4; ++i) one_a_feature(op, 3 + i, features[i], operand, axis);
  op.same_baseline_type(7, output, operand);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0

#include "systolic/nn/layers/recurrent/gates.h"

#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/noise.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

Tensor columns(const Tensor& x, int64_t begin, int64_t count) {
  Shape from = x.shape(), size = x.shape();
  for (int axis = 0; axis < x.rank(); ++axis) from.set(axis, 0);
  from.set(-1, begin);
  size.set(-1, count);
  return slice(x, from, size);
}

// `count` masks [batch, size], 0 or 1 / (1 - rate); none where nothing is dropped.
std::vector<Tensor> dropout_masks(int64_t count, double rate, const Shape& shape, DType dtype,
                                  std::optional<int64_t> seed, CellContext& context) {
  std::vector<Tensor> masks;
  if (!context.training() || rate == 0) return masks;
  for (int64_t i = 0; i < count; ++i) {
    const Tensor key = context.random_key();
    masks.push_back(dropped_out(ones(shape, dtype), rate, {},
                                seed ? fold_in(key, static_cast<uint64_t>(*seed)) : key));
  }
  return masks;
}

}  // namespace

RecurrentProduct::RecurrentProduct(const Tensor& kernel, std::vector<Tensor> masks,
                                   std::optional<Tensor> bias)
    : kernel_(kernel), masks_(std::move(masks)), bias_(std::move(bias)) {
  const int64_t units = kernel_.shape()[0];
  for (size_t i = 0; i < masks_.size(); ++i)
    kernels_.push_back(columns(kernel_, static_cast<int64_t>(i) * units, units));
}

RecurrentProduct RecurrentProduct::gates(int64_t begin, int64_t end) const {
  const int64_t units = kernel_.shape()[0];
  std::vector<Tensor> masks;
  if (!masks_.empty()) masks.assign(masks_.begin() + begin, masks_.begin() + end);
  std::optional<Tensor> bias;
  if (bias_) bias = columns(*bias_, begin * units, (end - begin) * units);
  return RecurrentProduct(columns(kernel_, begin * units, (end - begin) * units), masks, bias);
}

Tensor RecurrentProduct::operator()(const Tensor& h) const {
  std::vector<Tensor> parts;
  for (size_t i = 0; i < masks_.size(); ++i) parts.push_back(matmul(h * masks_[i], kernels_[i]));
  const Tensor product = parts.empty() ? matmul(h, kernel_) : concat(parts, 1);
  return bias_ ? product + *bias_ : product;
}

Gates gates_over(const Tensor& sequence, const GatesCall& call, CellContext& context) {
  check_positive("units", call.units);
  check_rate(call.dropout, /*with_1=*/false);
  check_rate(call.recurrent_dropout, /*with_1=*/false);
  check_rank(sequence, 3, "[batch, steps, features]");
  const int64_t features = sequence.shape()[-1], batch = sequence.shape()[1];
  const int64_t width = call.gates * call.units;
  const DType dtype = sequence.dtype();
  const Tensor kernel = context.weight("kernel", {features, width}, call.kernel);
  const Tensor recurrent = context.weight("recurrent_kernel", {call.units, width}, call.recurrent);
  std::optional<Tensor> bias, recurrent_bias;
  if (call.use_bias) {
    const Shape shape = call.two_biases ? Shape{2, width} : Shape{width};
    bias = context.weight("bias", shape, call.bias);
    if (call.two_biases) {
      recurrent_bias = (*bias)[{1}];
      bias = (*bias)[{0}];
    }
  }
  // Where each gate has a mask for its state, it has one for its input, too.
  const int64_t inputs = call.recurrent_dropout > 0 ? call.gates : 1;
  const std::vector<Tensor> masks =
      dropout_masks(inputs, call.dropout, {batch, features}, dtype, call.seed, context);
  std::vector<Tensor> products;
  for (size_t i = 0; i < masks.size(); ++i) {
    const int64_t columns_each = width / inputs;
    products.push_back(
        matmul(sequence * masks[i],
               columns(kernel, static_cast<int64_t>(i) * columns_each, columns_each)));
  }
  Tensor product = products.empty() ? matmul(sequence, kernel) : concat(products, 2);
  if (bias) product = product + *bias;
  std::vector<Tensor> again = dropout_masks(call.gates, call.recurrent_dropout, {batch, call.units},
                                            dtype, call.seed, context);
  return {product, RecurrentProduct(recurrent, std::move(again), recurrent_bias)};
}

std::vector<Tensor> split_gates(const Tensor& x, int gates) { return split(x, gates, -1); }

}  // namespace systolic::inline v0

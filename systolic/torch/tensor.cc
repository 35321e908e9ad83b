#include "systolic/torch/tensor.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/torch/process.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/tensor_state.h"

namespace systolic::inline v0 {
namespace torch {
namespace {

int positive_dim(int dim, int rank, At at) {
  if (dim >= -rank && dim < rank) return dim < 0 ? dim + rank : dim;
  raise<InvalidArgument>({.what = str("dimension ", dim, " of a Tensor of ", rank, " axes"),
                          .wanted = str("one from ", -rank, " to ", rank - 1),
                          .location = at});
}

Shape with_inferred_size(std::vector<int64_t> sizes, int64_t elements, At at) {
  const auto open = std::find(sizes.begin(), sizes.end(), -1);
  if (open == sizes.end()) return Shape(std::move(sizes));
  *open = 1;
  const int64_t others =
      std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  if (others <= 0 || elements % others != 0) {
    raise<InvalidArgument>({.what = str("a view with one open size of ", elements, " elements"),
                            .got = str("other sizes that multiply to ", others),
                            .wanted = "sizes that divide the number of elements",
                            .location = at});
  }
  *open = elements / others;
  return Shape(std::move(sizes));
}

ReduceOptions over(const DimOptions& options) {
  ReduceOptions result{.keepdims = options.keepdim};
  if (options.dim) result.axis = *options.dim;
  return result;
}

}  // namespace

void Tensor::backward(At at) const { internal::Process::current().autograd().backward(*this, at); }

Tensor Tensor::to(const Device& device, ToOptions options, At at) const {
  const Tensor here = device.is_xla() ? *this : cpu(at);
  return options.dtype ? here.to(*options.dtype, at) : here;
}

Tensor Tensor::to(DType wanted, At at) const {
  if (wanted == dtype()) return *this;
  if (state()->host) return state()->host->convert(wanted);
  return cast(Operand(*this, at), wanted);
}

Tensor Tensor::cpu(At at) const { return Tensor(literal(at)); }
Tensor Tensor::detach() const { return stop_gradient(*this); }
bool Tensor::is_on_host() const { return valid() && state()->host.has_value(); }

int64_t Tensor::size(int dim, At at) const { return shape()[positive_dim(dim, rank(), at)]; }

Tensor Tensor::view(std::vector<int64_t> sizes, At at) const {
  return systolic::reshape(*this, with_inferred_size(std::move(sizes), numel(), at), at);
}
Tensor Tensor::reshape(std::vector<int64_t> sizes, At at) const {
  return view(std::move(sizes), at);
}

Tensor Tensor::flatten(int start_dim, int end_dim, At at) const {
  if (rank() == 0) return view({1}, at);
  const int first = positive_dim(start_dim, rank(), at), last = positive_dim(end_dim, rank(), at);
  std::vector<int64_t> sizes;
  for (int i = 0; i < rank(); ++i) {
    if (i > first && i <= last) {
      sizes.back() *= shape()[i];
    } else {
      sizes.push_back(shape()[i]);
    }
  }
  return view(std::move(sizes), at);
}

Tensor Tensor::transpose(int a, int b, At at) const {
  std::vector<int> order(static_cast<size_t>(rank()));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<size_t>(positive_dim(a, rank(), at))],
            order[static_cast<size_t>(positive_dim(b, rank(), at))]);
  return systolic::transpose(*this, std::move(order), at);
}

Tensor Tensor::permute(std::vector<int> order, At at) const {
  return systolic::transpose(*this, std::move(order), at);
}
Tensor Tensor::squeeze(int dim, At at) const { return systolic::squeeze(*this, {dim}, at); }
Tensor Tensor::unsqueeze(int dim, At at) const { return systolic::expand_dims(*this, dim, at); }

Tensor Tensor::sum(DimOptions options, At at) const {
  return systolic::sum(*this, over(options), at);
}
Tensor Tensor::mean(DimOptions options, At at) const {
  return systolic::mean(*this, over(options), at);
}
Tensor Tensor::argmax(int dim, At at) const { return systolic::argmax(*this, dim, at); }
Tensor Tensor::sigmoid() const { return systolic::sigmoid(*this); }
Tensor Tensor::softmax(int dim, At at) const { return systolic::softmax(*this, dim, at); }

}  // namespace torch
}  // namespace systolic::inline v0

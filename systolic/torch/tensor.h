// A Tensor with the methods of PyTorch's.
//
//   torch::Tensor loss = criterion(model(x), y);
//   loss.backward();
//   float value = loss.item<float>();
//
// It is a systolic Tensor, and every op takes and gives either. Of `auto y = a * b` the type is the
// plain one, which lacks these methods: name the type, or write torch::Tensor(a * b).
#pragma once

#include <optional>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/torch/device.h"
#include "systolic/torch/dtype.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace torch {

using At = SourceLocation;

// The keyword arguments of Tensor.to.
struct ToOptions {
  std::optional<DType> dtype = {};  // the new element type; none: as it is
};

// How a method folds: the axis, and whether it stays with size 1.
struct DimOptions {
  std::optional<int> dim = {};  // none: over all elements
  bool keepdim = false;         // the axis stays, with size 1
};

class Tensor : public systolic::Tensor {
 public:
  Tensor() = default;
  Tensor(systolic::Tensor value) : systolic::Tensor(std::move(value)) {}  // NOLINT: the same array
  Tensor(Literal value) : systolic::Tensor(std::move(value)) {}           // NOLINT: a constant

  // Adds d this / d parameter to the gradient of every parameter that it was computed from. A
  // Tensor of several elements is an InvalidArgument; one that was computed under no_grad, before
  // the last optimizer step or before the last mark_step, a FailedPrecondition.
  void backward(At at = At::current()) const;

  // The same values in another type; the device takes them when a program does. int64 stays what it
  // is on the host.
  Tensor to(const Device& device, ToOptions options = {}, At at = At::current()) const;
  Tensor to(DType dtype, At at = At::current()) const;
  Tensor cpu(At at = At::current()) const;  // on the host: runs what is pending
  Tensor detach() const;                    // a constant for gradients
  bool is_on_host() const;                  // its values are known without running anything

  // Elements along an axis; negative axes count from the end.
  int64_t size(int dim, At at = At::current()) const;
  int dim() const { return rank(); }
  int64_t numel() const { return systolic::Tensor::size(); }

  // One size may be -1.
  Tensor view(std::vector<int64_t> sizes, At at = At::current()) const;
  Tensor reshape(std::vector<int64_t> sizes, At at = At::current()) const;
  // The axes from start_dim to end_dim, both included, as one.
  Tensor flatten(int start_dim = 0, int end_dim = -1, At at = At::current()) const;
  Tensor transpose(int a, int b, At at = At::current()) const;
  Tensor permute(std::vector<int> order, At at = At::current()) const;
  Tensor squeeze(int dim, At at = At::current()) const;
  Tensor unsqueeze(int dim, At at = At::current()) const;

  Tensor sum(DimOptions options = {}, At at = At::current()) const;
  Tensor mean(DimOptions options = {}, At at = At::current()) const;
  Tensor argmax(int dim = -1, At at = At::current()) const;
  Tensor sigmoid() const;
  Tensor softmax(int dim = -1, At at = At::current()) const;
};

}  // namespace torch
}  // namespace systolic::inline v0

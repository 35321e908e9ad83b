// The weights of the samples that a metric is updated with, as an optional Tensor that knows
// whether it was looked at: a metric that does not look counts rows that only pad a batch, and is
// not given any.
#pragma once

#include <atomic>
#include <concepts>
#include <memory>
#include <optional>
#include <utility>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

class SampleWeight {
 public:
  SampleWeight() = default;
  SampleWeight(std::nullopt_t) {}                                             // NOLINT
  SampleWeight(std::optional<Tensor> weight) : weight_(std::move(weight)) {}  // NOLINT
  template <std::convertible_to<Tensor> Weight>
  SampleWeight(Weight&& weight)  // NOLINT
      : weight_(Tensor(std::forward<Weight>(weight))) {}
  // One that was moved from still is what it was: moving copies.
  SampleWeight(const SampleWeight&) = default;
  SampleWeight& operator=(const SampleWeight&) = default;

  // Whether there are weights, which is no look at them.
  explicit operator bool() const { return weight_.has_value(); }
  bool has_value() const { return weight_.has_value(); }
  const Tensor& operator*() const { return *looked_at(); }
  const Tensor* operator->() const { return &*looked_at(); }
  const Tensor& value() const { return looked_at().value(); }
  Tensor value_or(const Tensor& other) const { return looked_at().value_or(other); }
  operator const std::optional<Tensor>&() const { return looked_at(); }  // NOLINT
  void reset() { *this = {}; }

  // Of this object and its copies.
  bool was_looked_at() const { return seen_->load(std::memory_order_relaxed); }
  // Without being a look: axes that the weights have; -1 where there are none.
  int rank() const { return weight_ ? weight_->rank() : -1; }

 private:
  const std::optional<Tensor>& looked_at() const {
    seen_->store(true, std::memory_order_relaxed);
    return weight_;
  }

  std::optional<Tensor> weight_;
  std::shared_ptr<std::atomic<bool>> seen_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace systolic::inline v0

// Samples by their number (torch.utils.data.Dataset, TensorDataset).
//
//   struct Comments {
//     int64_t size() const { return n; }
//     Example get(int64_t i) const { return {{"ids", ids.row(i)}, {"targets", targets.row(i)}}; }
//   };
//   torch::utils::data::DataLoader loader(Comments{...}, {.batch_size = 32, .shuffle = true});
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "systolic/core/example.h"

namespace systolic::inline v0 {
namespace torch {
namespace utils {
namespace data {

// What a Dataset can hold: size() gives the number of samples, get(i) the sample i, from 0, as
// named arrays.
template <class Source>
concept SampleSource = requires(const Source& source, int64_t i) {
  { source.size() } -> std::convertible_to<int64_t>;
  { source.get(i) } -> std::convertible_to<Example>;
};

// A handle on samples of any kind; get() may be called from a loader's thread.
class Dataset {
 public:
  template <SampleSource Source>
  requires(!std::same_as<std::remove_cvref_t<Source>, Dataset>) Dataset(Source source)  // NOLINT
      : source_(std::make_shared<const Of<Source>>(std::move(source))) {}

  int64_t size() const { return source_->size(); }
  Example get(int64_t i) const { return source_->get(i); }

 private:
  struct Any {
    virtual ~Any() = default;
    virtual int64_t size() const = 0;
    virtual Example get(int64_t i) const = 0;
  };
  template <class Source>
  struct Of final : Any {
    explicit Of(Source of) : source(std::move(of)) {}
    int64_t size() const override { return source.size(); }
    Example get(int64_t i) const override { return source.get(i); }
    Source source;
  };
  std::shared_ptr<const Any> source_;
};

// The rows of arrays that have equally many: TensorDataset({{"x", x}, {"y", y}}). Others are an
// InvalidArgument.
class TensorDataset {
 public:
  explicit TensorDataset(Example arrays, SourceLocation location = SourceLocation::current());
  int64_t size() const { return rows_; }
  Example get(int64_t i) const;

 private:
  Example arrays_;
  int64_t rows_ = 0;
};

}  // namespace data
}  // namespace utils
}  // namespace torch
}  // namespace systolic::inline v0

#include "systolic/nn/layers/preprocessing/hashed_crossing.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/preprocessing/encode.h"
#include "systolic/preprocessing/fingerprint.h"

namespace systolic::inline v0 {
namespace {

// The key with which tf.sparse.cross_hashed starts.
constexpr uint64_t first_key = 0xDECAFCAFFE;

void check_crossed(const std::vector<Literal>& xs) {
  if (xs.size() < 2) {
    raise<InvalidArgument>(
        {.what = str("called on ", xs.size(), " inputs"), .wanted = "2 or more"});
  }
  for (const Literal& x : xs) {
    const bool is_known = x.dtype() == DType::string || is_integer(x.dtype());
    const bool is_column = x.rank() < 2 || (x.rank() == 2 && x.shape()[-1] == 1);
    if (is_known && is_column && x.shape() == xs[0].shape()) continue;
    raise<InvalidArgument>(
        {.what = str("an input is ", to_string(x.dtype()), x.shape()),
         .wanted = "strings or integers of one shape, (), [batch] or [batch, 1]"});
  }
}

}  // namespace

Literal HashedCrossing::operator()(const std::vector<Literal>& xs, SourceLocation at) const {
  const ErrorScope scope(kind, at);
  check_positive("num_bins", num_bins);
  check_crossed(xs);
  Literal places(DType::i64, xs[0].shape());
  const std::span<int64_t> to = places.mutable_data<int64_t>();
  for (size_t i = 0; i < to.size(); ++i) {
    uint64_t hash = first_key;
    for (const Literal& x : xs) {
      const auto at_i = static_cast<int64_t>(i);
      const uint64_t one = x.dtype() == DType::string ? fingerprint64(x.string_at(at_i))
                                                      : static_cast<uint64_t>(x.integer_at(at_i));
      hash = joined_fingerprints(hash, one);
    }
    to[i] = static_cast<int64_t>(hash % static_cast<uint64_t>(num_bins.get()));
  }
  return encode_places(places, output_mode.name(), num_bins);
}

Tensor HashedCrossing::call(const std::vector<Tensor>&, CallContext&) const {
  raise_runs_on_host(kind, location);
}

KerasForm HashedCrossing::keras_form() { return {.silent = {{"sparse", "false"}}}; }

SYSTOLIC_DEFINE_LAYER(HashedCrossing)

}  // namespace systolic::inline v0

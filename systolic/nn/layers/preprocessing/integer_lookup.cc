#include "systolic/nn/layers/preprocessing/integer_lookup.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/preprocessing/categories.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// The integers of a vocabulary in order, with the place of each, for a search by halves.
struct SortedTokens {
  std::vector<int64_t> tokens;
  std::vector<int32_t> places;
};

SortedTokens sorted_tokens_of(const Lookup<int64_t>& lookup, DType dtype) {
  const std::vector<int64_t> tokens = lookup.vocabulary(false);
  std::vector<std::pair<int64_t, int32_t>> pairs;
  for (size_t i = 0; i < tokens.size(); ++i) {
    // No i32 is equal to a token beyond them.
    const bool fits = dtype == DType::i64 || (tokens[i] >= std::numeric_limits<int32_t>::min() &&
                                              tokens[i] <= std::numeric_limits<int32_t>::max());
    if (fits) {
      pairs.emplace_back(tokens[i],
                         static_cast<int32_t>(lookup.rules().token_start()) + static_cast<int>(i));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  SortedTokens result;
  for (const auto& [token, place] : pairs) {
    result.tokens.push_back(token);
    result.places.push_back(place);
  }
  return result;
}

Literal column_of(const std::vector<int64_t>& values, DType dtype) {
  return Literal::from(values, {static_cast<int64_t>(values.size())}).convert(dtype);
}

// The place of each x among the tokens, `unknown` elsewhere.
Tensor places_of(const Tensor& x, const SortedTokens& sorted, const Tensor& unknown) {
  const auto count = static_cast<int64_t>(sorted.tokens.size());
  if (count == 0) return unknown;
  const Tensor tokens = constant(column_of(sorted.tokens, x.dtype()));
  // How many tokens are below x.
  Tensor below = zeros(x.shape(), DType::i32);
  for (auto step = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(count))); step > 0;
       step /= 2) {
    const Tensor next = below + static_cast<int32_t>(step);
    const Tensor is_below = (next <= static_cast<int32_t>(count)) & (gather(tokens, next - 1) < x);
    below = where(is_below, next, below);
  }
  const Tensor is_known = (below < static_cast<int32_t>(count)) & (gather(tokens, below) == x);
  const Tensor places = constant(Literal::from(sorted.places, {count}));
  return where(is_known, gather(places, below), unknown);
}

Tensor unknown_places(const Tensor& x, const LookupRules<int64_t>& rules) {
  const auto start = static_cast<int32_t>(rules.oov_start());
  if (rules.num_oov_indices == 1) return fill(x.shape(), start, DType::i32);
  const Tensor divisor =
      cast(fill({}, static_cast<double>(rules.num_oov_indices), DType::i32), x.dtype());
  return cast((x % divisor + divisor) % divisor, DType::i32) + start;
}

void check_runs_on_device(const IntegerLookup& layer) {
  const bool hashes = layer.oov_method.is("farmhash") && layer.num_oov_indices > 1;
  if (layer.invert || (!hashes && layer.num_oov_indices > 0)) return;
  raise<Unimplemented>(
      {.what = hashes ? "hashes of integers in a model" : "num_oov_indices = 0 in a model",
       .hint = "call the layer on the arrays of the pipeline, or use "
               "num_oov_indices = 1"});
}

}  // namespace

LookupRules<int64_t> IntegerLookup::rules() const {
  if (salt.key() && !oov_method.is("farmhash")) {
    raise<InvalidArgument>({.what = "salt with oov_method \"floormod\"", .wanted = "\"farmhash\""});
  }
  return {.max_tokens = max_tokens,
          .num_oov_indices = num_oov_indices,
          .mask_token = mask_token,
          .oov_token = oov_token,
          .vocabulary = vocabulary,
          .idf_weights = idf_weights.values(),
          .invert = invert,
          .output_mode = output_mode.name(),
          .pad_to_max_tokens = pad_to_max_tokens,
          .salt = salt.key(),
          .hashes_integers = oov_method.is("farmhash")};
}

Literal IntegerLookup::operator()(const Literal& x, SourceLocation at) const {
  const ErrorScope scope(kind, at);
  return look_up(Lookup<int64_t>(rules()), x);
}

Tensor IntegerLookup::call(const Tensor& x, CallContext& context) const {
  check_runs_on_device(*this);
  const Lookup<int64_t> lookup(rules());
  const Tensor in = cast(x, x.dtype() == DType::i64 ? DType::i64 : DType::i32);
  if (invert) {
    std::vector<int64_t> tokens = lookup.vocabulary(true);
    tokens.push_back(oov_token);
    const auto last = static_cast<int32_t>(tokens.size()) - 1;
    const Tensor places = cast(in, DType::i32);
    const Tensor known = where((places < 0) | (places > last), last, places);
    return gather(constant(column_of(tokens, in.dtype())), known);
  }
  Tensor places =
      places_of(in, sorted_tokens_of(lookup, in.dtype()), unknown_places(in, lookup.rules()));
  if (mask_token) {
    const Tensor token = constant(Literal::scalar(*mask_token).convert(in.dtype()));
    places = where(in == token, output_mode.is("int") ? 0 : -1, places);
  }
  const DType type = output_mode.is("int") ? DType::i32 : context.compute_dtype();
  if (!output_mode.is("tf_idf"))
    return encode_categories(places, CategoryOutput::parse(output_mode.name()), lookup.depth(),
                             type);
  const std::vector<double> weights = lookup.weights();
  return encode_categories(places, "count", lookup.depth(), type) *
         constant(Literal::from(weights, {lookup.depth()}).convert(type));
}

void IntegerLookup::adapt(const Literal& values, SourceLocation at) {
  const ErrorScope scope(kind, at);
  TokenCounts<int64_t> counts;
  count_tokens(counts, values.rank() == 1 ? values.reshape({values.size(), 1}) : values);
  learn(counts, at);
}

void IntegerLookup::learn(const TokenCounts<int64_t>& counts, SourceLocation at) {
  const ErrorScope scope(kind, at);
  LookupRules<int64_t> learned = rules();
  counts.finish(learned);
  vocabulary = learned.vocabulary;
  idf_weights = learned.idf_weights;
}

std::vector<int64_t> IntegerLookup::get_vocabulary(bool include_special_tokens) const {
  const ErrorScope scope(kind, location);
  return Lookup<int64_t>(rules()).vocabulary(include_special_tokens);
}

int64_t IntegerLookup::vocabulary_size() const {
  const ErrorScope scope(kind, location);
  return Lookup<int64_t>(rules()).size();
}

KerasForm IntegerLookup::keras_form() {
  KerasForm form{.silent = silent_entries_of_lookups()};
  form.silent.emplace_back("vocabulary_dtype", "\"int64\"");
  return form;
}

SYSTOLIC_DEFINE_LAYER(IntegerLookup)

}  // namespace systolic::inline v0

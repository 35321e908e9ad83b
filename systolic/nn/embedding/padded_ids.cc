#include "systolic/nn/embedding/padded_ids.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/core/sparse_tensor.h"

namespace systolic::inline v0 {
namespace tpu::experimental::embedding {
namespace {

[[noreturn]] void raise_id(const FeatureConfig& feature, int64_t row, int64_t id,
                           SourceLocation location) {
  const TableConfig& table = feature.table;
  raise<InvalidArgument>({.what = str("feature '", feature.name, "', row ", row, ": id ", id),
                          .wanted = str("0 to ", table.vocabulary_size - 1, ": table '", table.name,
                                        "' knows ", table.vocabulary_size.get()),
                          .location = location});
}

int32_t checked_id(const FeatureConfig& feature, const Literal& ids, int64_t place, int64_t row,
                   SourceLocation location) {
  const int64_t id = ids.integer_at(place);
  if (id < 0 || id >= feature.table->vocabulary_size) raise_id(feature, row, id, location);
  return static_cast<int32_t>(id);
}

void check_integers(const FeatureConfig& feature, const Literal& ids, SourceLocation location) {
  if (is_integer(ids.dtype())) return;
  raise<InvalidArgument>({.what = str("feature '", feature.name, "' is ", ids.dtype()),
                          .wanted = "ids, integers",
                          .location = location});
}

Literal checked_dense(const FeatureConfig& feature, const Literal& ids, SourceLocation location) {
  check_integers(feature, ids, location);
  Literal result(DType::i32, ids.shape());
  const auto to = result.mutable_data<int32_t>();
  const int64_t rows = ids.rank() > 0 ? std::max<int64_t>(1, ids.shape()[0]) : 1;
  const int64_t each = std::max<int64_t>(1, ids.size() / rows);
  for (int64_t i = 0; i < ids.size(); ++i)
    to[static_cast<size_t>(i)] = checked_id(feature, ids, i, i / each, location);
  return result;
}

// One or the other.
RaggedTensor rows_in(const Example& element, const std::string& name, SourceLocation location) {
  if (SparseTensor::is_in(element, name))
    return SparseTensor::in(element, name, location).rows(location);
  return RaggedTensor::in(element, name, location);
}

std::string weights_name(const FeatureConfig& feature) { return feature.name + "_weights"; }

// Empty where the element has none.
Literal weights_in(const Example& element, const FeatureConfig& feature, const RaggedTensor& ids,
                   SourceLocation location) {
  const std::string name = weights_name(feature);
  if (!element.contains(name)) return Literal::zeros(DType::f32, {0});
  const RaggedTensor weights = rows_in(element, name, location);
  for (int64_t row = 0; row < std::max(ids.rows(), weights.rows()); ++row) {
    const bool both = row < ids.rows() && row < weights.rows();
    if (both && ids.row_length(row) == weights.row_length(row)) continue;
    raise<InvalidArgument>(
        {.what = str("feature '", feature.name, "', row ", row, ": ",
                     row < weights.rows() ? weights.row_length(row) : 0, " weights"),
         .wanted = str("one for each of ", row < ids.rows() ? ids.row_length(row) : 0, " ids"),
         .location = location});
  }
  return weights.values.convert(DType::f32);
}

// Along the second axis.
int64_t width_of(const FeatureConfig& feature, const RaggedTensor& ids, int64_t max_ids,
                 SourceLocation location) {
  const int64_t longest = ids.longest_row();
  if (max_ids == 0)
    return static_cast<int64_t>(
        std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(1, longest))));
  if (longest <= max_ids) return max_ids;
  int64_t row = 0;
  while (ids.row_length(row) <= max_ids) ++row;
  raise<InvalidArgument>(
      {.what = str("feature '", feature.name, "', row ", row, ": ", ids.row_length(row), " ids"),
       .wanted = str("at most max_ids = ", max_ids),
       .hint = "give a larger max_ids, or cut the rows in a map before the batch",
       .location = location});
}

void pad_feature(Example& element, const FeatureConfig& feature, int64_t max_ids,
                 SourceLocation location) {
  const RaggedTensor ids = rows_in(element, feature.name, location);
  check_integers(feature, ids.values, location);
  const Literal weights = weights_in(element, feature, ids, location);
  const int64_t width = width_of(feature, ids, max_ids, location), rows = ids.rows();
  Literal padded = Literal::zeros(DType::i32, {rows, width});
  Literal counted = Literal::zeros(DType::f32, {rows, width});
  const auto to = padded.mutable_data<int32_t>();
  const auto weight_to = counted.mutable_data<float>();
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t start = ids.row_start(row);
    for (int64_t k = 0; k < ids.row_length(row); ++k) {
      const auto place = static_cast<size_t>(row * width + k);
      to[place] = checked_id(feature, ids.values, start + k, row, location);
      const float weight =
          weights.size() == 0 ? 1 : weights.data<float>()[static_cast<size_t>(start + k)];
      if (!std::isfinite(weight)) {
        raise<InvalidArgument>(
            {.what = str("feature '", feature.name, "', row ", row, ": weight ", weight),
             .location = location});
      }
      weight_to[place] = weight;
    }
  }
  element.set(feature.name, std::move(padded));
  element.set(weights_name(feature), std::move(counted));
}

// What described the ids that are padded now.
Example without_form(const Example& element, const std::vector<FeatureConfig>& features) {
  Example::Components kept;
  for (const auto& component : element) {
    const bool form =
        std::any_of(features.begin(), features.end(), [&](const FeatureConfig& feature) {
          if (!feature.ragged) return false;
          for (const std::string& name : {feature.name, weights_name(feature)}) {
            for (const char* end : {"_row_splits", "_indices", "_dense_shape"})
              if (component.name == name + end) return true;
          }
          return false;
        });
    if (!form) kept.push_back(component);
  }
  return Example(std::move(kept));
}

}  // namespace

std::function<Example(const Example&)> padded_ids(const std::vector<FeatureConfig>& features,
                                                  PaddedIdsOptions options,
                                                  SourceLocation location) {
  const Tables tables = tables_of(features, location);
  if (options.max_ids < 0) {
    raise<InvalidArgument>({.what = str("padded_ids: max_ids is ", options.max_ids),
                            .wanted = "0 or more",
                            .location = location});
  }
  return [named = tables.features, options, location](const Example& element) {
    Example result = element;
    for (const FeatureConfig& feature : named) {
      if (feature.ragged) {
        pad_feature(result, feature, options.max_ids, location);
      } else {
        result.set(feature.name, checked_dense(feature, element[feature.name], location));
      }
    }
    return without_form(result, named);
  };
}

}  // namespace tpu::experimental::embedding
}  // namespace systolic::inline v0

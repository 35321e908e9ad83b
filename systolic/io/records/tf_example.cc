#include "systolic/io/records/tf_example.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/records/tf_example_wire.h"

namespace systolic::inline v0 {
namespace io {

namespace {

using Kind = FeatureKind;

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::none:
      return "nothing";
    case Kind::bytes:
      return "bytes";
    case Kind::floats:
      return "floats";
    case Kind::int64s:
      return "int64s";
  }
  return "";
}

Kind kind_of(DType dtype) {
  return dtype == DType::string ? Kind::bytes : dtype == DType::f32 ? Kind::floats : Kind::int64s;
}

size_t value_bytes(DType dtype) {
  return dtype == DType::string ? sizeof(std::string_view) : static_cast<size_t>(byte_width(dtype));
}

DType dtype_of_feature(const FeatureSpec& spec) {
  return std::visit([](const auto& feature) { return feature.dtype; }, spec.feature);
}

const FixedLenFeature* fixed(const FeatureSpec& spec) {
  return std::get_if<FixedLenFeature>(&spec.feature);
}

Literal vector_of(const RawFeature& feature, std::string_view record) {
  const size_t count = read_values(feature, record, nullptr, 0);
  const Shape shape{static_cast<int64_t>(count)};
  if (feature.kind == Kind::bytes) {
    std::vector<std::string_view> values(count);
    read_values(feature, record, values.data(), count);
    return Literal::strings(values, shape);
  }
  Literal result(feature.kind == Kind::floats ? DType::f32 : DType::i64, shape);
  read_values(feature, record, result.mutable_raw(), count);
  return result;
}

// Refuses what a tf.Example cannot hold and gives the default the feature's own type.
void check_spec(FeatureSpec& spec, SourceLocation location) {
  const DType dtype = dtype_of_feature(spec);
  if (dtype != DType::string && dtype != DType::i64 && dtype != DType::f32) {
    raise<InvalidArgument>({.what = str("feature '", spec.name, "' of type ", dtype),
                            .wanted = "string, i64 or f32: what a tf.Example holds",
                            .hint = "parse it as one of these and cast it afterwards",
                            .location = location});
  }
  auto* feature = std::get_if<FixedLenFeature>(&spec.feature);
  if (feature == nullptr || !feature->default_value) return;
  Literal& value = *feature->default_value;
  if (value.size() != 1 && !(value.shape() == feature->shape)) {
    raise<InvalidArgument>(
        {.what = str("feature '", spec.name, "': a default of shape ", value.shape()),
         .wanted = str(feature->shape, " or one value"),
         .location = location});
  }
  if ((value.dtype() == DType::string) != (dtype == DType::string)) {
    raise<InvalidArgument>(
        {.what = str("feature '", spec.name, "': a default of type ", value.dtype()),
         .wanted = str(dtype),
         .location = location});
  }
  if (dtype != DType::string) value = value.convert(dtype);
}

}  // namespace

// The results under way: one array a feature, with one row a record if it is a batch.
struct ExampleParser::Columns {
  struct Column {
    Literal values;
    std::byte* data = nullptr;
    size_t count = 0;  // values in each record
    size_t row_bytes = 0;
    bool known = false;  // `count` is known; for a VarLenFeature only after the first record
  };
  const Literal& records;
  const bool batched;
  std::shared_ptr<const void> defaults;  // what keeps the bytes of default strings
  std::vector<Column, BlockAllocator<Column>> columns;
  std::vector<std::vector<RawFeature>> ragged;  // by feature; of a RaggedFeature each record's

  Columns(const Literal& all_records,
          const std::shared_ptr<const std::vector<FeatureSpec>>& features)
      : records(all_records),
        batched(all_records.rank() > 0),
        defaults(features),
        columns(features->size()),
        ragged(features->size()) {
    for (size_t i = 0; i < features->size(); ++i) {
      if (const FixedLenFeature* feature = fixed((*features)[i]))
        prepare(i, feature->dtype, feature->shape);
    }
  }

  void prepare(size_t i, DType dtype, const Shape& shape) {
    Column& column = columns[i];
    column.known = true;
    column.count = static_cast<size_t>(shape.elements());
    column.row_bytes = column.count * value_bytes(dtype);
    const Shape whole = batched ? shape.with_inserted(0, records.size()) : shape;
    if (dtype == DType::string) {
      column.values = Literal::string_views(whole, records, defaults);
      column.data = reinterpret_cast<std::byte*>(column.values.mutable_strings().data());
    } else {
      column.values = Literal(dtype, whole);
      column.data = column.values.mutable_raw();
    }
  }
};

ExampleParser::ExampleParser(std::vector<FeatureSpec> features, SourceLocation location)
    : location_(location) {
  for (FeatureSpec& spec : features) check_spec(spec, location);
  features_ = std::make_shared<const std::vector<FeatureSpec>>(std::move(features));
}

namespace {

[[noreturn]] void raise_missing(const FeatureSpec& spec, std::string_view record,
                                SourceLocation location) {
  std::vector<std::string> present;
  for_each_feature(record, [&](const RawFeature& feature) {
    if (present.size() < 20) present.emplace_back(feature.name);
  });
  const std::vector<std::string> closest = closest_names(spec.name, present, 1);
  raise<InvalidArgument>({.what = str("feature '", spec.name, "' is missing in the record"),
                          .got = present.empty() ? std::string("no features") : join(present),
                          .hint = closest.empty() ? "give the feature a default_value"
                                                  : str("did you mean '", closest.front(), "'"),
                          .location = location});
}

void copy_default(const FixedLenFeature& feature, std::byte* out, size_t values) {
  const Literal& value = *feature.default_value;
  const size_t bytes = value_bytes(value.dtype());
  for (size_t i = 0; i < values; ++i) {
    std::memcpy(out + i * bytes, value.raw() + (value.size() == 1 ? 0 : i * bytes), bytes);
  }
}

void check_kind(const FeatureSpec& spec, const RawFeature& feature, SourceLocation location) {
  const Kind wanted = kind_of(dtype_of_feature(spec));
  if (feature.kind == wanted) return;
  raise<InvalidArgument>({.what = str("feature '", spec.name, "' holds ", name_of(feature.kind)),
                          .wanted = str(name_of(wanted), " (dtype ", dtype_of_feature(spec), ")"),
                          .location = location});
}

[[noreturn]] void raise_count(const FeatureSpec& spec, size_t count, size_t wanted,
                              SourceLocation location) {
  const auto* feature = fixed(spec);
  raise<InvalidArgument>(
      {.what = str("feature '", spec.name, "' holds ", count, " values"),
       .wanted = feature != nullptr ? str(wanted, " (shape ", feature->shape, ")")
                                    : str(wanted, " as in the first record of the batch"),
       .hint = feature != nullptr ? "use a VarLenFeature for a number that differs between records"
                                  : "use a RaggedFeature for rows of different lengths",
       .location = location});
}

}  // namespace

void ExampleParser::parse_record(std::string_view record, int64_t row, Columns& columns) const {
  const std::vector<FeatureSpec>& features = *features_;
  std::vector<RawFeature, BlockAllocator<RawFeature>> found(features.size());
  size_t guess = 0;  // writers keep an order, so the next feature is most often the next wanted one
  for_each_feature(record, [&](const RawFeature& feature) {
    for (size_t tried = 0; tried < features.size(); ++tried) {
      const size_t i =
          guess + tried < features.size() ? guess + tried : guess + tried - features.size();
      if (features[i].name != feature.name) continue;
      found[i] = feature;
      guess = i + 1 < features.size() ? i + 1 : 0;
      return;
    }
  });
  for (size_t i = 0; i < features.size(); ++i)
    store_feature(features[i], i, found[i], record, row, columns);
}

void ExampleParser::store_feature(const FeatureSpec& spec, size_t i, const RawFeature& raw,
                                  std::string_view record, int64_t row, Columns& columns) const {
  Columns::Column& column = columns.columns[i];
  const FixedLenFeature* feature = fixed(spec);
  const bool missing = raw.kind == Kind::none;
  if (missing && feature != nullptr) {
    if (!feature->default_value) raise_missing(spec, record, location_);
    copy_default(*feature, column.data + static_cast<size_t>(row) * column.row_bytes, column.count);
    return;
  }
  if (!missing) check_kind(spec, raw, location_);
  if (columns.batched && std::holds_alternative<RaggedFeature>(spec.feature)) {
    columns.ragged[i].push_back(raw);
    return;
  }
  if (!column.known) {
    const auto count = static_cast<int64_t>(read_values(raw, record, nullptr, 0));
    columns.prepare(i, dtype_of_feature(spec), Shape{count});
  }
  std::byte* out = column.data + static_cast<size_t>(row) * column.row_bytes;
  const size_t count = read_values(raw, record, out, column.count);
  if (count != column.count) raise_count(spec, count, column.count, location_);
}

void ExampleParser::put_ragged(size_t i, Columns& columns, Example::Components& components) const {
  const FeatureSpec& spec = (*features_)[i];
  const std::vector<RawFeature>& raw = columns.ragged[i];
  const auto record = [&](size_t row) {
    return columns.records.string_at(static_cast<int64_t>(row));
  };
  Literal splits(DType::i64, {static_cast<int64_t>(raw.size()) + 1});
  const auto starts = splits.mutable_data<int64_t>();
  starts[0] = 0;
  for (size_t row = 0; row < raw.size(); ++row) {
    const size_t count = read_values(raw[row], record(row), nullptr, 0);
    starts[row + 1] = starts[row] + static_cast<int64_t>(count);
  }
  const DType dtype = dtype_of_feature(spec);
  const Shape shape{starts[raw.size()]};
  Literal values = dtype == DType::string
                       ? Literal::string_views(shape, columns.records, columns.defaults)
                       : Literal(dtype, shape);
  auto* out = dtype == DType::string ? reinterpret_cast<std::byte*>(values.mutable_strings().data())
                                     : values.mutable_raw();
  for (size_t row = 0; row < raw.size(); ++row) {
    const auto start = static_cast<size_t>(starts[row]), end = static_cast<size_t>(starts[row + 1]);
    read_values(raw[row], record(row), out + start * value_bytes(dtype), end - start);
  }
  components.push_back({spec.name, std::move(values)});
  components.push_back({spec.name + "_row_splits", std::move(splits)});
}

Example ExampleParser::take(Columns& columns) const {
  Example::Components components;
  components.reserve(features_->size());
  for (size_t i = 0; i < features_->size(); ++i) {
    const FeatureSpec& spec = (*features_)[i];
    if (columns.batched && std::holds_alternative<RaggedFeature>(spec.feature)) {
      put_ragged(i, columns, components);
      continue;
    }
    if (!columns.columns[i].known) columns.prepare(i, dtype_of_feature(spec), Shape{0});
    components.push_back({spec.name, std::move(columns.columns[i].values)});
  }
  return Example(std::move(components));
}

Example ExampleParser::parse(std::string_view record) const {
  return parse(Literal::scalar(record));
}

Example ExampleParser::parse(const Literal& record) const {
  if (record.dtype() != DType::string || record.rank() != 0) {
    raise<InvalidArgument>(
        {.what = str("a record of type ", record.dtype(), " and shape ", record.shape()),
         .wanted = "a string scalar",
         .location = location_});
  }
  Columns columns(record, features_);
  parse_record(record.bytes(), 0, columns);
  return take(columns);
}

Example ExampleParser::parse_batch(const Literal& records) const {
  if (records.dtype() != DType::string || records.rank() != 1) {
    raise<InvalidArgument>(
        {.what = str("records of type ", records.dtype(), " and shape ", records.shape()),
         .wanted = "a vector of strings",
         .location = location_});
  }
  Columns columns(records, features_);
  int64_t row = 0;
  try {
    for (; row < records.size(); ++row) parse_record(records.string_at(row), row, columns);
  } catch (const Error& error) {
    error.rethrow_within(str("record ", row, " of the batch"));
  }
  return take(columns);
}

Example decode_example(std::string_view record) {
  Example result;
  for_each_feature(record, [&](const RawFeature& feature) {
    if (feature.kind != Kind::none) result.set(feature.name, vector_of(feature, record));
  });
  return result;
}

}  // namespace io
}  // namespace systolic::inline v0

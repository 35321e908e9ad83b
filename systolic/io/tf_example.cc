#include "systolic/io/tf_example.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/protobuf_wire.h"

namespace systolic::inline v0 {
namespace io {
namespace {

// Field numbers of example.proto's Feature; 0 is a Feature without values.
enum class Kind : uint32_t { none = 0, bytes = 1, floats = 2, int64s = 3 };

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

// One feature of a record: its values still encoded.
struct RawFeature {
  std::string_view name;
  std::string_view list;
  Kind kind = Kind::none;
};

[[noreturn]] void raise_malformed(std::string_view what, std::string_view record, const char* at) {
  raise<DataLoss>({.what = str("not a tf.Example: ", what, " at byte ", at - record.data(), " of ",
                               record.size()),
                   .hint = "check that the file holds tf.Examples, and not other records"});
}

// Calls visit(number, type, reader) for each field of a message; the visitor reads or skips the
// value.
template <class Visit>
void for_each_field(std::string_view message, std::string_view record, std::string_view what,
                    Visit visit) {
  WireReader reader(message);
  while (!reader.at_end()) {
    const char* at = reader.position();
    uint32_t field = 0;
    WireType type{};
    if (!reader.read_tag(field, type) || !visit(field, type, reader))
      raise_malformed(what, record, at);
  }
}

void read_feature(std::string_view message, std::string_view record, RawFeature& feature) {
  for_each_field(message, record, "a damaged Feature",
                 [&](uint32_t field, WireType type, WireReader& reader) {
                   if (field < 1 || field > 3 || type != WireType::bytes) return reader.skip(type);
                   feature.kind = static_cast<Kind>(field);
                   return reader.read_bytes(feature.list);
                 });
}

RawFeature read_entry(std::string_view message, std::string_view record) {
  RawFeature feature;
  for_each_field(message, record, "a damaged map entry",
                 [&](uint32_t field, WireType type, WireReader& reader) {
                   if (type != WireType::bytes || field > 2) return reader.skip(type);
                   if (field == 1) return reader.read_bytes(feature.name);
                   std::string_view value;
                   if (!reader.read_bytes(value)) return false;
                   read_feature(value, record, feature);
                   return true;
                 });
  return feature;
}

template <class Visit>
void for_each_feature(std::string_view record, Visit visit) {
  for_each_field(record, record, "a damaged Example",
                 [&](uint32_t field, WireType type, WireReader& reader) {
                   if (field != 1 || type != WireType::bytes) return reader.skip(type);
                   std::string_view features;
                   if (!reader.read_bytes(features)) return false;
                   for_each_field(features, record, "damaged Features",
                                  [&](uint32_t inner, WireType inner_type, WireReader& entries) {
                                    if (inner != 1 || inner_type != WireType::bytes)
                                      return entries.skip(inner_type);
                                    std::string_view entry;
                                    if (!entries.read_bytes(entry)) return false;
                                    visit(read_entry(entry, record));
                                    return true;
                                  });
                   return true;
                 });
}

// Decodes the values of a feature, packed or not. Stores the first `room` of them; returns how many
// there are.
size_t read_int64s(std::string_view list, std::string_view record, int64_t* out, size_t room) {
  size_t count = 0;
  auto add = [&](WireReader& reader) {
    uint64_t value = 0;
    if (!reader.read_varint(value)) return false;
    if (count < room) out[count] = static_cast<int64_t>(value);
    ++count;
    return true;
  };
  for_each_field(list, record, "a damaged Int64List",
                 [&](uint32_t field, WireType type, WireReader& reader) {
                   if (field != 1) return reader.skip(type);
                   if (type == WireType::varint) return add(reader);
                   std::string_view packed;
                   if (type != WireType::bytes || !reader.read_bytes(packed)) return false;
                   WireReader values(packed);
                   while (!values.at_end()) {
                     if (!add(values)) return false;
                   }
                   return true;
                 });
  return count;
}

size_t read_floats(std::string_view list, std::string_view record, float* out, size_t room) {
  size_t count = 0;
  for_each_field(list, record, "a damaged FloatList",
                 [&](uint32_t field, WireType type, WireReader& reader) {
                   if (field != 1) return reader.skip(type);
                   uint32_t bits = 0;
                   std::string_view packed;
                   if (type == WireType::fixed32) {
                     if (!reader.read_fixed32(bits)) return false;
                     packed = {reinterpret_cast<const char*>(&bits), 4};
                   } else if (type != WireType::bytes || !reader.read_bytes(packed) ||
                              packed.size() % 4 != 0) {
                     return false;
                   }
                   const size_t found = packed.size() / 4;
                   const size_t stored = std::min(found, room - std::min(room, count));
                   if (stored > 0) std::memcpy(out + count, packed.data(), 4 * stored);
                   count += found;
                   return true;
                 });
  return count;
}

size_t read_strings(std::string_view list, std::string_view record, std::string_view* out,
                    size_t room) {
  size_t count = 0;
  for_each_field(list, record, "a damaged BytesList",
                 [&](uint32_t field, WireType type, WireReader& reader) {
                   if (field != 1) return reader.skip(type);
                   std::string_view value;
                   if (type != WireType::bytes || !reader.read_bytes(value)) return false;
                   if (count < room) out[count] = value;
                   ++count;
                   return true;
                 });
  return count;
}

// Where the values of one feature go: room for `room` values of one record.
size_t read_values(const RawFeature& feature, std::string_view record, void* out, size_t room) {
  switch (feature.kind) {
    case Kind::bytes:
      return read_strings(feature.list, record, static_cast<std::string_view*>(out), room);
    case Kind::floats:
      return read_floats(feature.list, record, static_cast<float*>(out), room);
    case Kind::int64s:
      return read_int64s(feature.list, record, static_cast<int64_t*>(out), room);
    case Kind::none:
      return 0;
  }
  return 0;
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
    read_strings(feature.list, record, values.data(), count);
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

// The results under way: one array a feature, one row a record.
struct ExampleParser::Columns {
  struct Column {
    std::vector<std::byte> own;  // of strings and vectors, until the Literal is made
    Literal numbers;
    std::byte* data = nullptr;
    size_t values = 1;  // in each record
    size_t row_bytes = 0;
    bool known = true;  // `values` is known; for a VarLenFeature only after the first record
  };
  int64_t rows = 1;
  std::vector<Column> columns;

  Columns(const std::vector<FeatureSpec>& features, int64_t row_count)
      : rows(row_count), columns(features.size()) {
    for (size_t i = 0; i < features.size(); ++i) {
      columns[i].known = fixed(features[i]) != nullptr;
      if (columns[i].known) prepare(features[i], i, fixed(features[i])->shape);
    }
  }

  void prepare(const FeatureSpec& spec, size_t i, const Shape& shape) {
    Column& column = columns[i];
    const DType dtype = dtype_of_feature(spec);
    column.values = static_cast<size_t>(shape.elements());
    column.row_bytes = column.values * value_bytes(dtype);
    column.known = true;
    if (dtype == DType::string) {
      column.own.resize(column.row_bytes * static_cast<size_t>(rows));
      column.data = column.own.data();
    } else {
      column.numbers = Literal(dtype, shape.with_inserted(0, rows));
      column.data = column.numbers.mutable_raw();
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
                                                  : str("did you mean '", closest.front(), "'?"),
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
                                  : "parse records one by one and pad them before batching",
       .location = location});
}

}  // namespace

void ExampleParser::parse_record(std::string_view record, int64_t row, Columns& columns) const {
  const std::vector<FeatureSpec>& features = *features_;
  constexpr size_t most_on_stack = 16;
  RawFeature on_stack[most_on_stack];
  std::vector<RawFeature> on_heap(features.size() > most_on_stack ? features.size() : 0);
  RawFeature* found = on_heap.empty() ? on_stack : on_heap.data();
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
  for (size_t i = 0; i < features.size(); ++i) {
    const FeatureSpec& spec = features[i];
    const FixedLenFeature* fixed_feature = fixed(spec);
    Columns::Column& column = columns.columns[i];
    if (found[i].kind == Kind::none) {
      if (fixed_feature == nullptr) {
        found[i].kind = kind_of(dtype_of_feature(spec));
        found[i].list = {};
      } else if (!fixed_feature->default_value) {
        raise_missing(spec, record, location_);
      } else {
        copy_default(*fixed_feature, column.data + static_cast<size_t>(row) * column.row_bytes,
                     column.values);
        continue;
      }
    }
    check_kind(spec, found[i], location_);
    if (!column.known) {
      const auto count = static_cast<int64_t>(read_values(found[i], record, nullptr, 0));
      columns.prepare(spec, i, Shape{count});
    }
    const size_t count = read_values(
        found[i], record, column.data + static_cast<size_t>(row) * column.row_bytes, column.values);
    if (count != column.values) raise_count(spec, count, column.values, location_);
  }
}

Example ExampleParser::parse(std::string_view record) const {
  return parse(Literal::scalar(record));
}

Example ExampleParser::parse(const Literal& record) const {
  std::vector<Example::Component> components = parse_batch(record.reshape({1})).release();
  for (auto& component : components) component.value = component.value.row(0);
  return Example(std::move(components));
}

Example ExampleParser::parse_batch(const Literal& records) const {
  if (records.dtype() != DType::string || records.rank() != 1) {
    raise<InvalidArgument>(
        {.what = str("records of type ", records.dtype(), " and shape ", records.shape()),
         .wanted = "a vector of strings",
         .location = location_});
  }
  const std::vector<FeatureSpec>& features = *features_;
  const int64_t rows = records.size();
  Columns columns(features, rows);
  for (int64_t row = 0; row < rows; ++row) {
    if (rows == 1) {
      parse_record(records.string_at(row), row, columns);
      continue;
    }
    try {
      parse_record(records.string_at(row), row, columns);
    } catch (const Error& error) {
      error.rethrow_within(str("record ", row, " of the batch"));
    }
  }
  std::shared_ptr<const void> owner;
  std::vector<Example::Component> components;
  for (size_t i = 0; i < features.size(); ++i) {
    Columns::Column& column = columns.columns[i];
    const DType dtype = dtype_of_feature(features[i]);
    if (!column.known) columns.prepare(features[i], i, Shape{0});
    if (dtype != DType::string) {
      components.push_back({features[i].name, std::move(column.numbers)});
      continue;
    }
    // Strings point into the records or into the defaults: keep both.
    if (owner == nullptr)
      owner = std::make_shared<std::pair<Literal, decltype(features_)>>(records, features_);
    const auto* views = reinterpret_cast<const std::string_view*>(column.own.data());
    const Shape shape = fixed(features[i]) != nullptr ? fixed(features[i])->shape
                                                      : Shape{static_cast<int64_t>(column.values)};
    components.push_back(
        {features[i].name, Literal::string_views({views, column.values * static_cast<size_t>(rows)},
                                                 shape.with_inserted(0, rows), owner)});
  }
  return Example(std::move(components));
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

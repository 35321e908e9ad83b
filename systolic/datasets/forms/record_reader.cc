// The layout of features in tf.Examples is that of tensorflow_datasets/core/example_serializer.py:
// "objects/bbox" is a feature's key, sequences of sequences are "<key>/ragged_flat_values" and the
// rows' lengths, tensors of several unknown axes "<key>/value" and "<key>/shape".
#include "systolic/datasets/forms/record_reader.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/core/put_together.h"
#include "systolic/data/parse_example.h"
#include "systolic/io/files/unpacked_size.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

using Encoding = FeatureInfo::Encoding;

int64_t unknown_axes(const Shape& shape) {
  const std::vector<int64_t> sizes = shape.to_vector();
  return std::count(sizes.begin(), sizes.end(), -1);
}

// The array's place in its sequences.
Shape shape_inside(const FeatureInfo& feature) {
  const std::vector<int64_t> sizes = feature.shape.to_vector();
  return Shape(std::vector<int64_t>(sizes.begin() + feature.sequence_rank, sizes.end()));
}

bool has_own_shape(const FeatureInfo& feature) {
  return feature.encoding != Encoding::none && unknown_axes(shape_inside(feature)) > 1;
}

DType stored_dtype(const FeatureInfo& feature) {
  if (feature.kind == FeatureInfo::Kind::class_label) return DType::i64;
  const bool bytes = feature.kind != FeatureInfo::Kind::tensor ||
                     feature.encoding != Encoding::none || feature.dtype == DType::string;
  return bytes ? DType::string : is_float(feature.dtype) ? DType::f32 : DType::i64;
}

// For each value that is stored: pictures and packed tensors are one string.
Shape stored_shape(const FeatureInfo& feature) {
  const bool whole = feature.kind == FeatureInfo::Kind::image || feature.encoding != Encoding::none;
  return whole ? Shape{} : shape_inside(feature);
}

[[noreturn]] void raise_unreadable(const FeatureInfo& feature) {
  raise<Unimplemented>({.what = str("feature '", feature.name, "' of shape ", feature.shape),
                        .wanted = "tensors whose first axis alone is unknown, or packed ones",
                        .hint = "read the files by data::tfrecords and data::parse_example"});
}

void add_stored_form(const FeatureInfo& feature, std::vector<FeatureSpec>& stored) {
  const DType dtype = stored_dtype(feature);
  const Shape shape = stored_shape(feature);
  if (feature.sequence_rank > 1) {
    if (unknown_axes(shape) > 0 || has_own_shape(feature)) raise_unreadable(feature);
    stored.push_back({feature.name + "/ragged_flat_values", VarLenFeature{.dtype = dtype}});
    for (int i = 0; i < feature.sequence_rank - 1; ++i)
      stored.push_back(
          {str(feature.name, "/ragged_row_lengths_", i), VarLenFeature{.dtype = DType::i64}});
  } else if (has_own_shape(feature)) {
    if (feature.sequence_rank > 0) raise_unreadable(feature);
    stored.push_back({feature.name + "/value", FixedLenFeature{.dtype = dtype}});
    stored.push_back({feature.name + "/shape",
                      FixedLenFeature{.shape = {feature.shape.rank()}, .dtype = DType::i64}});
  } else if (feature.sequence_rank == 1
                 ? unknown_axes(shape) > 0
                 : unknown_axes(shape) > (shape.rank() > 0 && shape[0] == -1)) {
    raise_unreadable(feature);
  } else if (feature.sequence_rank == 1 || unknown_axes(shape) > 0) {
    stored.push_back({feature.name, VarLenFeature{.dtype = dtype}});
  } else {
    stored.push_back({feature.name, FixedLenFeature{.shape = shape, .dtype = dtype}});
  }
}

[[noreturn]] void raise_damaged(const FeatureInfo& feature, const std::string& what,
                                const std::string& wanted) {
  raise<DataLoss>({.what = str("feature '", feature.name, "' ", what), .wanted = wanted});
}

// `sizes` with -1 for its first axis at most filled in, so that it holds `count` values.
Shape filled_shape(const FeatureInfo& feature, std::vector<int64_t> sizes, int64_t count) {
  int64_t inside = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) continue;
    if (__builtin_mul_overflow(inside, sizes[i], &inside)) inside = INT64_MAX;
  }
  const auto unknown = std::find(sizes.begin(), sizes.end(), -1);
  const bool known = unknown == sizes.end();
  if (known ? inside != count : count != 0 && (inside == 0 || count % inside != 0))
    raise_damaged(feature, str("holds ", count, " values"), str("shape ", Shape(sizes)));
  if (!known) *unknown = count == 0 ? 0 : count / inside;
  return Shape(sizes);
}

std::string unpacked(const FeatureInfo& feature, std::string_view stored) {
  if (feature.encoding == Encoding::bytes) return std::string(stored);
  std::string bytes;
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) raise<ResourceExhausted>({.what = "no memory to inflate"});
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data()));
  stream.avail_in = static_cast<uInt>(std::min<size_t>(stored.size(), UINT32_MAX));
  int status = Z_OK;
  bool too_much = false;
  while (status == Z_OK && !too_much) {
    constexpr size_t piece = 1 << 16;
    const size_t before = bytes.size();
    bytes.resize(before + piece);
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + before);
    stream.avail_out = piece;
    status = ::inflate(&stream, Z_NO_FLUSH);
    bytes.resize(before + piece - stream.avail_out);
    too_much = io::unpacks_to_too_much(bytes.size(), stored.size());
  }
  ::inflateEnd(&stream);
  if (too_much) {
    raise<ResourceExhausted>({.what = str("feature '", feature.name, "' unpacks to more than ",
                                          bytes.size(), " bytes")});
  }
  if (status != Z_STREAM_END) raise_damaged(feature, "is cut short or damaged", "zlib's format");
  return bytes;
}

// A packed tensor of `sizes`.
Literal unpacked_tensor(const FeatureInfo& feature, std::string_view stored,
                        std::vector<int64_t> sizes) {
  const std::string bytes = unpacked(feature, stored);
  const auto width = static_cast<size_t>(byte_width(feature.dtype));
  if (width == 0 || bytes.size() % width != 0)
    raise_damaged(feature, str("has ", bytes.size(), " bytes"), str("a multiple of ", width));
  const auto count = static_cast<int64_t>(bytes.size() / width);
  Literal tensor(feature.dtype, filled_shape(feature, std::move(sizes), count));
  if (bytes.empty()) return tensor;
  std::memcpy(tensor.mutable_raw(), bytes.data(), bytes.size());
  if (feature.dtype != DType::pred) return tensor;
  for (size_t i = 0; i < bytes.size(); ++i) tensor.mutable_raw()[i] = std::byte{bytes[i] != 0};
  return tensor;
}

// The arrays of a sequence, stacked.
Literal values_of(const FeatureInfo& feature, const Literal& stored) {
  std::vector<int64_t> sizes = stored_shape(feature).to_vector();
  if (feature.sequence_rank > 0)
    sizes.insert(sizes.begin(), feature.sequence_rank == 1 ? feature.shape[0] : -1);
  const Shape shape = filled_shape(feature, sizes, stored.size());
  if (feature.encoding == Encoding::none) return stored.reshape(shape);
  const std::vector<int64_t> inside = shape_inside(feature).to_vector();
  if (feature.sequence_rank == 0) return unpacked_tensor(feature, stored.bytes(), inside);
  std::vector<Literal> tensors;
  for (int64_t i = 0; i < stored.size(); ++i)
    tensors.push_back(unpacked_tensor(feature, stored.string_at(i), inside));
  if (!tensors.empty())
    return stacked(tensors, {.what = str("feature '", feature.name, "'"), .unit = "tensor"});
  std::vector<int64_t> none = inside;
  std::replace(none.begin(), none.end(), int64_t{-1}, int64_t{0});
  none.insert(none.begin(), 0);
  return Literal(feature.dtype, Shape(none));
}

// [0, 2, 2, 3] of rows of 2, 0 and 1 of `count` values.
Literal row_splits(const FeatureInfo& feature, const Literal& lengths, int64_t count) {
  std::vector<int64_t> splits{0};
  for (const int64_t length : lengths.data<int64_t>()) {
    if (length < 0 || length > count - splits.back())
      raise_damaged(feature, str("has a row of ", length), str(count, " values in its rows"));
    splits.push_back(splits.back() + length);
  }
  if (splits.back() != count)
    raise_damaged(feature, str("has rows of ", splits.back(), " values"), str(count));
  return Literal::from(splits, {static_cast<int64_t>(splits.size())});
}

void put_together(const FeatureInfo& feature, const Example& stored, Example& element) {
  if (has_own_shape(feature)) {
    std::vector<int64_t> sizes;
    for (const int64_t size : stored[feature.name + "/shape"].data<int64_t>()) {
      if (size < 0) raise_damaged(feature, str("has an axis of ", size), "sizes of axes");
      sizes.push_back(size);
    }
    element.set(feature.name,
                unpacked_tensor(feature, stored[feature.name + "/value"].bytes(), sizes));
    return;
  }
  if (feature.sequence_rank < 2) {
    element.set(feature.name, values_of(feature, stored[feature.name]));
    return;
  }
  const Literal values = values_of(feature, stored[feature.name + "/ragged_flat_values"]);
  element.set(feature.name, values);
  const std::vector<std::string> names = feature.row_split_names();
  for (size_t i = 0; i < names.size(); ++i) {
    const auto lengths = [&](size_t k) -> const Literal& {
      return stored[str(feature.name, "/ragged_row_lengths_", k)];
    };
    const int64_t count = i + 1 < names.size() ? lengths(i + 1).size() : values.shape()[0];
    element.set(names[i], row_splits(feature, lengths(i), count));
  }
}

// Whether the element has the array as it is stored.
bool is_stored_so(const FeatureInfo& feature) {
  return feature.encoding == Encoding::none &&
         (feature.sequence_rank == 0
              ? unknown_axes(stored_shape(feature)) == 0 || stored_shape(feature).rank() == 1
              : feature.sequence_rank == 1 && feature.shape[0] == -1 &&
                    stored_shape(feature).rank() == 0);
}

}  // namespace

data::ElementFunction record_reader(const std::vector<FeatureInfo>& features,
                                    SourceLocation location) {
  std::vector<FeatureSpec> stored;
  for (const FeatureInfo& feature : features) add_stored_form(feature, stored);
  const auto parse = data::parse_example(std::move(stored), location);
  if (std::all_of(features.begin(), features.end(), is_stored_so)) return parse;
  return [parse, features](const Example& record) {
    const Example arrays = parse(record);
    Example element;
    for (const FeatureInfo& feature : features) put_together(feature, arrays, element);
    return element;
  };
}

}  // namespace datasets
}  // namespace systolic::inline v0

// tf.train.Example, the usual content of TFRecord files: features of bytes, floats or int64s under
// names (tensorflow/core/example/example.proto). Its own small encoder and decoder; no protobuf.
//
//   const io::ExampleParser parser({{"image", FixedLenFeature{.dtype = DType::string}},
//                                   {"label", FixedLenFeature{.dtype = DType::i64}}});
//   Example e = parser.parse(record);                   // image: string(), label: i64()
//   Example batch = parser.parse_batch(records);        // records: string(200,) gives
//   string(200,), i64(200,)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "systolic/core/example.h"

namespace systolic::inline v0 {

// A feature that has as many values as `shape` has elements. dtype: string, i64 or f32.
struct FixedLenFeature {
  Shape shape = {};
  DType dtype;
  std::optional<Literal> default_value =
      {};  // for records without the feature: of `shape`, or a scalar
};

// A feature with any number of values: a vector. In a batch every record must have equally many.
struct VarLenFeature {
  DType dtype;
};

// A feature with any number of values, another one in each record: of a batch a RaggedTensor
// (core/ragged_tensor.h), the values of all records under its name and where each record's begin
// under "NAME_row_splits". A single record gives a vector. A missing feature has no values.
struct RaggedFeature {
  DType dtype;
};

// A feature that a parser reads: its name in the records, and what it holds there.
struct FeatureSpec {
  std::string name;
  std::variant<FixedLenFeature, VarLenFeature, RaggedFeature> feature;
};

namespace io {

struct RawFeature;

class ExampleParser {
 public:
  // InvalidArgument for an element type that tf.Example lacks, or a default of another type or
  // shape.
  explicit ExampleParser(std::vector<FeatureSpec> features,
                         SourceLocation location = SourceLocation::current());

  // A missing feature without a default, a feature of another kind or number of values, and bytes
  // that are not a tf.Example are errors that name the feature (InvalidArgument) or the byte offset
  // (DataLoss).
  Example parse(std::string_view record) const;
  // The same for a string scalar, whose bytes are not copied.
  Example parse(const Literal& record) const;
  // Every record of a vector of strings; the results have a leading batch axis. Strings are not
  // copied: they point into the records, whose memory the result keeps.
  Example parse_batch(const Literal& records) const;

  const std::vector<FeatureSpec>& features() const { return *features_; }

 private:
  struct Columns;
  void parse_record(std::string_view record, int64_t row, Columns& columns) const;
  void store_feature(const FeatureSpec& spec, size_t i, const RawFeature& raw,
                     std::string_view record, int64_t row, Columns& columns) const;
  Example take(Columns& columns) const;
  void put_ragged(size_t i, Columns& columns, Example::Components& components) const;
  std::shared_ptr<const std::vector<FeatureSpec>>
      features_;  // shared with results that hold default strings
  SourceLocation location_;
};

// Every feature of a record, as vectors, in the record's order.
Example decode_example(std::string_view record);

// Appends the tf.Example of these arrays: integers and pred as int64, floats as float32, strings as
// bytes; shapes are not kept. InvalidArgument for u64 above 2^63 - 1 and for complex numbers.
void encode_example(const Example& example, std::string& bytes);
std::string encode_example(const Example& example);

}  // namespace io
}  // namespace systolic::inline v0

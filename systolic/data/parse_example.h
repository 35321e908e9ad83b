// tf.io.parse_example for pipelines: a function for map, before or after batch.
//
//   const auto parse = data::parse_example({{"image", FixedLenFeature{.dtype = DType::string}},
//                                           {"label", FixedLenFeature{.dtype = DType::i64}}});
//   dataset.batch(200).map(parse)        // a whole batch at a time: the fast order
//   dataset.map(parse)                   // record by record
//   dataset.map([parse](const Example& e) -> Example { Example p = parse(e); … })
#pragma once

#include <vector>

#include "systolic/io/records/tf_example.h"

namespace systolic::inline v0 {
namespace data {

class ParseExample {
 public:
  explicit ParseExample(io::ExampleParser parser) : parser_(std::move(parser)) {}
  // The element's only array: a string scalar (one record) or a vector of strings (a batch).
  Example operator()(const Example& element) const { return (*this)(element.only()); }
  Example operator()(const Literal& records) const {
    return records.rank() == 0 ? parser_.parse(records) : parser_.parse_batch(records);
  }

 private:
  io::ExampleParser parser_;
};

inline ParseExample parse_example(std::vector<FeatureSpec> features,
                                  SourceLocation location = SourceLocation::current()) {
  return ParseExample(io::ExampleParser(std::move(features), location));
}

}  // namespace data
}  // namespace systolic::inline v0

// A column of a table: an array for each row.
//
//   train["sentence"].strings()[0]             // "our friends wo n't buy this analysis ..."
//   train["label"][0].item<int64_t>()          // 1
//   train["label"].array()                     // i64 [rows]
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "systolic/base/name_at.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace datasets {

class Column {
 public:
  // Rows of equal shape: [rows, ...].
  explicit Column(Literal array) : array_(std::move(array)), rows_(array_.shape()[0]) {}
  // Rows of any shape; with the same shape, they become one array.
  explicit Column(std::vector<Literal> rows);
  // Rows that are made from what is stored when they are asked for: pictures from their bytes.
  Column(Literal stored, std::function<Literal(const Literal&)> made)
      : array_(std::move(stored)), rows_(array_.shape()[0]), made_(std::move(made)) {}

  int64_t size() const { return rows_; }
  // A row; OutOfRange past the last.
  Literal operator[](PositionAt i) const;
  // All rows, [rows, ...]. InvalidArgument for rows of different shapes, and for pictures.
  const Literal& array(SourceLocation location = SourceLocation::current()) const;
  operator const Literal&() const { return array(); }  // NOLINT: a column stands for its array
  // For a column of strings.
  std::vector<std::string> strings(SourceLocation location = SourceLocation::current()) const;
  // The rows of these numbers, in their order.
  Column rows(const std::vector<int64_t>& indices) const;
  // The names of its classes, where it holds their numbers (`datasets`' ClassLabel); else none.
  const std::vector<std::string>& class_names() const;
  Column with_class_names(std::vector<std::string> names) const;
  // Its rows, then those of the other column.
  Column followed_by(const Column& other) const;
  // For caches: changes with every byte of it.
  uint32_t checksum(uint32_t previous) const;

 private:
  Literal array_;
  std::shared_ptr<const std::vector<Literal>> ragged_;
  int64_t rows_ = 0;
  std::function<Literal(const Literal&)> made_;
  std::shared_ptr<const std::vector<std::string>> class_names_;  // null: none
};

}  // namespace datasets
}  // namespace systolic::inline v0

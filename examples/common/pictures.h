// Pictures of flowers in folders, one folder a class, and as TFRecord shards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/core/example.h"
#include "systolic/core/literal.h"
#include "systolic/data/dataset.h"

namespace examples {

// Writes CLASS/NUMBER.jpg under `folder` for five kinds of flowers, drawn by this program, unless
// they are there.
void draw_flowers(const std::string& folder, int64_t pictures_per_class);

// One of them: u8 [height, width, 3]. kind: 0 to 4; every number gives another picture.
systolic::Literal draw_flower(int kind, uint64_t number);

struct FlowerRecords {
  std::vector<std::string> classes;
  std::string train, test;  // glob patterns of shards
  int64_t train_samples = 0, test_samples = 0;
};

// Every fifth picture of each class folder (datasets::list_class_folders) is for testing. Records
// are {"file": its path, "image": its bytes, "label": the class's number}; the pictures are not
// decoded here. A file that is not a picture is an error, or skipped and reported.
FlowerRecords write_records(const std::string& folder, const std::string& cache,
                            bool skip_damaged = false);
// The records of one of the patterns: "file" and "image", strings, and "label", i64.
systolic::data::Dataset read_records(const std::string& pattern);
// What `body` returns; its errors name the file: of thousands one may be damaged.
template <class Body>
auto within_file(std::string_view path, const Body& body) {
  try {
    return body();
  } catch (const systolic::Error& error) {
    error.rethrow_within(systolic::str("'", path, "'"));
  }
}
// A map's function of such a record, whose errors name the file.
template <class Function>
auto naming_the_file(Function function) {
  using systolic::Example;
  return [function = std::move(function)](const Example& record) -> Example {
    return within_file(record["file"].bytes(), [&] { return function(record); });
  };
}

// For the pictures in `folder` or, where that is "", some drawn into `cache`; prints which.
FlowerRecords flower_records(const std::string& folder, const std::string& cache,
                             int64_t pictures_per_class, bool skip_damaged = false);

}  // namespace examples

// The folder of a data set, found or downloaded.
#pragma once

#include <string>
#include <string_view>

#include "systolic/datasets/source.h"

namespace systolic::inline v0 {
namespace datasets {

struct FindOptions {
  std::string data_dir = {};
  int num_parallel_reads = 1;
  bool try_gcs = false;
  bool download = true;
};

// Whether it is a folder by itself, wherever data sets lie: "/data/x", "./x", "gs://bucket/x".
bool is_place(std::string_view name);
// $TFDS_DATA_DIR, else ~/tensorflow_datasets.
std::string default_data_dir();

// As load() describes it. NotFound where there is none, saying where it was looked for, and what
// lies there.
Source find_source(std::string_view name, const FindOptions& options, SourceLocation location);

}  // namespace datasets
}  // namespace systolic::inline v0

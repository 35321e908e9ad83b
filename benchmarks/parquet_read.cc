// How fast the columns of a Parquet file are read, from the page cache.
//
//   parquet_read FILE [--seconds 3] [--form batches]
//
// "batches": each batch's columns as arrays, as a stream reads them; "table": the whole table. The
// last line is JSON.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include "systolic/base/error.h"
#include "systolic/base/stopwatch.h"
#include "systolic/datasets/arrow/flat_columns.h"
#include "systolic/datasets/load_dataset.h"

namespace systolic {
namespace {

struct Arguments {
  std::string file;
  double seconds = 3;
  bool table = false;
};

Arguments arguments(int argc, char** argv) {
  Arguments result{.file = argc > 1 ? argv[1] : ""};
  for (int i = 2; i < argc; i += 2) {
    const std::string name = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (name == "--form" && (value == "batches" || value == "table")) {
      result.table = value == "table";
    } else if (!(name == "--seconds" && parse_number(value, result.seconds))) {
      raise<InvalidArgument>(
          {.what = str("argument ", name, " ", value), .wanted = "--seconds or --form"});
    }
  }
  if (result.file.empty()) raise<InvalidArgument>({.what = "no file is named"});
  return result;
}

// Bytes of the arrays.
uint64_t read_batches(const std::string& path) {
  io::ArrowFile file(path);
  uint64_t bytes = 0;
  while (const auto batch = file.next()) {
    for (const datasets::FlatColumn& column : datasets::flat_columns(file.fields(), *batch))
      bytes += column.values.byte_size();
  }
  return bytes;
}

uint64_t read_table(const std::string& path) {
  const datasets::Table table = datasets::load_dataset("parquet", {.data_files = path})["train"];
  uint64_t bytes = 0;
  for (const std::string& name : table.column_names()) bytes += table[name].array().byte_size();
  return bytes;
}

void run(const Arguments& options) {
  const auto read = options.table ? read_table : read_batches;
  const uint64_t bytes = read(options.file);  // into the page cache
  double best = 1e30, end = 0;
  const Stopwatch watch;
  while (end < options.seconds) {
    const double before = end;
    read(options.file);
    end = watch.seconds();
    best = std::min(best, end - before);
  }
  std::printf(
      "{\"work\": \"parquet_read\", \"who\": \"systolic\", \"gigabytes_per_second\": %.3f, "
      "\"best_pass_seconds\": %.4f}\n",
      static_cast<double>(bytes) / 1e9 / best, best);
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  try {
    systolic::run(systolic::arguments(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

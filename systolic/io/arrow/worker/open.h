// A file of one of the formats, opened: its schema, and its rows batch by batch.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <parquet/arrow/reader.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/io/arrow/wire.h"

namespace worker {

struct OpenTable {
  std::shared_ptr<arrow::Schema> schema;  // of the columns that are wanted
  std::optional<int64_t> rows;
  std::shared_ptr<arrow::RecordBatchReader> batches;
  std::unique_ptr<parquet::arrow::FileReader> parquet;  // what `batches` reads from
};

// The names of the columns that are wanted, in the file's order; nothing: all. A name that the file
// lacks is a Fault that lists those that it has.
OpenTable open_parquet(std::shared_ptr<arrow::io::RandomAccessFile> file,
                       const std::optional<std::vector<std::string>>& columns);
// A file or a stream of Arrow's IPC format.
OpenTable open_arrow(std::shared_ptr<arrow::io::RandomAccessFile> file,
                     const std::optional<std::vector<std::string>>& columns);

}  // namespace worker

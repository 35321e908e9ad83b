// Parquet files, and Arrow's IPC files and streams: rows batch by batch, as `datasets` and pandas
// write them.
//
//   io::ArrowFile file("train.parquet", {.columns = {{"text", "label"}}});
//   while (const auto batch = file.next()) use(file.fields(), *batch);
//
// Arrow C++ reads them in a process of its own (systolic/io/worker/worker_process.h). Nothing that
// it answers is believed before it was checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/dtype.h"
#include "systolic/io/arrow/wire.h"

namespace systolic::inline v0 {
namespace io {

using ArrowKind = arrow_wire::FieldKind;

struct ArrowField {
  std::string name = {};
  std::string type = {};  // Arrow's name of it: "timestamp[us]"; empty where it has inner fields
  ArrowKind kind = ArrowKind::null;
  DType dtype = DType::f32;  // of numbers; times are i64 or i32, counts of their unit
  int64_t width = 0;         // of a list of fixed size
  std::vector<ArrowField> inner = {};
};

// The values of a field in a batch; they lie in the batch's memory.
struct ArrowArray {
  int64_t length = 0;
  std::span<const uint8_t> valid = {};     // [length], 0 where the value is null; empty: none is
  std::span<const int64_t> offsets = {};   // [length + 1], of strings and lists; from 0 on, rising
  std::span<const std::byte> values = {};  // numbers; the bytes of strings; i64 into a dictionary
  std::vector<ArrowArray> inner = {};

  bool is_valid(int64_t i) const { return valid.empty() || valid[static_cast<size_t>(i)] != 0; }
};

struct ArrowBatch {
  int64_t rows = 0;
  std::vector<ArrowArray> columns;  // of each field
  std::shared_ptr<const void> memory;
  uint64_t bytes = 0;
};

struct ArrowReadOptions {
  // Only these columns, in the file's order; the others are not read.
  std::optional<std::vector<std::string>> columns = {};
  int64_t batch_rows = 65'536;  // at most
  // Batches of a file that is larger than this lie in blocks of so many bytes, which the system
  // gives in fewer and larger pages: for those that are all kept. 0: each has memory of its own.
  uint64_t block_bytes = 0;
};

class ArrowFile {
 public:
  // The first bytes say the format; where they say none, ".arrow", ".feather" and ".ipc" do.
  // DataLoss for a damaged file, naming it; Unimplemented for a column of a type that is not read
  // (decimals, unions), and in a build without Arrow.
  explicit ArrowFile(const std::string& path, const ArrowReadOptions& options = {},
                     SourceLocation location = SourceLocation::current());
  ~ArrowFile();
  ArrowFile(ArrowFile&&) noexcept;

  const std::vector<ArrowField>& fields() const;
  std::optional<int64_t> num_rows() const;  // where the file says it
  // What `datasets` writes of its features, as JSON; empty in files of others.
  const std::string& huggingface_metadata() const;
  uint64_t file_bytes() const;
  // Nothing at the end. DataLoss where more rows come than a file of its size may hold (100,000 for
  // each byte, 16 million at least).
  std::optional<ArrowBatch> next();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Whether the ending is one of these formats'.
bool is_arrow_file(std::string_view path);

}  // namespace io
}  // namespace systolic::inline v0

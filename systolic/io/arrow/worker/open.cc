#include "systolic/io/arrow/worker/open.h"

#include <arrow/ipc/reader.h>
#include <arrow/memory_pool.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/properties.h>

#include <algorithm>

#include "systolic/io/arrow/worker/check.h"

namespace worker {
namespace {

// A batch that stays in the processor's cache is copied to the library at little cost.
int64_t rows_of_a_batch(const parquet::FileMetaData& file) {
  constexpr int64_t batch_bytes = 1 << 20, least = 64, most = 65'536;
  int64_t bytes = 0, rows = 0;
  for (int i = 0; i < file.num_row_groups(); ++i) {
    const auto group = file.RowGroup(i);
    bytes += std::max<int64_t>(group->total_byte_size(), 0) / (file.num_row_groups());
    rows += std::max<int64_t>(group->num_rows(), 0) / (file.num_row_groups());
  }
  return std::clamp(batch_bytes / std::max<int64_t>(bytes / std::max<int64_t>(rows, 1), 1), least,
                    most);
}

// The places of the columns in the schema, in its order.
std::vector<int> places_of(const arrow::Schema& schema,
                           const std::optional<std::vector<std::string>>& columns) {
  std::vector<int> places;
  for (int i = 0; i < schema.num_fields(); ++i) {
    if (!columns ||
        std::find(columns->begin(), columns->end(), schema.field(i)->name()) != columns->end())
      places.push_back(i);
  }
  for (const std::string& name : columns.value_or(std::vector<std::string>{})) {
    if (schema.GetFieldIndex(name) >= 0) continue;
    std::string known;
    for (const std::string& each : schema.field_names())
      known += (known.empty() ? "" : ", ") + each;
    throw Fault("there is no column '" + name + "', expected some of: " + known);
  }
  return places;
}

std::shared_ptr<arrow::Schema> schema_of(const arrow::Schema& schema,
                                         const std::vector<int>& places) {
  arrow::FieldVector fields;
  for (const int place : places) fields.push_back(schema.field(place));
  return arrow::schema(std::move(fields), schema.metadata());
}

void add_leaves(const parquet::arrow::SchemaField& field, std::vector<int>& leaves) {
  if (field.column_index >= 0) leaves.push_back(field.column_index);
  for (const parquet::arrow::SchemaField& child : field.children) add_leaves(child, leaves);
}

arrow::ipc::IpcReadOptions ipc_options() {
  arrow::ipc::IpcReadOptions options = arrow::ipc::IpcReadOptions::Defaults();
  options.use_threads = false;
  options.memory_pool = arrow::system_memory_pool();
  return options;
}

// A file is a stream between "ARROW1", two bytes, and a list of places. Arrow's reader of that list
// starts threads, which the worker may not.
std::shared_ptr<arrow::RecordBatchReader> open_ipc(
    const std::shared_ptr<arrow::io::RandomAccessFile>& file,
    const arrow::ipc::IpcReadOptions& options) {
  constexpr std::string_view magic = "ARROW1";
  constexpr int64_t stream_begins = 8;
  const auto first = checked(file->ReadAt(0, magic.size()));
  const std::string_view text(reinterpret_cast<const char*>(first->data()),
                              static_cast<size_t>(first->size()));
  check(file->Seek(text == magic ? stream_begins : 0));
  return checked(arrow::ipc::RecordBatchStreamReader::Open(file, options));
}

}  // namespace

OpenTable open_parquet(std::shared_ptr<arrow::io::RandomAccessFile> file,
                       const std::optional<std::vector<std::string>>& columns) {
  parquet::ReaderProperties properties(arrow::system_memory_pool());
  properties.enable_buffered_stream();  // of a column's part of a row group, never all of it
  parquet::ArrowReaderProperties forms(/*use_threads=*/false);
  forms.set_pre_buffer(false);
  OpenTable table;
  parquet::arrow::FileReaderBuilder builder;
  check(builder.Open(std::move(file), properties));
  forms.set_batch_size(rows_of_a_batch(*builder.raw_reader()->metadata()));
  builder.memory_pool(arrow::system_memory_pool());
  builder.properties(forms);
  table.parquet = checked(builder.Build());
  std::shared_ptr<arrow::Schema> schema;
  check(table.parquet->GetSchema(&schema));
  const std::vector<int> places = places_of(*schema, columns);
  std::vector<int> leaves, groups;
  for (const int place : places)
    add_leaves(table.parquet->manifest().schema_fields[static_cast<size_t>(place)], leaves);
  for (int i = 0; i < table.parquet->num_row_groups(); ++i) groups.push_back(i);
  table.batches = checked(table.parquet->GetRecordBatchReader(groups, leaves));
  table.schema = schema_of(*schema, places);
  table.rows = table.parquet->parquet_reader()->metadata()->num_rows();
  return table;
}

OpenTable open_arrow(std::shared_ptr<arrow::io::RandomAccessFile> file,
                     const std::optional<std::vector<std::string>>& columns) {
  arrow::ipc::IpcReadOptions options = ipc_options();
  OpenTable table;
  table.batches = open_ipc(file, options);
  const auto schema = table.batches->schema();
  const std::vector<int> places = places_of(*schema, columns);
  if (columns) {
    options.included_fields = places;
    table.batches = open_ipc(file, options);
  }
  table.schema = schema_of(*schema, places);
  return table;
}

}  // namespace worker

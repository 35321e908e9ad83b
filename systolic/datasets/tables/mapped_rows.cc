// The file is a TFRecord file: a line that says which table the rows come from, then one element a
// row.
#include "systolic/datasets/tables/mapped_rows.h"

#include <optional>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/data/state/state_archive.h"
#include "systolic/io/files/file.h"
#include "systolic/io/records/tfrecord_reader.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

// What the results depend on; nothing where that cannot be known.
std::optional<std::string> mark_of(const Table& table, const FunctionIdentity& identity,
                                   const TableMapOptions& options) {
  const auto function = options.new_fingerprint.empty()
                            ? fingerprint_of(identity)
                            : std::optional(str("'", options.new_fingerprint, "'"));
  if (!function) return {};
  return str("systolic table map 2: ", table.num_rows(), " rows, checksum ", table.checksum(),
             ", function ", *function);
}

// The rows in the file; none if they belong to another table.
std::optional<std::vector<Example>> kept_rows(const std::string& path, const std::string& mark,
                                              int64_t count) {
  io::TFRecordReader reader(path);
  std::string_view record;
  if (!reader.next(record) || record != mark) return {};
  std::vector<Example> rows;
  while (reader.next(record)) rows.push_back(data::decode_element(record));
  if (static_cast<int64_t>(rows.size()) != count) return {};
  return rows;
}

void check_names(const std::vector<Example>& rows, SourceLocation location) {
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].names() == rows[0].names()) continue;
    raise<InvalidArgument>(
        {.what = str("the function makes {", join(rows[i].names()), "} of row ", i),
         .wanted = str("{", join(rows[0].names()), "}, as of row 0"),
         .location = location});
  }
}

}  // namespace

std::vector<Example> mapped_rows(const Table& table, data::ElementFunction function,
                                 const FunctionIdentity& identity, const TableMapOptions& options,
                                 SourceLocation location) {
  const std::string& path = options.cache_file_name;
  const auto mark =
      path.empty() ? std::optional<std::string>("") : mark_of(table, identity, options);
  if (!mark) {
    log_warning(
        str("'", path,
            "' is written anew each time: the function of map() holds values "
            "that cannot be compared. Hint: name them, .new_fingerprint = \"max_length 128\""));
  }
  if (!path.empty() && mark && options.load_from_cache_file && io::exists(path, location)) {
    if (auto kept = kept_rows(path, *mark, table.num_rows())) {
      check_names(*kept, location);
      return *std::move(kept);
    }
    log_info(str("'", path, "' belongs to another table or function, and is written again"));
  }
  std::vector<Example> rows;
  const data::Dataset results = table.dataset().map(
      std::move(function), {.num_parallel_calls = options.num_parallel_calls}, location);
  for (const Example& row : results) rows.push_back(row);
  check_names(rows, location);
  if (path.empty()) return rows;
  io::TFRecordWriter writer(path, {}, location);
  writer.write(mark ? std::string_view(*mark) : "systolic table map of an unknown function");
  for (const Example& row : rows) writer.write(std::string_view(data::encode_element(row)));
  writer.close();
  return rows;
}

}  // namespace datasets
}  // namespace systolic::inline v0

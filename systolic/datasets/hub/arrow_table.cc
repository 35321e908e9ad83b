#include "systolic/datasets/hub/arrow_table.h"

#include <algorithm>
#include <map>

#include "systolic/base/error.h"
#include "systolic/datasets/arrow/arrow_features.h"
#include "systolic/datasets/arrow/flat_columns.h"
#include "systolic/datasets/hub/media.h"
#include "systolic/datasets/tables/joined_rows.h"
#include "systolic/io/files/unpacked_size.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

// One column of all batches.
struct Part {
  std::string name;
  std::vector<FlatColumn> batches = {};
};

Column column_of(Part part) {
  const bool has_null = std::any_of(part.batches.begin(), part.batches.end(),
                                    [](const FlatColumn& batch) { return !batch.valid.empty(); });
  std::vector<Literal> values;
  for (FlatColumn& batch : part.batches) {
    if (has_null) batch.values = in_double(batch);
    values.push_back(batch.values);
  }
  if (part.batches[0].starts.empty()) return Column(joined_rows(values));
  std::vector<Literal> rows;
  for (const FlatColumn& batch : part.batches) {
    for (int64_t i = 0; i < batch.rows(); ++i) rows.push_back(batch.row(i));
  }
  return Column(std::move(rows));
}

// The parts of a table, file by file.
class TableBuilder {
 public:
  TableBuilder(const std::optional<std::vector<std::string>>& columns, SourceLocation location)
      : wanted_(columns), location_(location) {}

  void add_file(const std::string& path) {
    io::ArrowFile file(
        path, {.columns = wanted_, .batch_rows = rows_of_a_batch, .block_bytes = block_bytes},
        location_);
    file_bytes_ += file.file_bytes();
    if (features_.empty()) features_ = arrow_features(file.huggingface_metadata());
    bool any = false;
    while (const auto batch = file.next()) {
      any = true;
      bytes_ += batch->bytes + static_cast<uint64_t>(batch->rows) * sizeof(std::string_view);
      check_size(path);
      add(path, flat_columns(file.fields(), *batch));
    }
    if (!any) add(path, flat_columns(file.fields(), empty_batch(file.fields())));
  }

  Table::Columns finish() {
    Table::Columns columns;
    for (Part& part : parts_) {
      const std::string name = part.name;
      columns.emplace_back(name, column_of(std::move(part)));
    }
    for (const auto& [name, feature] : features_) apply(name, feature, columns);
    return columns;
  }

 private:
  static constexpr int64_t rows_of_a_batch = 65'536;
  static constexpr uint64_t block_bytes = (uint64_t{1} << 25) - 4096;  // with what a block keeps

  // Arrays without rows, so that a table without rows has its columns.
  static io::ArrowArray empty_array(const io::ArrowField& field) {
    static constexpr int64_t no_offset = 0;
    io::ArrowArray array;
    array.offsets = {&no_offset, 1};
    for (const io::ArrowField& inner : field.inner) array.inner.push_back(empty_array(inner));
    return array;
  }
  static io::ArrowBatch empty_batch(const std::vector<io::ArrowField>& fields) {
    io::ArrowBatch batch;
    for (const io::ArrowField& field : fields) batch.columns.push_back(empty_array(field));
    return batch;
  }

  void check_size(const std::string& path) const {
    if (!io::unpacks_to_too_much(bytes_, file_bytes_)) return;
    raise<ResourceExhausted>(
        {.what = str("'", path, "' holds a table of more than ", bytes_, " bytes in ", file_bytes_),
         .wanted = "at most a hundred times as many",
         .hint = "stream it: load_dataset(...).stream(\"train\")",
         .location = location_});
  }

  void add(const std::string& path, std::vector<FlatColumn> batch) {
    if (parts_.empty()) {
      for (const FlatColumn& column : batch) parts_.push_back({column.name});
    }
    if (batch.size() != parts_.size())
      differs(path, str(batch.size(), " columns"), str(parts_.size()));
    for (size_t i = 0; i < batch.size(); ++i) {
      Part& part = parts_[i];
      if (batch[i].name != part.name)
        differs(path, str("the column '", batch[i].name, "'"), str("'", part.name, "'"));
      if (!part.batches.empty()) check_type(path, batch[i], part.batches.front());
      part.batches.push_back(std::move(batch[i]));
    }
  }

  void check_type(const std::string& path, const FlatColumn& column,
                  const FlatColumn& first) const {
    const bool same = column.values.dtype() == first.values.dtype() &&
                      column.values.rank() == first.values.rank() &&
                      column.starts.empty() == first.starts.empty();
    if (same) return;
    const auto form = [](const FlatColumn& each) {
      return str(each.starts.empty() ? "" : "lists of ", each.values.dtype());
    };
    differs(path, str("the column '", column.name, "' of ", form(column)), form(first));
  }

  [[noreturn]] void differs(const std::string& path, const std::string& got,
                            const std::string& wanted) const {
    raise<DataLoss>({.what = str("'", path, "' has ", got),
                     .wanted = str(wanted, ", as the first file"),
                     .location = location_});
  }

  void apply(const std::string& name, const ArrowFeature& feature, Table::Columns& columns) const {
    if (feature.kind == ArrowFeature::Kind::class_label) {
      for (auto& [known, column] : columns) {
        if (known == name) column = column.with_class_names(feature.class_names);
      }
      return;
    }
    const auto bytes = std::find_if(columns.begin(), columns.end(), [&](const auto& each) {
      return each.first == name + ".bytes";
    });
    if (bytes == columns.end() || bytes->second.array().rank() != 1) return;
    const Literal files = bytes->second.array();
    if (files.dtype() != DType::string) return;
    const auto at = columns.erase(bytes);
    std::vector<std::pair<std::string, Column>> made;
    if (feature.kind == ArrowFeature::Kind::image) {
      made.emplace_back(name, picture_column(files));
    } else {
      made = sound_columns(name, files);
    }
    columns.insert(at, made.begin(), made.end());
    check_in_file(name, files, columns);
    std::erase_if(columns, [&](const auto& each) { return each.first == name + ".path"; });
  }

  // What is only named lies elsewhere.
  void check_in_file(const std::string& name, const Literal& files,
                     const Table::Columns& columns) const {
    for (const auto& [known, paths] : columns) {
      if (known != name + ".path") continue;
      for (int64_t i = 0; i < files.size(); ++i) {
        const Literal path = paths[i];
        if (!files.string_at(i).empty() || path.bytes().empty()) continue;
        raise<Unimplemented>(
            {.what = str("column '", name, "', row ", i, ": the file '", path.bytes(),
                         "' is named and not held"),
             .hint = "to_parquet and save_to_disk in Python put them into the table",
             .location = location_});
      }
    }
  }

  const std::optional<std::vector<std::string>>& wanted_;
  SourceLocation location_;
  std::vector<Part> parts_;
  std::map<std::string, ArrowFeature> features_;
  uint64_t bytes_ = 0, file_bytes_ = 0;
};

}  // namespace

Table::Columns read_arrow_files(const std::vector<std::string>& paths,
                                const std::optional<std::vector<std::string>>& columns,
                                SourceLocation location) {
  TableBuilder builder(columns, location);
  for (const std::string& path : paths) builder.add_file(path);
  return builder.finish();
}

}  // namespace datasets
}  // namespace systolic::inline v0

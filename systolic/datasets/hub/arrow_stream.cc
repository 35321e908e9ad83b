// Parquet and Arrow files as a pipeline of rows: no more than a batch of a file is in memory.
#include <algorithm>
#include <memory>

#include "systolic/base/error.h"
#include "systolic/data/sources/file_source.h"
#include "systolic/datasets/arrow/arrow_features.h"
#include "systolic/datasets/arrow/flat_columns.h"
#include "systolic/datasets/hub/arrow_table.h"
#include "systolic/datasets/hub/media.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

using Wanted = std::optional<std::vector<std::string>>;

// An array of an element: its column, and what is made of it.
struct StreamedArray {
  std::string name;
  size_t column = 0;
  Literal (*made)(const Literal&) = nullptr;
};

std::string without_ending(const std::string& name, std::string_view ending) {
  return name.ends_with(ending) ? name.substr(0, name.size() - ending.size()) : "";
}

// As read_arrow_files() has them.
std::vector<StreamedArray> arrays_of(const std::vector<FlatColumn>& columns,
                                     const std::map<std::string, ArrowFeature>& features) {
  const auto is = [&](const std::string& name, ArrowFeature::Kind kind) {
    const auto found = features.find(name);
    return found != features.end() && found->second.kind == kind;
  };
  std::vector<StreamedArray> arrays;
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = columns[i].name;
    const std::string file = without_ending(name, ".bytes"), path = without_ending(name, ".path");
    if (is(file, ArrowFeature::Kind::image)) {
      arrays.push_back({file, i, decoded_picture_file});
    } else if (is(file, ArrowFeature::Kind::audio)) {
      arrays.push_back({file, i, decoded_sound_file});
      arrays.push_back({file + ".sampling_rate", i, sampling_rate_of});
    } else if (!is(path, ArrowFeature::Kind::image) && !is(path, ArrowFeature::Kind::audio)) {
      arrays.push_back({name, i});
    }
  }
  return arrays;
}

class ArrowRows : public data::RecordReader {
 public:
  ArrowRows(const std::string& path, const Wanted& wanted)
      : path_(path),
        file_(path, {.columns = wanted}, {}),
        features_(arrow_features(file_.huggingface_metadata())) {}

  bool next(Example& element) override {
    while (row_ == rows_) {
      if (!next_batch()) return false;
    }
    Example::Components parts;
    for (const StreamedArray& array : arrays_) {
      Literal value = columns_[array.column].row(row_);
      if (array.made != nullptr) value = array.made(value);
      parts.push_back({array.name, std::move(value)});
    }
    element = Example(std::move(parts));
    ++row_;
    return true;
  }
  size_t held_bytes() const override { return held_; }

 private:
  bool next_batch() {
    const auto batch = file_.next();
    if (!batch) return false;
    columns_ = flat_columns(file_.fields(), *batch);
    for (const FlatColumn& column : columns_) {
      if (column.valid.empty()) continue;
      raise<DataLoss>(
          {.what = str("'", path_, "': column '", column.name, "', ", column.values.dtype(),
                       ", holds null"),
           .hint = "take the table, load_dataset(...)[\"train\"], where it becomes f64"});
    }
    if (arrays_.empty()) arrays_ = arrays_of(columns_, features_);
    rows_ = batch->rows;
    row_ = 0;
    held_ = batch->bytes;
    return true;
  }

  const std::string path_;
  io::ArrowFile file_;
  const std::map<std::string, ArrowFeature> features_;
  std::vector<FlatColumn> columns_;
  std::vector<StreamedArray> arrays_;
  int64_t row_ = 0, rows_ = 0;
  size_t held_ = 0;
};

// As the first row has it; lists differ in length, pictures and sounds in all sizes.
data::ElementSpec spec_of_rows(const std::string& path, const Wanted& wanted) {
  io::ArrowFile file(path, {.columns = wanted, .batch_rows = 1}, {});
  const auto batch = file.next();
  if (!batch) return {};
  const auto columns = flat_columns(file.fields(), *batch);
  data::ElementSpec spec;
  for (const StreamedArray& array :
       arrays_of(columns, arrow_features(file.huggingface_metadata()))) {
    const FlatColumn& column = columns[array.column];
    const Literal first = column.row(0);
    std::vector<int64_t> sizes = first.shape().to_vector();
    if (!column.starts.empty()) sizes[0] = -1;
    if (array.made == decoded_picture_file) {
      spec.push_back({array.name, Shape{-1, -1, -1}, DType::u8});
    } else if (array.made == decoded_sound_file) {
      spec.push_back({array.name, Shape{-1, -1}, DType::f32});
    } else if (array.made == sampling_rate_of) {
      spec.push_back({array.name, Shape{}, DType::i64});
    } else {
      spec.push_back({array.name, Shape(sizes), first.dtype()});
    }
  }
  return spec;
}

}  // namespace

data::Dataset stream_arrow_files(const std::vector<std::string>& paths, const Wanted& columns,
                                 SourceLocation location) {
  data::ElementSpec spec;
  for (const std::string& path : paths) {
    if (spec.empty()) spec = spec_of_rows(path, columns);
  }
  return data::Dataset(data::make_file_source(
      {.files = paths,
       .open = [columns](
                   const std::string& path) { return std::make_unique<ArrowRows>(path, columns); },
       .spec = std::move(spec),
       .reading = "reading of rows"},
      "stream", location));
}

}  // namespace datasets
}  // namespace systolic::inline v0

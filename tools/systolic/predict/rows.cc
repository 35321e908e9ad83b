#include "tools/systolic/predict/rows.h"

#include "systolic/base/error.h"
#include "systolic/datasets/tables/read_table.h"
#include "systolic/io/files/file.h"
#include "systolic/io/tensors/npy.h"
#include "systolic/text/files/auto_tokenizer.h"
#include "tools/systolic/predict/pictures.h"
#include "tools/systolic/tfrecord/text_file.h"

namespace tool::predict {

using namespace systolic;

namespace {

using Columns = std::vector<std::pair<std::string, datasets::Column>>;

std::string names_of(const std::vector<NetworkPort>& ports) {
  std::vector<std::string> names;
  for (const NetworkPort& port : ports)
    names.push_back(str(port.name, " ", port.type.dtype, port.type.shape));
  return join(names, ", ");
}

Rows of_arrays(const std::string& path, const std::vector<NetworkPort>& ports) {
  const Example arrays = io::read_npz(path);
  if (ports.size() == 1 && arrays.size() == 1)
    return {.arrays = {{ports.front().name, arrays.value(0)}}};
  Rows rows;
  for (const NetworkPort& port : ports) {
    const Literal* array = arrays.find(port.name);
    if (array == nullptr && port.rules.default_value) continue;
    if (array == nullptr) {
      raise<InvalidArgument>({.what = str("'", path, "' has no array '", port.name, "'"),
                              .got = join(arrays.names(), ", "),
                              .wanted = str("the model's inputs: ", names_of(ports))});
    }
    rows.arrays.set(port.name, *array);
  }
  return rows;
}

// As long as the model wants them, or as the longest text.
BatchEncoding encode(const Predictor& model, const std::vector<std::string>& texts) {
  const Tokenizer tokenizer = AutoTokenizer::from_pretrained(model.folder);
  const Shape& shape = model.inputs.front().type.shape;
  if (shape.rank() == 2 && shape[1] > 0) {
    return tokenizer(texts, {.padding = "max_length", .truncation = true, .max_length = shape[1]});
  }
  return tokenizer(texts, {.padding = true, .truncation = true});
}

Rows of_texts(const Predictor& model, std::vector<std::string> texts, const std::string& path) {
  if (texts.empty()) raise<InvalidArgument>({.what = str("'", path, "' holds no text")});
  Rows rows{.arrays = model.inputs_of(encode(model, texts)), .title = "text"};
  rows.names = std::move(texts);
  return rows;
}

std::vector<std::string> lines_of(const std::string& path) {
  const tfrecord::TextFile file(path);
  std::vector<std::string> lines;
  for (size_t at = 0; at < file.text().size();) {
    const std::string_view line = file.line(at);
    if (!line.empty()) lines.emplace_back(line);
  }
  return lines;
}

bool is_text(const datasets::Column& column) {
  return column.size() > 0 && column[0].dtype() == DType::string;
}

const datasets::Column* find(const Columns& columns, std::string_view name) {
  for (const auto& [its_name, column] : columns) {
    if (its_name == name) return &column;
  }
  return nullptr;
}

// "text", "sentence", or the only one that holds texts; null where that is not clear.
const datasets::Column* text_column(const Columns& columns) {
  const datasets::Column* found = nullptr;
  int count = 0;
  for (const auto& [name, column] : columns) {
    if (!is_text(column)) continue;
    if (name == "text" || name == "sentence") return &column;
    found = &column;
    ++count;
  }
  return count == 1 ? found : nullptr;
}

std::string names_of(const Columns& columns) {
  std::vector<std::string> names;
  for (const auto& [name, column] : columns)
    names.push_back(is_text(column) ? name + " (texts)" : name);
  return join(names, ", ");
}

int64_t numbers_in_a_row(const NetworkPort& port) {
  int64_t count = 1;
  for (int i = 1; i < port.type.shape.rank(); ++i) count *= port.type.shape[i];
  return count;
}

// [rows, ...] of numbers as the input has them.
Literal shaped_for(const NetworkPort& port, const Literal& array) {
  std::vector<int64_t> sizes(port.type.shape.begin(), port.type.shape.end());
  if (sizes.empty()) return array;
  sizes.front() = array.shape()[0];
  const Shape shape(sizes);
  const bool fits = numbers_in_a_row(port) > 0 && shape.elements() == array.size();
  return (fits ? array.reshape(shape) : array).convert(port.type.dtype);
}

// Columns of numbers beside each other: [rows, columns].
Literal joined(const std::vector<const datasets::Column*>& columns) {
  const int64_t rows = columns.front()->size(), width = static_cast<int64_t>(columns.size());
  Literal result(DType::f64, Shape{rows, width});
  auto numbers = result.mutable_data<double>();
  for (int64_t j = 0; j < width; ++j) {
    const Literal column = columns[size_t(j)]->array().convert(DType::f64);
    for (int64_t i = 0; i < rows; ++i)
      numbers[size_t(i * width + j)] = column.data<double>()[size_t(i)];
  }
  return result;
}

// Empty where the table does not have them.
Example columns_by_name(const Columns& columns, const std::vector<NetworkPort>& ports) {
  Example arrays;
  for (const NetworkPort& port : ports) {
    const datasets::Column* column = find(columns, port.name);
    if (column == nullptr || is_text(*column)) return {};
    arrays.set(port.name, shaped_for(port, column->array()));
  }
  return arrays;
}

Rows of_table(const std::string& path, const Predictor& model) {
  const Columns columns = datasets::read_table_file(path, {});
  Rows rows{.arrays = columns_by_name(columns, model.inputs)};
  if (!rows.arrays.empty()) return rows;
  std::vector<const datasets::Column*> numbers;
  for (const auto& [name, column] : columns) {
    const bool is_number = column.size() > 0 && !is_text(column) && column[0].rank() == 0;
    if (is_number) numbers.push_back(&column);
  }
  const NetworkPort& port = model.inputs.front();
  if (model.inputs.size() == 1 && !numbers.empty() &&
      static_cast<int64_t>(numbers.size()) == numbers_in_a_row(port)) {
    rows.arrays.set(port.name, shaped_for(port, joined(numbers)));
    return rows;
  }
  if (const datasets::Column* texts = text_column(columns))
    return of_texts(model, texts->strings(), path);
  raise<InvalidArgument>(
      {.what = str("the columns of '", path, "' are not what the model takes"),
       .got = str(numbers.size(), " of numbers among ", names_of(columns)),
       .wanted = str("columns by the inputs' names, or as many of numbers as the only input has: ",
                     names_of(model.inputs))});
}

}  // namespace

Rows read_rows(const std::string& path, const Predictor& model, double divide_by) {
  if (path.ends_with(".npz")) return of_arrays(path, model.inputs);
  if (path.ends_with(".txt")) return of_texts(model, lines_of(path), path);
  if (datasets::is_table_file(path)) return of_table(path, model);
  return of_pictures(path, model, divide_by);
}

}  // namespace tool::predict

// Table::class_encode_column.
#include <algorithm>
#include <map>

#include "systolic/base/error.h"
#include "systolic/datasets/tables/table.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

// As Python writes it.
std::string text_of(const Literal& values, int64_t i) {
  if (values.dtype() == DType::string) return std::string(values.string_at(i));
  if (values.dtype() == DType::pred) return values.integer_at(i) != 0 ? "True" : "False";
  return str(values.integer_at(i));
}

}  // namespace

Table Table::class_encode_column(std::string_view name, SourceLocation location) const {
  const Literal& values = (*this)[{name, location}].array(location);
  const DType dtype = values.dtype();
  if (values.rank() != 1 ||
      (dtype != DType::string && dtype != DType::pred && !is_integer(dtype))) {
    raise<InvalidArgument>({.what = str("class_encode_column of '", name, "'"),
                            .got = str(dtype, values.shape()),
                            .wanted = "a text, an integer or a truth value in each row",
                            .location = location});
  }
  std::map<std::string, int64_t> classes;
  for (int64_t i = 0; i < values.size(); ++i) classes.emplace(text_of(values, i), 0);
  std::vector<std::string> names;
  for (auto& [text, number] : classes) {
    number = std::ssize(names);
    names.push_back(text);
  }
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < values.size(); ++i) numbers.push_back(classes.at(text_of(values, i)));
  Columns columns;
  for (const auto& [known, column] : *columns_) {
    columns.emplace_back(
        known, known == name
                   ? Column(Literal::from(numbers, {values.size()})).with_class_names(names)
                   : column);
  }
  return Table(std::move(columns), location);
}

}  // namespace datasets
}  // namespace systolic::inline v0

#include "tools/systolic/fine_tune/text_classes.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "systolic/base/ascii.h"
#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/data/sources/sources.h"

namespace tool::fine_tune {

using namespace systolic;

namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), ascii_lower);
  return text;
}

std::set<std::string> lower(const std::vector<std::string>& names) {
  std::set<std::string> result;
  for (const std::string& name : names) result.insert(lower(name));
  return result;
}

}  // namespace

void TextClasses::cut(int64_t most) {
  if (most <= 0 || most >= rows()) return;
  const auto size = static_cast<size_t>(most);
  texts.resize(size);
  if (!pairs.empty()) pairs.resize(size);
  if (!labels.empty()) labels.resize(size);
}

data::Dataset TextClasses::dataset(bool labelled, bool of_numbers) const {
  Example columns{{"text", texts}};
  if (!pairs.empty()) {
    const std::vector<std::string_view> views(pairs.begin(), pairs.end());
    columns.set("pair", Literal::strings(views, {rows()}));
  }
  if (labelled) {
    const Literal values = Literal::from(labels, {rows()});
    columns.set("label", values.convert(of_numbers ? DType::f32 : DType::i32));
  }
  return data::from_tensor_slices(columns);
}

TextClassReader::TextClassReader(const GlueTask* task, const TextTable& first,
                                 const std::vector<std::string>& names_of_model)
    : task_(task) {
  if (task == nullptr) {
    read_columns(first);
    read_classes(first);
  } else {
    text_ = task->text, pair_ = task->pair, label_ = task->label;
    classes_ = task->classes;
  }
  for (size_t i = 0; i < classes_.size(); ++i) numbers_[classes_[i]] = static_cast<double>(i);
  if (task == nullptr || classes_.empty() || lower(names_of_model) != lower(classes_)) return;
  for (size_t i = 0; i < names_of_model.size(); ++i) {
    for (const std::string& name : task->classes) {
      if (lower(name) == lower(names_of_model[i])) numbers_[name] = static_cast<double>(i);
    }
  }
  classes_ = names_of_model;
}

void TextClassReader::read_columns(const TextTable& first) {
  first.require({"label"});
  text_ = {"sentence1"}, pair_ = {"sentence2"};
  if (!first.find(text_).empty() && !first.find(pair_).empty()) return;
  text_.clear(), pair_.clear();
  std::vector<std::string> names = first.column_names();
  std::erase(names, "label");
  if (names.empty()) first.require({"sentence1"});
  text_ = {names[0]};
  if (names.size() > 1) pair_ = {names[1]};
}

void TextClassReader::read_classes(const TextTable& first) {
  const Literal& labels = first.array("label");
  if (labels.dtype() == DType::f64) return;
  if (labels.dtype() == DType::i64) {
    std::set<int64_t> numbers;
    for (int64_t row = 0; row < labels.size(); ++row) numbers.insert(labels.integer_at(row));
    for (const int64_t number : numbers) classes_.push_back(str(number));
    return;
  }
  const std::vector<std::string> texts = first.texts("label");
  const std::set<std::string> names(texts.begin(), texts.end());
  classes_.assign(names.begin(), names.end());
}

// A class by its name or by its number in the task's own order.
double TextClassReader::label_of(const TextTable& table, const std::string& column,
                                 int64_t row) const {
  const Literal& values = table.array(column);
  if (of_numbers()) {
    const double number = values.dtype() == DType::string ? NAN : values.number_at(row);
    if (!std::isfinite(number)) table.damaged(row, column, "not a number", "a number for each row");
    return number;
  }
  std::string name;
  if (values.dtype() == DType::string) name = values.string_at(row);
  if (values.dtype() == DType::i64) {
    const int64_t number = values.integer_at(row);
    const auto known = static_cast<int64_t>(task_ == nullptr ? 0 : task_->classes.size());
    name =
        number >= 0 && number < known ? task_->classes[static_cast<size_t>(number)] : str(number);
  }
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  std::vector<std::string> wanted;
  for (const auto& [known, number] : numbers_) wanted.push_back(known);
  const std::string said =
      values.dtype() == DType::f64 ? "not a class" : str("the class '", name, "'");
  table.damaged(row, column, said, join(wanted, " or "));
}

std::vector<double> TextClassReader::labels_of(const TextTable& table,
                                               const std::string& column) const {
  std::vector<double> labels;
  for (int64_t row = 0; row < table.rows(); ++row) labels.push_back(label_of(table, column, row));
  return labels;
}

TextClasses TextClassReader::read(const TextTable& table, bool labelled) const {
  TextClasses read{.texts = table.texts(table.require(text_)), .pairs = {}, .labels = {}};
  if (!pair_.empty()) read.pairs = table.texts(table.require(pair_));
  if (labelled) read.labels = labels_of(table, table.require(label_));
  return read;
}

}  // namespace tool::fine_tune

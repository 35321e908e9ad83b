#include "systolic/transformers/rows/row_labels.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/base/excerpt.h"

namespace systolic::inline v0 {
namespace {

const std::vector<std::vector<std::string>> usual_names = {
    {"label"}, {"labels"}, {"start_positions", "end_positions"}};

// The weight of each sample, next to its labels.
constexpr const char* weights = "sample_weight";

bool has_all(const Example& element, const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return element.contains(name); });
}

bool is_position(const std::string& name) {
  return name == usual_names[2][0] || name == usual_names[2][1];
}
bool is_position(const Literal& value, const std::string& name) {
  return is_position(name) && value.dtype() == DType::i32 && value.rank() == 0;
}

// Where a place among the given tokens is among those that are kept; past all of them where it was
// cut off.
int32_t among_kept(const Literal& position, const TokenPlaces& places) {
  const int64_t given = position.integer_at(0);
  if (given == RowLabels::ignored_label) return RowLabels::ignored_label;
  const auto place = std::lower_bound(places.kept.begin(), places.kept.end(), given);
  const bool kept = place != places.kept.end() && *place == given;
  return kept ? static_cast<int32_t>(place - places.kept.begin()) : INT32_MAX;
}

std::vector<int32_t> of_kept(const Literal& labels, const TokenPlaces& places) {
  const auto all = labels.data<int32_t>();
  std::vector<int32_t> values;
  for (const int64_t place : places.kept) values.push_back(all[static_cast<size_t>(place)]);
  return values;
}

// For i32 or f32.
std::vector<int32_t> bits_of(const Literal& value) {
  std::vector<int32_t> bits(static_cast<size_t>(value.size()));
  if (!bits.empty()) std::memcpy(bits.data(), value.raw(), value.byte_size());
  return bits;
}

Literal stacked_rows(const Literal& first, const RowStore& values, std::span<const int64_t> rows) {
  Literal array(first.dtype(), first.shape().with_inserted(0, static_cast<int64_t>(rows.size())));
  auto* to = static_cast<std::byte*>(array.mutable_raw());
  for (const int64_t row : rows) {
    to = std::ranges::copy(std::as_bytes(values.row(row)), to).out;
  }
  return array;
}

// Answers outside of the tokens, cut off or masked, do not count.
Literal moved_positions(const RowStore& values, std::span<const int64_t> rows,
                        const RowPlacement& placement) {
  std::vector<int32_t> moved;
  for (const int64_t row : rows) {
    const int64_t position = values.row(row).front();
    const bool among = position >= 0 && position < placement.tokens(row);
    moved.push_back(among ? static_cast<int32_t>(placement.start(row) + position)
                          : RowLabels::ignored_label);
  }
  return Literal::from(moved, Shape{static_cast<int64_t>(rows.size())});
}

Literal padded_rows(const RowStore& values, std::span<const int64_t> rows,
                    const RowPlacement& placement) {
  Literal array(DType::i32, Shape{static_cast<int64_t>(rows.size()), placement.length});
  int32_t* to = array.mutable_data<int32_t>().data();
  std::fill_n(to, array.size(), RowLabels::ignored_label);
  for (const int64_t row : rows) {
    std::ranges::copy(values.row(row), to + placement.start(row));
    to += placement.length;
  }
  return array;
}

}  // namespace

RowLabels::RowLabels(const Example& first, const std::string& name,
                     const std::string& scratch_folder, SourceLocation location)
    : scratch_folder_(scratch_folder), location_(location) {
  if (!name.empty() && !first.contains(name))
    fail(str("the dataset has no label '", name, "': ", to_string(first)), "a column of that name");
  std::vector<std::string> chosen;
  if (!name.empty()) chosen = {name};
  for (const auto& names : usual_names) {
    if (chosen.empty() && has_all(first, names)) chosen = names;
  }
  if (!chosen.empty() && first.contains(weights) && chosen.front() != weights)
    chosen.emplace_back(weights);
  for (std::string& each : chosen) columns_.push_back({.name = std::move(each)});
  for (const auto& names : usual_names) {
    if (columns_.empty() && !first.contains(names.front())) refused_.push_back(names.front());
  }
}

void RowLabels::fail(std::string what, std::string wanted, std::string hint) const {
  raise<InvalidArgument>({.what = str("prepare_dataset: ", what),
                          .wanted = std::move(wanted),
                          .hint = std::move(hint),
                          .location = location_});
}

void RowLabels::add(const Example& element, const TokenPlaces* places) {
  for (const std::string& name : refused_) {
    if (element.contains(name))
      fail(str("sample ", rows_, " has a label '", name, "'"), "none, as the first has none");
  }
  for (Column& column : columns_) {
    const Literal* value = element.find(column.name);
    if (value == nullptr)
      fail(str("sample ", rows_, " has no label '", column.name, "'"),
           "one, as the first sample has");
    add_value(column, converted(column, *value), places);
  }
  ++rows_;
}

void RowLabels::add_value(Column& column, const Literal& value, const TokenPlaces* places) {
  if (rows_ == 0) {
    column.first = value;
    column.values.emplace(scratch_folder_, location_);
    column.token_values.emplace(scratch_folder_, location_);
  }
  column.of_tokens = column.of_tokens && places != nullptr && value.dtype() == DType::i32 &&
                     value.rank() == 1 && value.size() == places->given;
  column.of_one_shape = column.of_one_shape && value.shape() == column.first.shape() &&
                        value.dtype() == column.first.dtype();
  if (!column.of_tokens && !column.of_one_shape) {
    fail(str("label '", column.name, "' of sample ", rows_, " is ", value.dtype(), value.shape()),
         str("that of the first, ", column.first.dtype(), column.first.shape(),
             ", or an integer for each token"),
         "labels of tokens go with \"input_ids\": tokenize in a map() before");
  }
  if (!column.of_tokens) column.token_values.reset();
  if (!column.of_one_shape) column.values.reset();
  if (column.of_tokens) column.token_values->add(of_kept(value, *places));
  if (column.of_one_shape) {
    const bool moves = places != nullptr && is_position(value, column.name);
    column.values->add(moves ? std::vector<int32_t>{among_kept(value, *places)} : bits_of(value));
  }
}

void RowLabels::finish() {
  for (Column& column : columns_) {
    if (column.values) column.values->finish();
    if (column.token_values) column.token_values->finish();
  }
}

RowLabels::Answers RowLabels::answers(const std::function<int64_t(int64_t row)>& tokens) const {
  Answers answers;
  for (int64_t row = 0; row < rows_; ++row) {
    bool given = false, outside = false;
    for (const Column& column : columns_) {
      if (column.of_tokens || !is_position(column.first, column.name)) continue;
      const int64_t position = column.values->row(row).front();
      given = given || position != ignored_label;
      outside = outside || position >= tokens(row);
    }
    answers.given += given;
    answers.outside += outside;
  }
  return answers;
}

void RowLabels::put(Example& batch, std::span<const int64_t> rows,
                    const RowPlacement& placement) const {
  for (const Column& column : columns_) {
    if (column.of_tokens) {
      batch.set(column.name, padded_rows(*column.token_values, rows, placement));
    } else if (is_position(column.first, column.name)) {
      batch.set(column.name, moved_positions(*column.values, rows, placement));
    } else {
      batch.set(column.name, stacked_rows(column.first, *column.values, rows));
    }
  }
}

Literal RowLabels::converted(const Column& column, const Literal& value) const {
  if (value.dtype() == DType::string) {
    const std::string text = value.rank() == 0 ? str(", '", excerpt(value.bytes(), 40), "'") : "";
    fail(str("label '", column.name, "' of sample ", rows_, " is a text", text), "numbers",
         "number the classes in a map() before; one field that is no number makes texts of a whole "
         "column of a table");
  }
  const bool whole = is_integer(value.dtype()) || value.dtype() == DType::pred;
  if (!whole || column.name == weights) {
    for (int64_t i = 0; i < value.size(); ++i) {
      if (std::isnan(value.number_at(i)))
        fail(
            str("label '", column.name, "' of sample ", rows_, " is NaN"), "a number",
            "an empty field of a table and JSON's null are NaN: leave such rows out with filter()");
    }
    return value.convert(DType::f32);
  }
  for (int64_t i = 0; i < value.size(); ++i) {
    const int64_t number = value.integer_at(i);
    if (number < INT32_MIN || number > INT32_MAX)
      fail(str("label '", column.name, "' of sample ", rows_, " is ", number),
           "integers that i32 holds");
    if (number < 0 && number != ignored_label && is_position(column.name))
      fail(str("'", column.name, "' of sample ", rows_, " is ", number),
           str("a token's place, from 0 on, or ", ignored_label, " where there is no answer"));
  }
  return value.convert(DType::i32);
}

}  // namespace systolic::inline v0

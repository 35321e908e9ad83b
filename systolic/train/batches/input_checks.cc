#include "systolic/train/batches/input_checks.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/events/event_stream.h"

namespace systolic::inline v0 {
namespace {

// The same arrays, the first under another name.
Example first_renamed(const Example& batch, const std::string& name) {
  Example::Components components(batch.begin(), batch.end());
  components.front().name = name;
  return Example(std::move(components));
}

// The only input without a default value, where there is one.
const NetworkPort* only_required(const std::vector<NetworkPort>& inputs) {
  const NetworkPort* found = nullptr;
  for (const NetworkPort& input : inputs) {
    if (input.rules.default_value) continue;
    if (found != nullptr) return nullptr;
    found = &input;
  }
  return found;
}

bool names_any(const Example& batch, const std::vector<NetworkPort>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const NetworkPort& input) { return batch.contains(input.name); });
}

bool has_texts(const Example& batch) {
  return std::any_of(batch.begin(), batch.end(), [](const Example::Component& component) {
    return component.value.dtype() == DType::string;
  });
}

// The integers that are taken: [0, below), and `besides`.
struct Wanted {
  int64_t below;
  std::optional<int64_t> besides = {};
  bool cuts = false;  // floats become integers by what is cut off

  bool has(int64_t value) const { return (value >= 0 && value < below) || value == besides; }
  // NaN is never wanted.
  bool has(double value) const {
    if (cuts) value = std::trunc(value);
    return (value >= 0 && value < static_cast<double>(below) && value == std::floor(value)) ||
           (besides && value == static_cast<double>(*besides));
  }
  bool has(int32_t value) const { return has(int64_t{value}); }
  bool has(float value) const { return has(double{value}); }
};

template <class T>
std::optional<int64_t> first_outside(const Literal& values, Wanted wanted) {
  const auto data = values.data<T>();
  const auto found =
      std::find_if_not(data.begin(), data.end(), [wanted](T value) { return wanted.has(value); });
  if (found == data.end()) return std::nullopt;
  return found - data.begin();
}

// Where the elements of a part lie in a row, which is all of the axes but the first.
std::vector<int64_t> places_in_row(const ir::SliceAttributes& part, const Shape& shape) {
  std::vector<int64_t> places = {0};
  for (int axis = 1; axis < shape.rank(); ++axis) {
    const auto i = static_cast<size_t>(axis);
    std::vector<int64_t> next;
    for (const int64_t place : places) {
      for (int64_t at = part.start_indices[i]; at < part.limit_indices[i]; at += part.strides[i])
        next.push_back(place * shape[axis] + at);
    }
    places = std::move(next);
  }
  return places;
}

template <class T>
std::optional<int64_t> first_outside_in(const Literal& values, const ir::SliceAttributes& part,
                                        Wanted wanted) {
  const auto data = values.data<T>();
  const int64_t rows = values.shape()[0], size = values.size() / std::max<int64_t>(rows, 1);
  const std::vector<int64_t> places = places_in_row(part, values.shape());
  for (int64_t row = 0; row < rows; ++row) {
    for (const int64_t place : places) {
      if (!wanted.has(data[static_cast<size_t>(row * size + place)])) return row * size + place;
    }
  }
  return std::nullopt;
}

// The place of the first number that is not wanted, in a part of them or in all.
std::optional<int64_t> outside(const Literal& given, Wanted wanted,
                               const std::optional<ir::SliceAttributes>& part = {}) {
  const auto look = [&]<class T>(const Literal& values, T) {
    return part ? first_outside_in<T>(values, *part, wanted) : first_outside<T>(values, wanted);
  };
  switch (given.dtype()) {
    case DType::i64:
      return look(given, int64_t{});
    case DType::i32:
      return look(given, int32_t{});
    case DType::f32:
      return look(given, float{});
    default:
      return is_float(given.dtype()) ? look(given.convert(DType::f64), double{})
                                     : look(given.convert(DType::i64), int64_t{});
  }
}

// "value 7 in 'ids', row 3 of batch 0 (after any shuffle)": no row of the dataset.
std::string place_of(std::string_view what, const Example& batch, size_t component, int64_t index,
                     int64_t number) {
  const Literal& values = batch.value(component);
  const std::string value =
      is_float(values.dtype()) ? str(values.number_at(index)) : str(values.integer_at(index));
  return str(what, " ", value, " in '", batch.name(component), "', row ",
             index / (values.size() / values.shape()[0]), " of batch ", number,
             " (after any shuffle)");
}

// [batch, ...] as wanted, or [batch, ..., 1].
bool fits(const Shape& labels, const Shape& wanted) {
  const int rank = wanted.rank();
  if (labels.rank() != rank && !(labels.rank() == rank + 1 && labels[rank] == 1)) return false;
  for (int axis = 0; axis < rank; ++axis) {
    if (wanted[axis] >= 0 && labels[axis] != wanted[axis]) return false;
  }
  return true;
}

// A loss divides by the number of labels that count: here by none, and is 0.
void warn_where_none_counts(const Example& batch, size_t component, const LabelRange& range) {
  const Literal& labels = batch.value(component);
  if (!range.ignored || labels.size() == 0) return;
  for (int64_t i = 0; i < labels.size(); ++i) {
    if (labels.number_at(i) != static_cast<double>(*range.ignored)) return;
  }
  publish_warning(str("all labels in '", batch.name(component), "' of a batch are ", *range.ignored,
                      ", which does not count: such a batch has the loss 0 and teaches nothing"),
                  true);
}

template <class T>
int64_t first_beyond(const Literal& labels, double low, double high) {
  const auto data = labels.data<T>();
  const auto inside = [=](T value) {
    return static_cast<double>(value) >= low && static_cast<double>(value) <= high;
  };
  return std::find_if_not(data.begin(), data.end(), inside) - data.begin();
}

// The first column of a dataset stands for an input where none has an input's name.
struct Taken {
  std::string column;  // where it is not the input's own
  DType dtype;
  Shape shape;
  bool texts_beside = false;  // other columns are texts
};

// What is given in the place of an input with others that it gives their shape.
void check_fitting(const Taken& taken, const NetworkPort& input) {
  const bool is_text = taken.dtype == DType::string;
  if (!is_text && taken.shape.rank() == input.type.shape.rank()) return;
  const std::string from = taken.column.empty() || taken.column == "value"
                               ? ""
                               : str(", the dataset's '", taken.column, "',");
  raise<InvalidArgument>(
      {.what = str("input '", input.name, "'", from, " is ", taken.dtype, taken.shape),
       .wanted = str(input.type.dtype, shape_text(input.type.shape)),
       .hint = is_text || taken.texts_beside
                   ? "texts become arrays by tokenizer(texts), and a dataset of them batches by "
                     "prepare_dataset()"
                   : "the first axis is the batch, also of one sample"});
}

// As `transformers` does: what pads is attended to as any token, where no mask says otherwise.
void warn_of_padding(const Literal& rows, const NetworkPort& mask, const NetworkPort& of) {
  if (!is_integer(rows.dtype()) || rows.rank() != 2 || rows.size() == 0) return;
  const int64_t length = rows.shape()[1];
  for (int64_t row = 0; row < rows.shape()[0]; ++row) {
    const int64_t first = rows.integer_at(row * length),
                  last = rows.integer_at((row + 1) * length - 1);
    if (first != *mask.rules.masks && last != *mask.rules.masks) continue;
    return publish_warning(str("rows of '", of.name, "' begin or end in ", *mask.rules.masks,
                               ", which pads, and there is no '", mask.name,
                               "': padding is attended to. A tokenizer's call gives both."),
                           true);
  }
}

}  // namespace

void add_defaults(Example& batch, const std::vector<NetworkPort>& inputs) {
  if (inputs.size() < 2 || batch.empty()) return;
  std::string column;
  if (!names_any(batch, inputs)) {
    const NetworkPort* input = only_required(inputs);
    if (input == nullptr) return;
    column = batch.name(0);
    batch = first_renamed(batch, input->name);
  }
  const Literal* first = batch.find(inputs.front().name);
  if (first == nullptr) return;
  // Not the value, which a default added to the batch moves.
  const Taken taken{column, first->dtype(), first->shape(), has_texts(batch)};
  for (const NetworkPort& input : inputs) {
    if (!input.rules.default_value || batch.contains(input.name)) continue;
    check_fitting(taken, inputs.front());
    if (input.rules.masks) warn_of_padding(*batch.find(inputs.front().name), input, inputs.front());
    const Shape shape = known_shape(input.type.shape, taken.shape);
    const auto known = [](int64_t size) { return size >= 0; };
    if (!std::all_of(shape.begin(), shape.end(), known)) return;
    batch.set(input.name, Literal::filled(input.type.dtype, shape, *input.rules.default_value));
  }
}

void warn_of_bytes(const Example& batch, size_t component, const InputRules& rules) {
  // Normalized by any mean and deviation that are in use, white is below 3.
  constexpr float most = 16;
  if (rules.normalized_by.empty()) return;
  const Literal& values = batch.value(component);
  const bool beyond =
      values.dtype() == DType::f32 &&
      std::ranges::any_of(values.data<float>(), [](float value) { return value > most; });
  if (values.dtype() != DType::u8 && !beyond) return;
  publish_warning(
      str("'", batch.name(component), "' is ", values.dtype(),
          values.dtype() == DType::u8 ? "" : " from 0 to 255, as it seems",
          ", and the model wants normalized pictures: ", rules.normalized_by, " makes them"),
      true);
}

void check_range(const Example& batch, size_t component, const InputRules& rules, int64_t number) {
  if (!rules.values_below) return;
  check_lookup(batch, component, {.limit = *rules.values_below}, rules.default_value, number);
}

void check_lookup(const Example& batch, size_t component, const InputRange& range,
                  std::optional<double> besides, int64_t number) {
  const Literal& values = batch.value(component);
  if (!is_integer(values.dtype()) && !is_float(values.dtype())) return;
  Wanted wanted{.below = range.limit, .cuts = range.cuts};
  if (besides) wanted.besides = static_cast<int64_t>(*besides);
  const std::optional<int64_t> at = outside(values, wanted, range.part);
  if (!at) return;
  const bool of_model = range.layer.empty();
  raise<InvalidArgument>(
      {.what = place_of("value", batch, component, *at, number),
       .wanted = str("an integer from 0 to ", range.limit - 1, ": ",
                     of_model ? std::string("the model") : str("layer '", range.layer, "'"),
                     " knows ", range.limit),
       .hint = of_model
                   ? "prepare the data with the tokenizer that belongs to the model; of tokens "
                     "that were added to it later, resize_token_embeddings() makes vectors"
                   : "map the values to a smaller range (ids of tokens: by the tokenizer that "
                     "belongs to the model), or give the layer a larger table"});
}

constexpr const char* of_fewer_classes =
    "give the last layer more units, or map the labels to a smaller range";

void check_labels(const Example& batch, size_t component, const LabelRange& range, int64_t number) {
  const Literal& labels = batch.value(component);
  const int64_t classes = range.classes;
  const bool numbers = is_integer(labels.dtype()) || is_float(labels.dtype());
  if (!numbers || (classes < 0 && !range.places)) return;
  // What is not a list of classes, one-hot rows say, is the loss's to refuse: it knows both shapes.
  if (!fits(labels.shape(), range.shape)) return;
  const int64_t below = range.places ? INT64_MAX : classes;
  const std::optional<int64_t> at = outside(labels, {.below = below, .besides = range.ignored});
  if (!at) return warn_where_none_counts(batch, component, range);
  raise<InvalidArgument>(
      {.what = place_of("label", batch, component, *at, number),
       .wanted = range.places ? str("a place: an integer from 0 on",
                                    range.ignored ? str(", or ", *range.ignored, " for none") : "")
                              : str("an integer from 0 to ", classes - 1, ": the model has ",
                                    classes, " outputs, one a class"),
       .hint = range.places || !range.hint.empty() ? range.hint : of_fewer_classes});
}

// A loss of yes-or-no labels is some number for others, too. They are not an error: one without a
// weight, say, is left out by it. What rounding adds is not said.
bool warn_of_no_probabilities(const Example& batch, size_t component, const std::string& hint) {
  constexpr const char* usual =
      "map -1 and 1 by (y + 1) / 2; of several classes the loss is "
      "\"sparse_categorical_crossentropy\"";
  constexpr double rounding = 1e-3;
  const Literal given = batch.value(component);
  if (!is_integer(given.dtype()) && !is_float(given.dtype())) return false;
  const bool as_it_is = given.dtype() == DType::f32 || given.dtype() == DType::i32;
  const Literal labels = as_it_is ? given : given.convert(DType::f32);
  const int64_t at = labels.dtype() == DType::f32
                         ? first_beyond<float>(labels, -rounding, 1 + rounding)
                         : first_beyond<int32_t>(labels, -rounding, 1 + rounding);
  if (at == labels.size()) return false;
  // Once for each number, whichever epoch meets it first.
  publish_warning(str("label ", labels.number_at(at), " in '", batch.name(component),
                      "', expected a number from 0 to 1: no, yes, or in between. Hint: ",
                      hint.empty() ? usual : hint),
                  true);
  return true;
}

}  // namespace systolic::inline v0

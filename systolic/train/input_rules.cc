#include "systolic/train/input_rules.h"

#include <algorithm>
#include <optional>

#include "systolic/base/error.h"

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

template <class T>
std::optional<size_t> first_outside(const Literal& values, int64_t below) {
  const auto data = values.data<T>();
  const auto found = std::find_if(data.begin(), data.end(), [below](T value) {
    return value < 0 || static_cast<int64_t>(value) >= below;
  });
  if (found == data.end()) return std::nullopt;
  return static_cast<size_t>(found - data.begin());
}

std::optional<size_t> outside(const Literal& values, int64_t below) {
  if (values.dtype() == DType::i64) return first_outside<int64_t>(values, below);
  if (values.dtype() == DType::i32) return first_outside<int32_t>(values, below);
  for (int64_t i = 0; i < values.size(); ++i) {
    const int64_t value = values.integer_at(i);
    if (value < 0 || value >= below) return static_cast<size_t>(i);
  }
  return std::nullopt;
}

}  // namespace

void add_defaults(Example& batch, const std::vector<NetworkPort>& inputs) {
  if (inputs.size() < 2 || batch.empty()) return;
  if (!names_any(batch, inputs)) {
    const NetworkPort* input = only_required(inputs);
    if (input == nullptr) return;
    batch = first_renamed(batch, input->name);
  }
  const Literal* first = batch.find(inputs.front().name);
  if (first == nullptr) return;
  const Shape like = first->shape();
  for (const NetworkPort& input : inputs) {
    if (!input.rules.default_value || batch.contains(input.name)) continue;
    const Shape shape = known_shape(input.type.shape, like);
    const auto known = [](int64_t size) { return size >= 0; };
    if (!std::all_of(shape.begin(), shape.end(), known)) return;
    batch.set(input.name, Literal::filled(input.type.dtype, shape, *input.rules.default_value));
  }
}

void check_range(const Example& batch, size_t component, const InputRules& rules, int64_t number) {
  const Literal& values = batch.value(component);
  if (!rules.values_below || !is_integer(values.dtype()) || values.size() == 0) return;
  const std::optional<size_t> at = outside(values, *rules.values_below);
  if (!at) return;
  const auto index = static_cast<int64_t>(*at);
  raise<InvalidArgument>(
      {.what = str("value ", values.integer_at(index), " in '", batch.name(component), "', row ",
                   index / (values.size() / values.shape()[0]), " of batch ", number),
       .wanted = str("0 to ", *rules.values_below - 1, ": the model knows ", *rules.values_below),
       .hint = "prepare the data with the tokenizer that belongs to the model"});
}

}  // namespace systolic::inline v0

#include "systolic/train/batches/batch_layout.h"

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

bool has_all(const Example& element, const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return element.contains(name); });
}

// After the last where there is none.
size_t position(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

// Components in the order in which their names stand in `names`.
void sort_by_name(std::vector<size_t>& components, const Example& element,
                  const std::vector<std::string>& names) {
  std::sort(components.begin(), components.end(), [&](size_t a, size_t b) {
    return position(names, element.name(a)) < position(names, element.name(b));
  });
}

constexpr std::string_view weight_name = "sample_weight", own_weight = "sample_weight/";

bool is_weight(const std::string& name) {
  return name == weight_name || name.starts_with(own_weight);
}

// Each output's own, in the outputs' order; or the one for all.
void sort_weights(std::vector<size_t>& weights, const Example& element,
                  const std::vector<std::string>& output_names) {
  std::vector<std::string> wanted;
  for (const std::string& name : output_names) wanted.push_back(str(own_weight, name));
  const auto is_own = [&](size_t i) { return element.name(i) != weight_name; };
  if (std::none_of(weights.begin(), weights.end(), is_own)) return;
  sort_by_name(weights, element, wanted);
  std::vector<std::string> given;
  for (const size_t i : weights) given.push_back(element.name(i));
  if (given == wanted) return;
  raise<InvalidArgument>({.what = str("the dataset's elements have ", join(given)),
                          .wanted = str(join(wanted), "; or ", weight_name, " for all outputs"),
                          .hint = "an array of ones weighs an output evenly"});
}

// "1 label (labels)"
std::string labels_text(const OutputNames& names) {
  const size_t count = names.outputs.size();
  return str(count, count == 1 ? " label" : " labels",
             names.labels.empty() ? std::string() : str(" (", join(names.labels), ")"));
}

[[noreturn]] void raise_without_labels(const Example& element, const OutputNames& names) {
  const std::string any = names.labels.empty()
                              ? "zip() the inputs with the labels"
                              : str("elements {inputs, labels}, or one Example in which they are "
                                    "called ",
                                    join(names.labels));
  raise<InvalidArgument>(
      {.what = str("the dataset's elements are inputs without labels: ", to_string(element)),
       .wanted = str(labels_text(names), " besides"),
       .hint = names.hint_without_labels.empty() ? any : names.hint_without_labels});
}

[[noreturn]] void raise_misfit(const Example& element, const std::vector<std::string>& inputs,
                               const OutputNames& names) {
  std::string wanted = str(inputs.size() == 1 ? "the input " : "the inputs ", join(inputs));
  if (!names.outputs.empty())
    wanted += str(", then ", labels_text(names), ", then perhaps sample weights");
  raise<InvalidArgument>(
      {.what = str("the dataset's elements are ", to_string(element)),
       .wanted = std::move(wanted),
       .hint = "name the components after the model's inputs, or map() them into this order"});
}

// Those of the model's own names for labels, or "label" or "y" where it has one: what else there is
// does not count. Empty where the element does not have them.
std::vector<size_t> own_labels(const Example& element, const std::vector<std::string>& names) {
  std::vector<std::string> wanted = names;
  if (!has_all(element, names) && names.size() == 1)
    wanted = {element.contains("label") ? "label" : "y"};
  std::vector<size_t> labels;
  for (size_t i = 0; i < element.size(); ++i) {
    if (position(wanted, element.name(i)) < wanted.size()) labels.push_back(i);
  }
  if (labels.size() != wanted.size()) return {};
  return labels;
}

// What stands in a tuple has no name of its own: "x", "y", "x2" ...
bool is_unnamed(std::string_view name) {
  if (name == "y") return true;
  return name.starts_with('x') && name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

// Where a model names its labels, several components under other names: which of them is which
// label, or a weight, would be a guess.
void check_names(const Example& element, const std::vector<size_t>& rest,
                 const OutputNames& names) {
  if (names.labels.empty() || rest.size() < 2) return;
  std::vector<std::string> others, given;
  for (const size_t i : rest) {
    const std::string& name = element.name(i);
    given.push_back(str("'", name, "'"));
    const bool known = is_unnamed(name) || position(names.outputs, name) < names.outputs.size() ||
                       position(names.labels, name) < names.labels.size();
    if (!known) others.push_back(given.back());
  }
  if (others.empty()) return;
  raise<InvalidArgument>(
      {.what = str("the dataset's elements have ", join(given), " besides the inputs"),
       .wanted = str(names.labels.size() == 1 ? "the label " : "the labels ", join(names.labels),
                     ", or, by the outputs, ", join(names.outputs)),
       .hint = str("rename ", join(others), ", or leave out what is no label")});
}

// Labels or weights of an output that takes none, in elements that name labels by the outputs.
bool is_left_out(const Example& element, const std::string& name, const OutputNames& names) {
  const bool by_outputs =
      std::any_of(names.outputs.begin(), names.outputs.end(),
                  [&](const std::string& one) { return element.contains(one); });
  const std::string output = name.starts_with(own_weight) ? name.substr(own_weight.size()) : name;
  return by_outputs && position(names.without_labels, output) < names.without_labels.size();
}

// The inputs and weights in `layout`, and what is left, in the element's order.
std::vector<size_t> take_inputs_and_weights(BatchLayout& layout, const Example& element,
                                            const std::vector<std::string>& input_names,
                                            const OutputNames& names, bool by_name) {
  std::vector<size_t> rest;
  for (size_t i = 0; i < element.size(); ++i) {
    const std::string& name = element.name(i);
    if (by_name && position(input_names, name) < input_names.size()) {
      layout.inputs.push_back(i);
    } else if (is_left_out(element, name, names)) {
      continue;
    } else if (is_weight(name)) {
      layout.sample_weights.push_back(i);
    } else {
      rest.push_back(i);
    }
  }
  if (by_name) {
    sort_by_name(layout.inputs, element, input_names);
  } else if (!rest.empty()) {
    layout.inputs.push_back(rest.front());
    rest.erase(rest.begin());
  }
  return rest;
}

// Takes the weights from the end of `rest` where no name says that they are weights.
void take_unnamed_weights(BatchLayout& layout, std::vector<size_t>& rest, const Example& element,
                          const std::vector<std::string>& output_names) {
  const size_t outputs = output_names.size();
  if (layout.sample_weights.empty() && (rest.size() == outputs + 1 || rest.size() == 2 * outputs)) {
    const auto weights = rest.begin() + static_cast<std::ptrdiff_t>(outputs);
    layout.sample_weights.assign(weights, rest.end());
    rest.erase(weights, rest.end());
  } else {
    sort_weights(layout.sample_weights, element, output_names);
  }
}

// By the outputs' names, or by the model's own for labels, where all labels have such a name.
void sort_labels(std::vector<size_t>& labels, const Example& element, const OutputNames& names) {
  for (const std::vector<std::string>& known : {names.outputs, names.labels}) {
    const auto is_known = [&](size_t i) { return position(known, element.name(i)) < known.size(); };
    if (std::all_of(labels.begin(), labels.end(), is_known)) sort_by_name(labels, element, known);
  }
}

}  // namespace

BatchLayout BatchLayout::of(const Example& element, const std::vector<std::string>& input_names,
                            const OutputNames& names, bool wants_labels) {
  const size_t outputs = names.outputs.size();
  BatchLayout layout;
  const bool by_name = has_all(element, input_names);
  if (!by_name && input_names.size() > 1) raise_misfit(element, input_names, names);
  std::vector<size_t> rest = take_inputs_and_weights(layout, element, input_names, names, by_name);
  if (layout.inputs.size() != input_names.size()) raise_misfit(element, input_names, names);
  if (!wants_labels) return layout;
  if (rest.empty() && outputs > 0) raise_without_labels(element, names);
  if (by_name && !names.labels.empty()) {
    if (std::vector<size_t> own = own_labels(element, names.labels); !own.empty())
      rest = std::move(own);
    check_names(element, rest, names);
  }
  take_unnamed_weights(layout, rest, element, names.outputs);
  if (rest.size() != outputs) raise_misfit(element, input_names, names);
  layout.labels = std::move(rest);
  sort_labels(layout.labels, element, names);
  return layout;
}

BatchLayout BatchLayout::of_inputs(const Example& element,
                                   const std::vector<std::string>& input_names) {
  return of(element, input_names, {}, false);
}

std::vector<size_t> BatchLayout::order() const {
  std::vector<size_t> result = inputs;
  result.insert(result.end(), labels.begin(), labels.end());
  result.insert(result.end(), sample_weights.begin(), sample_weights.end());
  return result;
}

}  // namespace systolic::inline v0

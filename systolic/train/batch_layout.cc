#include "systolic/train/batch_layout.h"

#include <algorithm>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

bool has_all(const Example& element, const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return element.contains(name); });
}

[[noreturn]] void raise_misfit(const Example& element, const std::vector<std::string>& inputs,
                               size_t outputs) {
  raise<InvalidArgument>(
      {.what = str("the dataset's elements are ", to_string(element)),
       .wanted = str("the inputs ", join(inputs), ", then ", outputs,
                     outputs == 1 ? " label" : " labels", ", then perhaps sample weights"),
       .hint = "name the components after the model's inputs, or map() them into this order"});
}

}  // namespace

BatchLayout BatchLayout::of(const Example& element, const std::vector<std::string>& input_names,
                            size_t outputs, bool wants_labels) {
  BatchLayout layout;
  const bool by_name = has_all(element, input_names);
  if (!by_name && input_names.size() > 1) raise_misfit(element, input_names, outputs);
  std::vector<size_t> rest;
  for (size_t i = 0; i < element.size(); ++i) {
    const std::string& name = element.name(i);
    if (name == "sample_weight") {
      layout.sample_weight = i;
    } else if (by_name &&
               std::find(input_names.begin(), input_names.end(), name) != input_names.end()) {
      layout.inputs.push_back(i);
    } else {
      rest.push_back(i);
    }
  }
  if (by_name) {
    std::sort(layout.inputs.begin(), layout.inputs.end(), [&](size_t a, size_t b) {
      auto place = [&](size_t i) {
        return std::find(input_names.begin(), input_names.end(), element.name(i));
      };
      return place(a) < place(b);
    });
  } else if (!rest.empty()) {
    layout.inputs.push_back(rest.front());
    rest.erase(rest.begin());
  }
  if (layout.inputs.size() != input_names.size()) raise_misfit(element, input_names, outputs);
  if (!wants_labels) return layout;
  if (rest.size() == outputs + 1 && !layout.sample_weight) {
    layout.sample_weight = rest.back();
    rest.pop_back();
  }
  if (rest.size() != outputs) raise_misfit(element, input_names, outputs);
  layout.labels = rest;
  return layout;
}

std::vector<size_t> BatchLayout::order() const {
  std::vector<size_t> result = inputs;
  result.insert(result.end(), labels.begin(), labels.end());
  if (sample_weight) result.push_back(*sample_weight);
  return result;
}

}  // namespace systolic::inline v0

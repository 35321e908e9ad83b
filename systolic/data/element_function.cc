#include "systolic/data/element_function.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace data {

void check_array_count(const Example& element, size_t count) {
  if (element.size() == count) return;
  raise<InvalidArgument>(
      {.what = str("the function takes ", count, count == 1 ? " array" : " arrays",
                   ", the element has ", element.size(), ": ", element),
       .hint = "take (const Example&) and choose the arrays by their names"});
}

void raise_other_types(const Example& element, const std::vector<std::string>& wanted) {
  raise<InvalidArgument>(
      {.what = str("the function takes (", join(wanted), "), the element is ", element),
       .hint = "take the types that the element has, or (const Example&)"});
}

Example named_results(const Example& element, std::vector<Literal> results) {
  const bool same = element.size() == results.size();
  Example::Components components;
  for (size_t i = 0; i < results.size(); ++i) {
    std::string name = same ? element.name(i) : i == 0 ? "x" : i == 1 ? "y" : str("x", i);
    components.push_back({std::move(name), std::move(results[i])});
  }
  return Example(std::move(components));
}

Example named_result(const Example& element, Literal result) {
  return Example{{element.size() == 1 ? element.name(0) : "x", std::move(result)}};
}

Example named_result(const Example& element, std::pair<Literal, Literal> result) {
  const bool same = element.size() == 2;
  return Example{{same ? element.name(0) : "x", std::move(result.first)},
                 {same ? element.name(1) : "y", std::move(result.second)}};
}

}  // namespace data
}  // namespace systolic::inline v0

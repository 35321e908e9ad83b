// ops::rearrange: einops' patterns as a reshape, a transposition and a reshape.
#include <algorithm>
#include <map>
#include <string>

#include "systolic/base/error.h"
#include "systolic/ops/shapes.h"

namespace systolic::inline v0 {
namespace ops {
namespace {

// One axis a group: {"b"}, {"h", "w"}; "1" is a group of none.
using AxisGroups = std::vector<std::vector<std::string>>;

[[noreturn]] void raise_pattern(std::string_view pattern, const std::string& wrong, At at) {
  raise<InvalidArgument>({.what = str("rearrange with the pattern \"", pattern, "\": ", wrong),
                          .wanted = "axes by names, as \"b (h w) c -> b h w c\"",
                          .location = at});
}

AxisGroups groups_of(std::string_view side, std::string_view pattern, At at) {
  AxisGroups groups;
  bool inside = false;
  for (size_t i = 0; i < side.size();) {
    const char c = side[i];
    if (c == ' ') {
      ++i;
    } else if (c == '(' || c == ')') {
      if (inside == (c == '(')) raise_pattern(pattern, "brackets do not match", at);
      inside = c == '(';
      if (inside) groups.emplace_back();
      ++i;
    } else {
      const size_t end = std::min(side.find_first_of(" ()", i), side.size());
      const std::string name(side.substr(i, end - i));
      if (!inside) groups.emplace_back();
      if (name != "1") groups.back().push_back(name);
      i = end;
    }
  }
  if (inside) raise_pattern(pattern, "brackets do not match", at);
  return groups;
}

// The sizes of a group's axes, of which one may follow from the others.
void size_group(const std::vector<std::string>& group, int64_t whole,
                std::map<std::string, int64_t>& sizes, std::string_view pattern, At at) {
  int64_t known = 1;
  const std::string* unknown = nullptr;
  for (const std::string& name : group) {
    const auto found = sizes.find(name);
    if (found != sizes.end()) {
      known *= found->second;
    } else if (unknown == nullptr) {
      unknown = &name;
    } else {
      raise_pattern(pattern, str("the sizes of ", *unknown, " and ", name, " are not known"), at);
    }
  }
  if (known < 1 || whole % known != 0 || (unknown == nullptr && known != whole))
    raise_pattern(pattern, str("an axis of ", whole, " is no multiple of ", known), at);
  if (unknown != nullptr) sizes[*unknown] = whole / known;
}

std::vector<std::string> flat(const AxisGroups& groups) {
  std::vector<std::string> names;
  for (const auto& group : groups) names.insert(names.end(), group.begin(), group.end());
  return names;
}

}  // namespace

Tensor rearrange(const Tensor& x, std::string_view pattern,
                 const std::vector<std::pair<std::string, int64_t>>& given, At at) {
  const size_t arrow = pattern.find("->");
  if (arrow == std::string_view::npos) raise_pattern(pattern, "it has no ->", at);
  const AxisGroups from = groups_of(pattern.substr(0, arrow), pattern, at),
                   to = groups_of(pattern.substr(arrow + 2), pattern, at);
  if (static_cast<int>(from.size()) != x.rank())
    raise_pattern(pattern, str("the Tensor has ", x.rank(), " axes ", x.shape()), at);
  std::map<std::string, int64_t> sizes(given.begin(), given.end());
  for (size_t i = 0; i < from.size(); ++i)
    size_group(from[i], x.shape()[static_cast<int>(i)], sizes, pattern, at);
  const std::vector<std::string> before = flat(from), after = flat(to);
  std::vector<int64_t> split, joined;
  for (const std::string& name : before) split.push_back(sizes.at(name));
  std::vector<int> order;
  for (const std::string& name : after) {
    const auto found = std::find(before.begin(), before.end(), name);
    if (found == before.end() || std::count(after.begin(), after.end(), name) != 1 ||
        std::count(before.begin(), before.end(), name) != 1)
      raise_pattern(pattern, str(name, " does not stand once on each side"), at);
    order.push_back(static_cast<int>(found - before.begin()));
  }
  if (after.size() != before.size()) raise_pattern(pattern, "an axis is lost", at);
  for (const auto& group : to) {
    int64_t size = 1;
    for (const std::string& name : group) size *= sizes.at(name);
    joined.push_back(size);
  }
  const Tensor apart = v0::reshape(x, Shape(split), at);
  const Tensor moved = order.empty() ? apart : v0::transpose(apart, order, at);
  return v0::reshape(moved, Shape(joined), at);
}

}  // namespace ops
}  // namespace systolic::inline v0

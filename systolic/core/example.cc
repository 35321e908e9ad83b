#include "systolic/core/example.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {

Example::Example(Components components) : components_(std::move(components)) {
  const auto refuse = [](const std::string& name) {
    raise<InvalidArgument>(
        {.what = str("an element has the name '", name, "' twice"), .wanted = "different names"});
  };
  // A file may have a million names, a dataset's element has a few.
  constexpr size_t few = 16;
  if (components_.size() > few) {
    std::unordered_set<std::string_view> names;
    for (const Component& component : components_) {
      if (!names.insert(component.name).second) refuse(component.name);
    }
    return;
  }
  for (size_t i = 1; i < components_.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (components_[i].name == components_[j].name) refuse(components_[i].name);
    }
  }
}

const Literal* Example::find(std::string_view name) const {
  for (const Component& component : components_) {
    if (component.name == name) return &component.value;
  }
  return nullptr;
}

const Literal& Example::operator[](NameAt name) const& {
  if (const Literal* found = find(name.name)) return *found;
  const std::vector<std::string> closest = closest_names(name.name, names(), 1);
  raise<NotFound>({.what = str("the element has no '", name.name, "'"),
                   .got = empty() ? std::string("nothing in it") : join(names()),
                   .hint = closest.empty() ? "" : str("did you mean '", closest.front(), "'"),
                   .location = name.location});
}

const Literal& Example::only(SourceLocation location) const& {
  if (size() == 1) return components_.front().value;
  raise<InvalidArgument>({.what = str("an element of ", size(), " arrays ", to_string(*this)),
                          .wanted = "one array",
                          .hint = "choose one by its name",
                          .location = location});
}

void Example::raise_index(size_t i) const {
  raise<InvalidArgument>({.what = str("array ", i, " of the element ", to_string(*this)),
                          .wanted = str("an index below ", size())});
}

std::vector<std::string> Example::names() const {
  std::vector<std::string> result;
  for (const Component& component : components_) result.push_back(component.name);
  return result;
}

void Example::set(std::string_view name, Literal value) {
  for (Component& component : components_) {
    if (component.name == name) {
      component.value = std::move(value);
      return;
    }
  }
  components_.push_back({std::string(name), std::move(value)});
}

size_t Example::byte_size() const {
  size_t total = 0;
  for (const Component& component : components_) total += component.value.byte_size();
  return total;
}

bool operator==(const Example& a, const Example& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.name == y.name && x.value == y.value;
  });
}

std::string to_string(const Example& example) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : example) {
    parts.push_back(str(name, ": ", value.dtype(), value.shape()));
  }
  return str("{", join(parts), "}");
}

}  // namespace systolic::inline v0

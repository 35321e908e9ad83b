// Finding and adding the members of groups.
#include <algorithm>
#include <utility>

#include "systolic/base/text.h"
#include "systolic/io/hdf5/hdf5.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr size_t most_strings = 4032;  // of 16 bytes each in an attribute of 64,512

template <class Member>
auto* member_named(std::vector<Member>& members, std::string_view name) {
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& member) { return member.name == name; });
  return found == members.end() ? nullptr : &*found;
}
template <class Member>
const Member* member_named(const std::vector<Member>& members, std::string_view name) {
  return member_named(const_cast<std::vector<Member>&>(members), name);
}

const Literal* value_of(const std::vector<Hdf5Attribute>& attributes, std::string_view name) {
  const Hdf5Attribute* attribute = member_named(attributes, name);
  return attribute == nullptr ? nullptr : &attribute->value;
}

void set_value(std::vector<Hdf5Attribute>& attributes, std::string_view name, Literal value) {
  if (Hdf5Attribute* attribute = member_named(attributes, name)) {
    attribute->value = std::move(value);
  } else {
    attributes.push_back({std::string(name), std::move(value)});
  }
}

// What stands before the last '/', and after it.
std::pair<std::string_view, std::string_view> split_last(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {"", path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace

const Literal* Hdf5Dataset::attribute(std::string_view wanted) const {
  return value_of(attributes, wanted);
}
void Hdf5Dataset::set(std::string_view wanted, Literal value) {
  set_value(attributes, wanted, std::move(value));
}
const Literal* Hdf5Group::attribute(std::string_view wanted) const {
  return value_of(attributes, wanted);
}
void Hdf5Group::set(std::string_view wanted, Literal value) {
  set_value(attributes, wanted, std::move(value));
}

const Hdf5Group* Hdf5Group::find_group(std::string_view path) const {
  const Hdf5Group* group = this;
  for (const std::string& part : split(path, '/')) {
    group = member_named(group->groups, part);
    if (group == nullptr) return nullptr;
  }
  return group;
}

const Hdf5Dataset* Hdf5Group::find_dataset(std::string_view path) const {
  const auto [folder, wanted] = split_last(path);
  const Hdf5Group* group = find_group(folder);
  return group == nullptr ? nullptr : member_named(group->datasets, wanted);
}

Hdf5Group& Hdf5Group::add_group(std::string_view path) {
  Hdf5Group* group = this;
  for (std::string& part : split(path, '/')) {
    Hdf5Group* next = member_named(group->groups, part);
    if (next == nullptr) {
      next = &group->groups.emplace_back();
      next->name = std::move(part);
    }
    group = next;
  }
  return *group;
}

Hdf5Dataset& Hdf5Group::add_dataset(std::string_view path, DType dtype, Shape shape) {
  const auto [folder, last] = split_last(path);
  Hdf5Dataset& dataset = add_group(folder).datasets.emplace_back();
  dataset.name = last;
  dataset.dtype = dtype;
  dataset.shape = std::move(shape);
  return dataset;
}

std::optional<std::vector<std::string>> hdf5_strings(const Hdf5Group& group,
                                                     std::string_view name) {
  std::vector<std::string> strings;
  // Keras writes an empty list as numbers, of which there are none.
  auto append = [&](const Literal& list) {
    if (list.dtype() != DType::string) return;
    for (int64_t i = 0; i < list.size(); ++i) strings.emplace_back(list.string_at(i));
  };
  if (const Literal* list = group.attribute(name)) {
    append(*list);
    return strings;
  }
  const Literal* part = group.attribute(str(name, 0));
  if (part == nullptr) return std::nullopt;
  for (int64_t i = 1; part != nullptr; ++i) {
    append(*part);
    part = group.attribute(str(name, i));
  }
  return strings;
}

void set_hdf5_strings(Hdf5Group& group, std::string_view name,
                      const std::vector<std::string>& strings) {
  const std::span<const std::string> all(strings);
  if (all.size() <= most_strings) return group.set(name, Literal::strings(all));
  for (size_t begin = 0, part = 0; begin < all.size(); begin += most_strings, ++part) {
    const size_t count = std::min(most_strings, all.size() - begin);
    group.set(str(name, part), Literal::strings(all.subspan(begin, count)));
  }
}

}  // namespace io
}  // namespace systolic::inline v0

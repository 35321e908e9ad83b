#include "systolic/saving/keras/implicit_masks.h"

#include <vector>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace saving {
namespace {

constexpr int deepest_argument = 20;  // lists in lists

bool is_operation(const Config& entry) {
  const Config* module = entry.find("module");
  return module != nullptr && module->is_text() &&
         module->text_value().starts_with("keras.src.ops");
}

bool is_kind(const Config& entry, std::string_view kind) {
  const Config* found = entry.find("class_name");
  return found != nullptr && found->is_text() && found->text_value() == kind;
}

std::string entry_name(const Config& entry) {
  const Config* name = entry.find("name");
  if (name == nullptr && entry.find("config") != nullptr) name = entry["config"].find("name");
  return name != nullptr && name->is_text() ? name->text_value() : std::string();
}

// Where an array comes from, as text; "" for what is not an array.
std::string history_of(const Config& tensor) {
  if (!tensor.is_map() || !is_kind(tensor, "__keras_tensor__")) return {};
  return tensor["config"]["keras_history"].text();
}
std::string entry_of(const Config& tensor) {
  const Config::List& history = tensor["config"]["keras_history"].list();
  return history.empty() || !history[0].is_text() ? std::string() : history[0].text_value();
}

// The arrays in a value: itself, or those in a list or tuple.
template <class Visit>
void visit_arrays(const Config& value, const Visit& visit, int depth = 0) {
  if (depth > deepest_argument) return;
  if (value.is_list()) {
    for (const Config& item : value.list()) visit_arrays(item, visit, depth + 1);
  } else if (value.is_map() && is_kind(value, "__tuple__")) {
    visit_arrays(value["config"], visit, depth + 1);
  } else if (!history_of(value).empty()) {
    visit(value);
  }
}

// The layers of ["dense", 0, 0], or of a list or map of such.
template <class Visit>
void visit_names(const Config& places, const Visit& visit, int depth = 0) {
  if (depth > deepest_argument) return;
  if (places.is_text()) {
    visit(places.text_value());
  } else if (places.is_list()) {
    for (const Config& item : places.list()) visit_names(item, visit, depth + 1);
  } else if (places.is_map()) {
    for (const auto& entry : places.map()) visit_names(entry.second, visit, depth + 1);
  }
}

[[noreturn]] void raise_own_mask() {
  raise<Unimplemented>(
      {.what = "a layer called with a mask that the model computes or is given",
       .wanted = "masks of Masking{} or Embedding{.mask_zero = true}, which layers hand on"});
}

}  // namespace

template <class Visit>
void ImplicitMasks::visit_arguments(const Config& entry, const Visit& visit) {
  const Config* calls = entry.find("inbound_nodes");
  if (calls == nullptr || !calls->is_list()) return;
  for (const Config& call : calls->list()) {
    if (!call.is_map()) continue;
    if (const Config* args = call.find("args"))
      visit_arrays(*args, [&](const Config& tensor) { visit(tensor, std::string()); });
    const Config* kwargs = call.find("kwargs");
    if (kwargs == nullptr || !kwargs->is_map()) continue;
    for (const auto& one : kwargs->map())
      visit_arrays(one.second, [&](const Config& tensor) { visit(tensor, one.first); });
  }
}

ImplicitMasks::ImplicitMasks(const Config::List& entries, const Config& outputs) {
  for (const Config& entry : entries) {
    entries_[entry_name(entry)] = &entry;
    add_source(entry);
  }
  find_taken(outputs);
}

void ImplicitMasks::add_source(const Config& entry) {
  const Config* values = entry.find("config");
  const Config* mask_zero =
      values != nullptr && values->is_map() ? values->find("mask_zero") : nullptr;
  const bool of_zeros =
      is_kind(entry, "Embedding") && mask_zero != nullptr && *mask_zero == Config(true);
  if (!of_zeros && !is_kind(entry, "Masking")) return;
  visit_arguments(entry, [&](const Config& tensor, const std::string&) {
    sources_.insert(history_of(tensor));
  });
}

// What layers take as anything but a mask, the outputs, and what these are computed from.
void ImplicitMasks::find_taken(const Config& outputs) {
  std::vector<const Config*> open;
  const auto take_entry = [&](const std::string& name) {
    const auto found = entries_.find(name);
    if (found == entries_.end() || !is_operation(*found->second)) return;
    if (taken_.insert(found->first).second) open.push_back(found->second);
  };
  const auto take = [&](const Config& tensor, const std::string& argument) {
    if (argument != "mask") take_entry(entry_of(tensor));
  };
  visit_names(outputs, take_entry);
  for (const auto& [name, entry] : entries_) {
    if (!is_operation(*entry)) visit_arguments(*entry, take);
  }
  while (!open.empty()) {
    const Config* entry = open.back();
    open.pop_back();
    visit_arguments(*entry, take);
  }
}

bool ImplicitMasks::only_makes_masks(const Config& entry) const {
  return is_operation(entry) && taken_.count(entry_name(entry)) == 0;
}

void ImplicitMasks::check(const Config& mask) const {
  std::set<std::string> seen;
  std::vector<const Config*> open;
  const auto add = [&](const Config& tensor) {
    const auto found = entries_.find(entry_of(tensor));
    if (found == entries_.end() || !is_operation(*found->second)) raise_own_mask();
    if (seen.insert(found->first).second) open.push_back(found->second);
  };
  visit_arrays(mask, add);
  while (!open.empty()) {
    const Config& entry = *open.back();
    open.pop_back();
    // These ask only for the shape of what they are given.
    if (is_kind(entry, "ZerosLike") || is_kind(entry, "OnesLike")) continue;
    visit_arguments(entry, [&](const Config& tensor, const std::string&) {
      if (!is_kind(entry, "NotEqual")) return add(tensor);
      if (sources_.count(history_of(tensor)) == 0) raise_own_mask();
    });
  }
}

}  // namespace saving
}  // namespace systolic::inline v0

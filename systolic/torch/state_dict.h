// The values of a module's parameters and buffers under their names, on the host, in the order in
// which they were registered (Module.state_dict).
//
//   torch::StateDict state = model.state_dict();
//   state.at("fc.weight")                          // a Literal, (out, in)
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace torch {

class StateDict {
 public:
  using Entry = std::pair<std::string, Literal>;

  StateDict() = default;
  StateDict(std::vector<Entry> entries) : entries_(std::move(entries)) {}  // NOLINT: they are it

  // Replaces an entry of that name.
  void set(std::string name, Literal value);
  // nullptr where there is none.
  const Literal* find(std::string_view name) const;
  // NotFound, with the closest names, where there is none.
  const Literal& at(std::string_view name,
                    SourceLocation location = SourceLocation::current()) const;

  const std::vector<Entry>& entries() const { return entries_; }
  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  friend bool operator==(const StateDict&, const StateDict&) = default;

 private:
  std::vector<Entry> entries_;
};

}  // namespace torch
}  // namespace systolic::inline v0

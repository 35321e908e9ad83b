// The variables whose old values the program of one step may overwrite. Internal.
//
// A program takes the memory of an argument only where its caller holds the last reference. A
// variable's old value is also held by the variable and by the trace that read it: whoever runs the
// program has them let go when it is about to run, and gives the variables the new values
// afterwards, or after a failure what they had.
//
//   donated.let_go();
//   try { results = executable.execute(std::move(arguments)); }
//   catch (const std::exception& error) { donated.give_back(arguments, error.what()); throw; }
//   donated.hold(results);
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "systolic/runtime/buffer.h"
#include "systolic/trace/variable_state.h"

namespace systolic::inline v0 {

class DonatedVariables {
 public:
  struct Entry {
    std::shared_ptr<VariableState> variable;
    runtime::BufferPtr* snapshot = nullptr;  // the trace's reference to the old value
    size_t argument = 0, result = 0;         // of the program
  };
  void add(Entry entry) { entries_.push_back(std::move(entry)); }
  bool empty() const { return entries_.empty(); }

  // The three below are called under variables_mutex(), which is held from the first to the last.
  void let_go();
  void hold(const std::vector<runtime::BufferPtr>& results) const;
  // A variable whose memory the program had begun to overwrite remembers the failure.
  void give_back(const std::vector<runtime::BufferPtr>& arguments, std::string_view failure) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace systolic::inline v0

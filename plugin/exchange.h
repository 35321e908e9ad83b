// What the processes tell each other before they run one program together.
//
// Where each computes its share (processes/share.h), it has its pieces of the arguments that are
// cut, and keeps pieces of results. Otherwise each computes the whole program, as one process does
// for all of its devices, and keeps the whole of its results; then it needs the parts of arguments
// that lie on the devices of others. Those come by an all_gather, except for what all have whole
// already: arrays that every device holds whole, and results of an earlier run of all, which are
// known by a number. What is whole has the same bits everywhere.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "plugin/client.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace plugin {

// How the devices of a program, by place in its assignment, lie on the processes.
struct Span {
  Span(const Client& client, const std::vector<int64_t>& devices);

  std::vector<int> processes;               // that have devices of it, ascending
  std::vector<std::vector<size_t>> places;  // [of those][device]
  std::vector<size_t> own;                  // the places of this process's devices
  bool several() const { return processes.size() > 1; }
  size_t most_devices() const;  // of one process
};

// One argument in a run of several processes.
struct ExchangedArgument {
  // Equal in all processes for arrays that all have; 0 for one whose parts must travel.
  uint64_t number = 0;
  ir::Type part;                    // of one device
  std::vector<Literal> own = {};    // of this process's devices, where it travels
  std::vector<Literal> parts = {};  // of all, by place in the assignment; afterwards
  bool travels = false;             // afterwards
};

// Ends by an error in all processes where one of them says `failed`, or runs another program, and
// in one where a shared program failed before: the others may stand elsewhere.
class Exchange {
 public:
  Exchange(ProcessGroup& group, const Span& span, std::string program);

  // What all say of their arguments; sets `travels` of each. `failed`: this process cannot run it.
  void agree(std::vector<ExchangedArgument>& arguments, bool failed);
  // The parts of one that travels.
  void gather(ExchangedArgument& argument);
  // A number for a result of this run.
  uint64_t number_of_result(size_t result) const;

 private:
  std::vector<uint64_t> gathered(const std::vector<uint64_t>& own);

  ProcessGroup& group_;
  const Span& span_;
  const std::string program_;
  uint64_t run_ = 0;
};

}  // namespace plugin
}  // namespace systolic::inline v0

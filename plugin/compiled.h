// A compiled program with everything that callers ask about it.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugin/client.h"
#include "plugin/processes/share.h"
#include "plugin/program/compile_options.h"
#include "plugin/program/signature.h"
#include "systolic/runtime/executable.h"

namespace systolic::inline v0 {
namespace plugin {

struct Compiled {
  std::string name;
  Layout layout;
  Signature signature;
  runtime::ClientPtr engine;
  int64_t cores = 1;  // that have arrays of their own in the program
  size_t devices_per_copy() const { return layout.size() / static_cast<size_t>(cores); }
  // Processes that each compute a share of it (processes/share.h), of which this is one; 1: each
  // computes the whole.
  int64_t shares = 1, own_share = 0;
  // The engine divides temporaries by all cores, those of one share by so many times too many.
  int64_t times_temporaries = 1;
  // The piece of an argument or a result that this process has.
  Piece piece_of(const Port& port) const;
  // What serialize() returns: the program as it came, with its options.
  std::string serialized;
  std::string fingerprint, assignment, hlo;
  // Where devices that are run one by one must meet: equal for equal programs, however named.
  std::string meeting_key;

  // The results, as arrays of the C interface.
  std::vector<abi::ElementType> output_types;
  std::vector<int64_t> output_dims;
  std::vector<size_t> output_ranks;
  std::vector<const char*> output_memories;
  std::vector<size_t> output_memory_sizes;
  std::vector<abi::NamedValue> costs;

  // For a program for several replicas, none of which asks for anything of another: the program of
  // one, for callers that run replicas one by one. The program for all is compiled when first run.
  std::shared_ptr<const Compiled> alone;
  const runtime::ExecutablePtr& program() const;
  // For one device.
  runtime::MemoryStats memory() const;
  runtime::CostStats cost() const;

  void set_program(ir::Module module, bool now);

 private:
  mutable std::mutex mutex_;
  mutable std::optional<ir::Module> module_;  // still to be compiled
  mutable runtime::ExecutablePtr program_;
};
using CompiledPtr = std::shared_ptr<const Compiled>;

CompiledPtr compile(Client& client, std::string_view format, std::string_view program,
                    std::string_view options);
// From Compiled::serialized; InvalidArgument for any other text.
CompiledPtr compile_serialized(Client& client, std::string_view serialized);

}  // namespace plugin
}  // namespace systolic::inline v0

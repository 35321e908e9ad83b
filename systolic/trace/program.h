// A traced program with its inputs, ready to run: what `function`, fit and strategy.run make of C++
// code.
//
// Tracing runs the C++ code once on symbolic Tensors. Variables that it reads become arguments,
// those that it assigns also results whose memory is donated; buffers that it uses from outside are
// captured.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/runtime/client.h"
#include "systolic/trace/tensor.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {

struct ProgramOptions {
  std::string name = "function";
  int64_t replicas = 1;    // > 1: the per-core form
  int64_t partitions = 1;  // > 1: the global form; parameters carry shardings
};

struct ProgramParameter {
  ir::Type type;  // per-core form: one core's
  ir::Parameter parameter = {};
};

class Program {
 public:
  using Body = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

  // Traces `body` on the calling thread.
  Program(const std::vector<ProgramParameter>& parameters, const Body& body,
          ProgramOptions options);

  const ir::Module& module() const { return module_; }
  // Types of what `body` returned.
  std::vector<ir::Type> result_types() const;

  // Compiles for the default client, if that has not been done. Thread-safe, as run() is.
  runtime::ExecutablePtr compile();
  // Runs on the default client: variables are read and updated. One buffer a parameter in, one a
  // result out. When it throws, the variables keep the values that they had before; one whose
  // memory was already being overwritten says so, and where, when it is read.
  std::vector<runtime::BufferPtr> run(std::vector<runtime::BufferPtr> parameters,
                                      const runtime::ExecuteOptions& options = {});

  // The variables that the program reads or assigns, in the order of its arguments.
  std::vector<std::shared_ptr<VariableState>> variables() const;

 private:
  struct Assigned {
    std::shared_ptr<VariableState> variable;
    size_t result;  // position among main()'s results
  };

  void finish(Trace& trace, const std::vector<Tensor>& results);
  void finish_host_loop(Trace& trace, const std::vector<Tensor>& results);
  int64_t rounds(const std::vector<runtime::BufferPtr>& parameters) const;
  std::vector<runtime::BufferPtr> run_once(std::vector<runtime::BufferPtr> parameters,
                                           int64_t round, const runtime::ExecuteOptions& options);
  std::vector<runtime::BufferPtr> given_arguments(std::vector<runtime::BufferPtr> parameters,
                                                  int64_t round);
  void add_state(std::vector<runtime::BufferPtr>& arguments);
  void give_back(std::vector<runtime::BufferPtr>& arguments, std::string_view failure);

  ProgramOptions options_;
  ir::Module module_;
  std::vector<TraceInput> inputs_;
  std::vector<Assigned> assigned_;
  size_t result_count_ = 0;
  // The program is one round of a loop on the host (for_range over an iterator).
  bool host_loop_ = false;
  size_t round_input_ = 0;
  int64_t constant_rounds_ = -1;
  size_t rounds_parameter_ = 0;  // where constant_rounds_ is -1
  std::mutex compile_mutex_;     // what follows
  runtime::ClientPtr client_;
  runtime::ExecutablePtr executable_;
};

}  // namespace systolic::inline v0

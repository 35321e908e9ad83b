// A traced program with its inputs, ready to run: what `function`, fit and strategy.run make from
// C++ code.
//
// Tracing runs the C++ code once on symbolic Tensors. Variables that it reads become arguments,
// those that it assigns also become results whose memory is donated; buffers that it uses from
// outside are captured.
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
  runtime::SplitProducts split_products = runtime::SplitProducts::none;
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

  // Equal for programs with equal ops.
  std::string structure_key() const;
  // Types of what `body` returned.
  std::vector<ir::Type> result_types() const;

  // The program as it is compiled. Unimplemented for a program of several pieces (with a loop that
  // takes batches).
  const ir::Module& whole_module() const;

  // Compiles for the default client, if that has not been done. Thread-safe, as run() is.
  void compile();
  // Milliseconds that compilation took.
  double compile_ms();
  // Runs on the default client: variables are read and updated. One buffer per parameter in, one
  // per result out. When it throws, the variables keep the values that they had before; reading one
  // whose memory was already being overwritten is an error that says so, and where.
  std::vector<runtime::BufferPtr> run(std::vector<runtime::BufferPtr> parameters,
                                      const runtime::ExecuteOptions& options = {});

  // The variables that the program reads or assigns, in the order of its arguments.
  std::vector<std::shared_ptr<VariableState>> variables() const;

 private:
  using Buffers = std::vector<runtime::BufferPtr>;
  struct Assigned {
    std::shared_ptr<VariableState> variable;
    size_t result;  // position among main()'s results
  };
  // What runs in one go: all of the program, except for programs that take batches in a loop.
  struct Piece {
    ir::Module module;
    std::vector<TraceInput> inputs;
    std::vector<Assigned> assigned;
    size_t result_count = 0;  // besides variables
    TraceSegment segment;     // whether it is a loop; its trace is gone
    runtime::ExecutablePtr executable = {};
  };
  // What the pieces have computed for later ones, and what the caller gave.
  struct Run {
    Buffers parameters;
    std::vector<Buffers> results;  // by piece
    const runtime::ExecuteOptions& options;
  };

  void finish(TraceSegments& segments, const std::vector<Tensor>& results);
  static Piece make_piece(const TraceSegment& segment, const std::vector<ir::ValueId>& results);
  void mark_uniform();
  int64_t rounds(const Piece& piece, const Run& run) const;
  Buffers run_piece(Piece& piece, const Run& run, int64_t round);
  runtime::ExecutablePtr executable_of(const Piece& piece);
  void compile_for(const runtime::ClientPtr& client);
  static Buffers given_arguments(const Piece& piece, const Run& run, int64_t round);
  static void add_state(Piece& piece, Buffers& arguments);
  static void give_back(const Piece& piece, Buffers& arguments, std::string_view failure);
  static runtime::BufferPtr given(const TraceInput& input, const Run& run);

  ProgramOptions options_;
  std::vector<Piece> pieces_;
  std::mutex compile_mutex_;  // what follows, and the pieces' executables
  runtime::ClientPtr client_;
};

}  // namespace systolic::inline v0

// systolic run: a program of a file, once or several times, on a backend.
#include <algorithm>
#include <filesystem>
#include <ostream>

#include "systolic/base/error.h"
#include "systolic/base/stopwatch.h"
#include "systolic/core/example.h"
#include "systolic/io/tensors/npy.h"
#include "systolic/runtime/open_client.h"
#include "systolic/stablehlo/import/check_cores.h"
#include "systolic/stablehlo/import/import.h"
#include "tools/systolic/commands.h"
#include "tools/systolic/program_file.h"
#include "tools/systolic/run_inputs.h"

namespace tool {
namespace {

using namespace systolic;

// An argument that has no open size, and that the engine has arrays of as it is written.
bool is_known(const stablehlo::Type& type) {
  return type.kind == stablehlo::Type::Kind::tensor && type.quantization == nullptr &&
         stablehlo::info(type.element).dtype.has_value() &&
         std::find(type.dims.begin(), type.dims.end(), stablehlo::dynamic_size) == type.dims.end();
}

// Sizes that the text leaves open are those of the arrays given.
std::vector<ir::Type> types_of(const stablehlo::Program& program,
                               const std::vector<InputSpec>& inputs) {
  const stablehlo::Function& main = program.entry();
  std::vector<ir::Type> types;
  for (size_t i = 0; i < main.body.arguments.size(); ++i) {
    const stablehlo::Type& written = program.type(main.type(main.body.arguments[i]));
    if (is_known(written)) {
      types.push_back({*stablehlo::info(written.element).dtype, Shape(written.dims)});
      continue;
    }
    const bool given = i < inputs.size() && inputs[i].kind == InputSpec::Kind::array;
    if (!given) {
      raise<InvalidArgument>({.what = str("argument ", i, " of a program whose sizes are open"),
                              .wanted = "an array that says them: --input FILE.npy"});
    }
    const Literal& array = inputs[i].array;
    const auto& wanted = stablehlo::info(written.element).dtype;
    if (wanted.has_value() && *wanted != array.dtype()) {
      raise<InvalidArgument>({.what = str("argument ", i, " of a program whose sizes are open"),
                              .got = str(to_string(array.dtype()), to_string(array.shape())),
                              .wanted = str("an array of ", to_string(*wanted))});
    }
    types.push_back({array.dtype(), array.shape()});
  }
  return types;
}

// The program, and whether each core has arrays of its own: its arguments and results then have a
// leading axis of cores.
struct Loaded {
  ir::Module module;
  bool per_core = false;
};

// One that partitions are to be made of is run whole; where a part of it is written per core, on as
// many cores as that part is for, with equal arrays outside of it.
Loaded load(const stablehlo::Program& program, const std::vector<InputSpec>& inputs) {
  stablehlo::ImportOptions options;
  options.partitions = stablehlo::manual_cores(program);
  if (stablehlo::has_open_sizes(program)) options.arguments = types_of(program, inputs);
  Loaded loaded{stablehlo::import_module(program, options)};
  const bool own = loaded.module.num_replicas > *options.partitions;
  loaded.per_core = own;
  for (ir::Parameter& argument : loaded.module.main().arguments) argument.uniform = !own;
  return loaded;
}

std::vector<Literal> arguments_of(const Loaded& loaded, const std::vector<InputSpec>& inputs) {
  const ir::Module& module = loaded.module;
  const ir::Function& main = module.main();
  const size_t count = main.body.arguments.size();
  if (inputs.size() > count) {
    raise<InvalidArgument>(
        {.what = str(inputs.size(), " inputs"), .wanted = str(count, ", the arguments of main")});
  }
  std::vector<Literal> arguments;
  for (size_t i = 0; i < count; ++i) {
    ir::Type type = main.type(main.body.arguments[i]);
    if (loaded.per_core) type.shape = type.shape.with_inserted(0, module.num_replicas);
    arguments.push_back(make_input(i < inputs.size() ? inputs[i] : InputSpec{}, type, i));
  }
  return arguments;
}

// What the results look like, without all of their numbers.
void print_results(const std::vector<Literal>& results, std::ostream& out) {
  constexpr int64_t most_elements = 64;
  for (size_t i = 0; i < results.size(); ++i) {
    const Literal& result = results[i];
    out << "result " << i << ": " << to_string(result.dtype()) << to_string(result.shape());
    if (result.size() <= most_elements) {
      out << "\n" << to_string(result) << "\n";
    } else {
      out << ", " << with_commas(result.size()) << " numbers (--output FILE.npz saves them)\n";
    }
  }
}

// Before a run that may be long.
void check_output(const std::string& file) {
  constexpr std::string_view ending = ".npz";
  const bool fits = file.size() > ending.size() &&
                    std::string_view(file).substr(file.size() - ending.size()) == ending;
  if (file.empty()) return;
  if (!fits) {
    raise<WrongUsage>(
        {.what = str("--output ", file), .wanted = "a name that ends in .npz, NumPy's archive"});
  }
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::error_code none;
  if (folder.empty() || std::filesystem::is_directory(folder, none)) return;
  raise<NotFound>({.what = str("--output ", file, ": there is no folder '", folder.string(), "'")});
}

void save_results(const std::string& file, const std::vector<Literal>& results) {
  Example arrays;
  for (size_t i = 0; i < results.size(); ++i) arrays.set(str("result_", i), results[i]);
  io::write_npz(file, arrays);
}

}  // namespace

int run_program(const RunOptions& options, std::ostream& out) {
  check_output(options.output);
  const std::vector<InputSpec> inputs = parse_inputs(options.inputs);
  const Loaded loaded = load(program_of_file(options.file), inputs);
  const ir::Module& module = loaded.module;
  const std::vector<Literal> arguments = arguments_of(loaded, inputs);
  const auto client = runtime::open_client({.backend = options.backend,
                                            .tpu = options.tpu,
                                            .cores = static_cast<int>(module.num_replicas)});
  const auto executable = client->compile(module, {.name = options.file});
  runtime::Placement placement;
  if (loaded.per_core) placement.kind = runtime::Placement::Kind::per_core;
  std::vector<Literal> results;
  double best = 0;
  for (int run = 0; run < options.repeat; ++run) {
    std::vector<runtime::BufferPtr> buffers;
    for (const Literal& argument : arguments) {
      buffers.push_back(client->from_host(argument, placement));
    }
    const Stopwatch watch;
    results.clear();
    for (const runtime::BufferPtr& buffer : executable->execute(std::move(buffers))) {
      results.push_back(loaded.per_core ? buffer->to_literal() : buffer->core_literal(0));
    }
    const double taken = watch.milliseconds();
    best = run == 0 ? taken : std::min(best, taken);
  }
  print_results(results, out);
  if (!options.output.empty()) save_results(options.output, results);
  out << "ran on " << client->platform() << ", " << module.num_replicas
      << (module.num_replicas == 1 ? " core" : " cores") << ": compiled in "
      << fixed(executable->compile_ms(), 1) << " ms, ran in " << fixed(best, 2) << " ms"
      << (options.repeat > 1 ? str(" (best of ", options.repeat, ")") : "") << "\n";
  return 0;
}

}  // namespace tool

// systolic: a look at what training reads, writes and runs on.
//
//   systolic tpus
//   systolic records .cache/mnist/digits/train-*.tfrec
//   systolic arrays mnist.safetensors
//   systolic conformance stablehlo/testdata --backend cpu
//   systolic devices
//   systolic doctor
//   systolic compile --topology v5e:2x4 train_step.mlir
#include <CLI/CLI.hpp>
#include <iostream>
#include <map>

#include "systolic/base/error.h"
#include "tools/conformance/conformance.h"
#include "tools/systolic/commands.h"

namespace {

constexpr int error_code = 1, usage_code = 2;

// --effort N: how hard the compiler tries.
void add_compile_options(CLI::App& command, systolic::runtime::TpuCompileOptions& options) {
  using systolic::runtime::CompileEffort;
  static const std::map<std::string, CompileEffort> efforts = {
      {"0", CompileEffort::o0},
      {"1", CompileEffort::o1},
      {"2", CompileEffort::o2},
      {"3", CompileEffort::o3},
      {"default", CompileEffort::standard}};
  command.add_option("--topology", options.topology, "v2-8 to tpu7x:2x2x1; `systolic tpus`")
      ->capture_default_str();
  command.add_option("--effort", options.effort, "0 (fastest) to 3, or default")
      ->transform(CLI::CheckedTransformer(efforts));
  command.add_option("--deadline", options.deadline_seconds, "seconds")->capture_default_str();
  command.add_option("--libtpu", options.library, "libtpu.so (default: the one that is found)");
}

int run(int argc, char** argv) {
  CLI::App app("A look at what Systolic trains with", "systolic");
  app.require_subcommand(1);
  std::vector<std::string> files;
  std::string file;
  bool gzip = false;
  const auto* tpus = app.add_subcommand("tpus", "the TPUs that programs can ask for");
  const auto* devices = app.add_subcommand("devices", "the devices that open here");
  const auto* doctor =
      app.add_subcommand("doctor", "what is here to run on, and what is wrong with it");
  auto* records = app.add_subcommand("records", "check TFRecord files, and show the first record");
  records->add_option("FILE", files)->required();
  records->add_flag("--gzip", gzip, "the files are compressed");
  auto* arrays =
      app.add_subcommand("arrays", "list the arrays of a .safetensors, .npz or .npy file");
  arrays->add_option("FILE", file)->required();
  std::string backend = "interpreter", only;
  auto* conformance =
      app.add_subcommand("conformance", "run a folder of StableHLO test programs (.mlir)");
  conformance->add_option("DIR", file)->required();
  conformance->add_option("--backend", backend, "interpreter or cpu")->capture_default_str();
  conformance->add_option("--only", only, "run the files whose path holds this text");
  systolic::runtime::TpuCompileOptions compile_options;
  auto* compile = app.add_subcommand(
      "compile", "compile a StableHLO file with a TPU's compiler, without a TPU");
  compile->add_option("FILE", file)->required();
  add_compile_options(*compile, compile_options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage_code;
  }
  if (*tpus) return tool::list_tpus(std::cout);
  if (*devices) return tool::list_devices(std::cout);
  if (*doctor) return tool::doctor(std::cout);
  if (*records) return tool::check_records(files, gzip, std::cout);
  if (*conformance) return tool::run_conformance(file, backend, only, std::cout);
  if (*compile) return tool::compile(file, compile_options, std::cout);
  return tool::list_arrays(file, std::cout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const systolic::Error& error) {
    std::cerr << error.kind() << ": " << error.what() << "\n";
  } catch (const std::exception& error) {
    std::cerr << "systolic: " << error.what() << "\n";
  }
  return error_code;
}

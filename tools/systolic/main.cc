// systolic: a look at what training reads, writes and runs on.
//
//   systolic tpus
//   systolic records .cache/mnist/digits/train-*.tfrec
//   systolic arrays mnist.safetensors
#include <CLI/CLI.hpp>
#include <iostream>

#include "systolic/base/error.h"
#include "tools/systolic/commands.h"

namespace {

constexpr int error_code = 1, usage_code = 2;

int run(int argc, char** argv) {
  CLI::App app("A look at what Systolic trains with", "systolic");
  app.require_subcommand(1);
  std::vector<std::string> files;
  std::string file;
  bool gzip = false;
  const auto* tpus = app.add_subcommand("tpus", "the TPUs that programs can ask for");
  auto* records = app.add_subcommand("records", "check TFRecord files, and show the first record");
  records->add_option("FILE", files)->required();
  records->add_flag("--gzip", gzip, "the files are compressed");
  auto* arrays =
      app.add_subcommand("arrays", "list the arrays of a .safetensors, .npz or .npy file");
  arrays->add_option("FILE", file)->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : usage_code;
  }
  if (*tpus) return tool::list_tpus(std::cout);
  if (*records) return tool::check_records(files, gzip, std::cout);
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

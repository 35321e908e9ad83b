// Asking a program for a dry run instead of training.
//
//   int main(int argc, char** argv) {
//     plan::parse_command_line(argc, argv);       // ./my_train --plan v5e:2x4 --batches 8,16,128
//     ...                                         // the program as it is
//     model.fit(train, {.epochs = 5});            // prints the plan and ends the program
//   }
//
// The program runs on the software TPU of the planned kind, up to its first training step: the step
// that fit traces, or the first program of the custom loop that updates variables of a model. The
// TPU's own compiler compiles that program; nothing is trained.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/plan/network.h"
#include "systolic/runtime/tpu_compiler.h"

namespace systolic::inline v0 {
namespace plan {

struct Request {
  std::string topology = "v3-8";      // any spelling that parse_tpu_kind knows
  std::vector<int64_t> batches = {};  // of a core: a row of the table for each; none: no table
  // The lowest effort takes a seventh of the default's time, and gives the same memory to within a
  // few percent.
  runtime::CompileEffort effort = runtime::CompileEffort::o0;
  int most_compilations = 6;      // of the search for the largest batch that fits; 0: no search
  double deadline_seconds = 900;  // of one compilation
  std::string library = "";       // libtpu.so; "": the one that is found
  std::string json_file = "";     // written in addition to what is printed; "": none
  // So many processes, each on such a slice, over this network; 1: nothing is predicted.
  int64_t processes = 1;
  std::optional<Network> network = {};
};

// Removes `--plan TOPOLOGY`, `--batches 8,16`, `--effort 0`, `--plan-json FILE`, and `--processes
// 64 --network 25Gbit` from a command line ("--plan=v5e:2x4" is the same). Without --plan nothing
// is taken. A value that is missing or wrong is an InvalidArgument that names the flag.
void parse_command_line(int& argc, char** argv);

// The dry run that this process was asked for; nothing: train. Set before the first client opens.
const std::optional<Request>& requested();
void request(std::optional<Request> request);

// "8,16,128": whole numbers above 0, for the flag `flag`.
std::vector<int64_t> parse_batches(const std::string& text, const std::string& flag = "--batches");
// One of the two without the other is an InvalidArgument.
void set_network(Request& request, const std::optional<std::string>& processes,
                 const std::optional<std::string>& network);
// "0" to "3" or "default".
runtime::CompileEffort parse_effort(const std::string& text, const std::string& flag = "--effort");
std::string to_string(runtime::CompileEffort effort);

}  // namespace plan
}  // namespace systolic::inline v0

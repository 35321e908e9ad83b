// systolic tpu: the `gcloud` lines by which a Cloud TPU VM is made, reached and used.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace tool::project {

struct TpuVm {
  std::string name = "systolic", zone = "us-central1-b";
  std::string type = "v3-8";  // accelerator type as Cloud TPU spells it: v3-8, v5litepod-8, v6e-8
  std::string version;        // of the VM's system; "": the one for the type
  std::string tarball;        // of ./run package; create copies it there
  bool spot = false;          // cheaper, and may be taken back at any time
  bool yes = false;           // run the lines, after printing them
};

// The lines, as they would be typed. InvalidArgument for a type that no TPU has.
std::vector<std::string> create_lines(const TpuVm& vm);
std::vector<std::string> ssh_lines(const TpuVm& vm);
// Copies the program to each worker and runs it there. Cloud's own environment tells the processes
// who they are.
std::vector<std::string> run_lines(const TpuVm& vm, const std::vector<std::string>& program);
std::vector<std::string> delete_lines(const TpuVm& vm);

// Prints the lines; with `yes` runs one after the other, and ends with the first that fails: its
// exit code is the result.
int say_or_run(const std::vector<std::string>& lines, bool yes, std::ostream& out);

}  // namespace tool::project

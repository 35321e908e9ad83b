// What opens on this machine, for people to read: `systolic devices` and `systolic doctor`.
// Declared here, defined in systolic/backends.cc: a program that links systolic_backends has it.
#pragma once

#include <string>
#include <vector>

namespace systolic::inline v0 {
namespace runtime {

// A PJRT plugin that was found, and what happened when it was opened.
struct PluginReport {
  std::string platform;  // "tpu", "cuda", "pjrt" of SYSTOLIC_BACKEND's, or the name that
                         // PJRT_NAMES_AND_LIBRARY_PATHS gives
  std::string path;
  std::string from;       // the variable or the folder that led there
  std::string version;    // of PJRT: "0.116"; "" where it does not load
  std::string stablehlo;  // "1.23.0"; "" where it does not say
  std::vector<std::string>
      devices;          // "TPU v3: TPU_0(process=0,(0,0,0,0))"; empty: it does not open
  std::string problem;  // why it does not load or open
};

// Loads and opens every plugin that is found, each in a child process: a plugin that crashes or
// hangs is reported like any other.
std::vector<PluginReport> inspect_plugins(double deadline_seconds = 90);

// A process that has the TPU's device or library open.
struct TpuHolder {
  int process = 0;
  std::string command;
  std::string what;  // "/dev/accel0", "libtpu.so"
};
std::vector<TpuHolder> tpu_holders();

// The device file that shows that this machine has a TPU: "/dev/accel0"; "": none.
std::string tpu_hardware();

}  // namespace runtime
}  // namespace systolic::inline v0

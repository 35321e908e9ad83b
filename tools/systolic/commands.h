// The commands of the tool. Each prints to `out` and throws what it cannot do; the result is the
// exit code.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "systolic/runtime/tpu_compiler.h"

namespace tool {

// The TPUs that programs can ask for, with what one core has.
int list_tpus(std::ostream& out);

// Reads every record of TFRecord files and checks both checksums: how many there are, and the
// features of the first. Damaged records are reported and counted; 1 where there are any.
int check_records(const std::vector<std::string>& files, bool gzip, std::ostream& out);

// The arrays of a .safetensors, .npz or .npy file: name, type, shape, bytes.
int list_arrays(const std::string& file, std::ostream& out);

// Compiles a StableHLO file with a TPU's own compiler, no TPU needed: what a core's memory holds,
// and how much work a run is.
int compile(const std::string& file, const systolic::runtime::TpuCompileOptions& options,
            std::ostream& out);

// The devices that open here, of every PJRT plugin that is found, and the software TPU.
int list_devices(std::ostream& out);

// What is here and what is wrong with it: the TPU, plugins with their versions, the variables that
// matter, who holds the TPU. 1 where the TPU, or a plugin that was found, cannot be used.
int doctor(std::ostream& out);

}  // namespace tool

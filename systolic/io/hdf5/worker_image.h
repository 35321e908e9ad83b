// The worker's program.
#pragma once

#include <string_view>

#include "systolic/io/worker/worker_process.h"

namespace systolic::inline v0 {
namespace io {

// Its bytes; none in a build without libhdf5.
std::string_view worker_image();
const WorkerProgram& hdf5_program();

}  // namespace io
}  // namespace systolic::inline v0

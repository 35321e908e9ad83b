// The program of the Arrow worker.
#pragma once

#include "systolic/base/source_location.h"
#include "systolic/io/worker/worker_process.h"

namespace systolic::inline v0 {
namespace io {

// Unimplemented where libparquet.so is not found: in $SYSTOLIC_ARROW, the folder that the library
// was built with, or the one that it was installed to.
const WorkerProgram& arrow_program(SourceLocation location);

// Whether this build holds it.
bool has_arrow();

}  // namespace io
}  // namespace systolic::inline v0

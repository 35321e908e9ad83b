#include "systolic/io/hdf5/worker_image.h"

// The assembler puts the program's file into the library, which takes no time; as an array in C++
// its four million bytes would.
#ifdef SYSTOLIC_HDF5_WORKER
asm(".pushsection .rodata\n"
    ".balign 16\n"
    "systolic_hdf5_worker_begin:\n"
    ".incbin \"" SYSTOLIC_HDF5_WORKER
    "\"\n"
    "systolic_hdf5_worker_end:\n"
    ".popsection\n");
extern "C" {
__attribute__((visibility("hidden"))) extern const char systolic_hdf5_worker_begin[];
__attribute__((visibility("hidden"))) extern const char systolic_hdf5_worker_end[];
}
#endif

namespace systolic::inline v0 {
namespace io {

std::string_view worker_image() {
#ifdef SYSTOLIC_HDF5_WORKER
  return {systolic_hdf5_worker_begin,
          static_cast<size_t>(systolic_hdf5_worker_end - systolic_hdf5_worker_begin)};
#else
  return {};
#endif
}

const WorkerProgram& hdf5_program() {
  static const WorkerProgram program(
      "HDF5", worker_image(),
      {.what = "this build reads and writes no HDF5 (.h5, .keras)",
       .hint = "install libhdf5-dev and build Systolic again, configured anew"});
  return program;
}

}  // namespace io
}  // namespace systolic::inline v0

#include "systolic/io/arrow/arrow_program.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/error.h"

// As in systolic/io/hdf5/worker_image.cc.
#ifdef SYSTOLIC_ARROW_WORKER
asm(".pushsection .rodata\n"
    ".balign 16\n"
    "systolic_arrow_worker_begin:\n"
    ".incbin \"" SYSTOLIC_ARROW_WORKER
    "\"\n"
    "systolic_arrow_worker_end:\n"
    ".popsection\n");
extern "C" {
__attribute__((visibility("hidden"))) extern const char systolic_arrow_worker_begin[];
__attribute__((visibility("hidden"))) extern const char systolic_arrow_worker_end[];
}
#endif

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr const char* remedy =
    "./run fetch puts Arrow C++ into .deps/arrow; then ./run clean, and build again";

std::string_view arrow_worker_image() {
#ifdef SYSTOLIC_ARROW_WORKER
  return {systolic_arrow_worker_begin,
          static_cast<size_t>(systolic_arrow_worker_end - systolic_arrow_worker_begin)};
#else
  return {};
#endif
}

// Where its shared libraries may lie, the user's choice first.
std::vector<std::string> library_folders() {
  std::vector<std::string> folders;
  if (const char* chosen = std::getenv("SYSTOLIC_ARROW")) folders.emplace_back(chosen);
#ifdef SYSTOLIC_ARROW_WORKER
  for (const char* folder :
       {SYSTOLIC_ARROW_BUILT_WITH, SYSTOLIC_ARROW_INSTALLED, "/usr/lib/systolic"})
    folders.emplace_back(folder);
#endif
  return folders;
}

#ifdef SYSTOLIC_ARROW_WORKER
constexpr std::string_view library_name = SYSTOLIC_ARROW_LIBRARY;
#else
constexpr std::string_view library_name = "libparquet.so";
#endif

std::string library_folder() {
  for (const std::string& folder : library_folders()) {
    std::error_code failed;
    if (std::filesystem::exists(str(folder, "/", library_name), failed)) return folder;
  }
  return "";
}

}  // namespace

const WorkerProgram& arrow_program(SourceLocation location) {
  static const WorkerProgram program(
      "Parquet and Arrow", arrow_worker_image(),
      {.what = "this build reads no Parquet and no Arrow files", .hint = remedy}, library_folder());
  if (has_arrow() && program.library_folder().empty()) {
    raise<Unimplemented>({.what = str("no ", library_name, " to read Parquet and Arrow files, in ",
                                      join(library_folders())),
                          .hint = "the environment variable SYSTOLIC_ARROW names its folder",
                          .location = location});
  }
  return program;
}

bool has_arrow() { return !arrow_worker_image().empty(); }

}  // namespace io
}  // namespace systolic::inline v0

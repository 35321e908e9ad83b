#include "tools/systolic/program_file.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/stablehlo/bytecode/read_program.h"

namespace tool {

using namespace systolic;

namespace {

// Protobuf's bound, so that of the compilers that take programs too. Text takes several times its
// size while it is read.
constexpr size_t most_bytes = size_t{1} << 31;

[[noreturn]] void raise_too_large(const std::string& path) {
  raise<ResourceExhausted>({.what = str(path, " holds more than ", bytes_text(most_bytes)),
                            .wanted = "a program of at most that size",
                            .hint = "large constants can be arguments of main"});
}

// What `read` (buffer, size) hands out until it has less than it is asked for.
template <class Read>
std::string bytes_within_bound(const std::string& path, const Read& read) {
  constexpr size_t piece = 1 << 20;
  std::string bytes;
  for (;;) {
    const size_t before = bytes.size();
    if (before > most_bytes) raise_too_large(path);
    bytes.resize(before + piece);
    const size_t count = read(bytes.data() + before, piece);
    bytes.resize(before + count);
    if (count < piece) return bytes;
  }
}

}  // namespace

std::string program_bytes(const std::string& path) {
  if (path == "-") {
    return bytes_within_bound("standard input", [](char* buffer, size_t size) {
      const size_t count = std::fread(buffer, 1, size, stdin);
      const int reason = errno;
      if (std::ferror(stdin) != 0) io::raise_file_error("cannot read", "standard input", reason);
      return count;
    });
  }
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) {
    raise<InvalidArgument>({.what = str("'", path, "' is a directory"),
                            .wanted = "a file with a StableHLO program, as text or bytecode",
                            .hint = "`systolic conformance DIR` runs a folder of test programs"});
  }
  io::File file(path);
  if (file.size() > most_bytes) raise_too_large(path);  // before any of it is read
  return bytes_within_bound(path,
                            [&](char* buffer, size_t size) { return file.read(buffer, size); });
}

stablehlo::Program program_of_file(const std::string& path) {
  return stablehlo::read_program(program_bytes(path), path);
}

}  // namespace tool

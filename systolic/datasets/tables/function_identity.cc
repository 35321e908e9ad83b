#include "systolic/datasets/tables/function_identity.h"

#include <dlfcn.h>

#include <map>
#include <mutex>

#include "systolic/base/error.h"
#include "systolic/io/encoding/crc32c.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace datasets {
namespace {

// The checksum of a program's or shared library's file; nothing where it cannot be read.
std::optional<uint32_t> checksum_of_module(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::optional<uint32_t>> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(path);
  if (found != known.end()) return found->second;
  std::optional<uint32_t> sum;
  try {
    const auto file = io::MappedFile::open(io::exists(path) ? path : "/proc/self/exe");
    sum = io::crc32c(file->bytes().data(), file->bytes().size());
  } catch (const Error&) {
  }
  return known.emplace(path, sum).first->second;
}

// "1a2b3c+5678": of the module, and where in it.
std::optional<std::string> place_of(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  const auto sum = checksum_of_module(info.dli_fname);
  if (!sum) return {};
  return str(*sum, "+",
             static_cast<const char*>(address) - static_cast<const char*>(info.dli_fbase));
}

}  // namespace

std::optional<std::string> fingerprint_of(const FunctionIdentity& function) {
  if (function.holds_values) return {};
  static const char here = 0;  // what the function calls of this library may lie in another module
  const auto place = place_of(function.place), library = place_of(&here);
  if (!place || !library) return {};
  return str(function.type, " at ", *place, ", ", *library);
}

}  // namespace datasets
}  // namespace systolic::inline v0

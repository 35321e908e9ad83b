#include "backends/cpu/dump.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "systolic/base/ascii.h"
#include "systolic/base/log.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

std::string file_name(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    if (!is_ascii_alphanumeric(c) && c != '_' && c != '-') c = '_';
  }
  return name;
}

std::string with_leading_zeros(size_t number, size_t digits) {
  std::string text = str(number);
  text.insert(0, digits - std::min(digits, text.size()), '0');
  return text;
}

}  // namespace

Dump::Dump(std::string_view program) {
  const char* folder = std::getenv("SYSTOLIC_DUMP");
  if (folder == nullptr || *folder == '\0') return;
  static std::atomic<size_t> programs{0};
  std::error_code ignored;  // a folder that cannot be made shows when files are written
  std::filesystem::create_directories(folder, ignored);
  prefix_ = str(folder, "/", with_leading_zeros(programs.fetch_add(1), 3), "_", file_name(program));
}

void Dump::stage(std::string_view name, const std::function<std::string()>& text) {
  if (is_wanted()) write(str(stage_++, "_", name), text());
}

void Dump::pass(size_t number, std::string_view name, const std::string& text) {
  if (is_wanted()) write(str("pass_", with_leading_zeros(number, 2), "_", name, ".mlir"), text);
}

void Dump::write(std::string_view name, const std::string& text) const {
  const std::string path = str(prefix_, ".", name);
  std::ofstream file(path);
  file << text;
  if (!file) log_once(LogLevel::warning, str("SYSTOLIC_DUMP: cannot write ", path));
}

}  // namespace cpu
}  // namespace systolic::inline v0

#include "backends/cpu/dump.h"

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

}  // namespace

Dump::Dump(std::string_view program) {
  const char* folder = std::getenv("SYSTOLIC_DUMP");
  if (folder == nullptr || *folder == '\0') return;
  static std::atomic<int> programs{0};
  std::string number = str(programs.fetch_add(1));
  number.insert(0, number.size() < 3 ? 3 - number.size() : 0, '0');
  std::error_code ignored;  // a folder that cannot be made shows when files are written
  std::filesystem::create_directories(folder, ignored);
  prefix_ = str(folder, "/", number, "_", file_name(program));
}

void Dump::stage(std::string_view name, const std::function<std::string()>& text) {
  if (prefix_.empty()) return;
  const std::string path = str(prefix_, ".", stage_++, "_", name);
  std::ofstream file(path);
  file << text();
  if (!file) log_once(LogLevel::warning, str("SYSTOLIC_DUMP: cannot write ", path));
}

}  // namespace cpu
}  // namespace systolic::inline v0

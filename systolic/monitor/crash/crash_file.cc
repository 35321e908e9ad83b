#include "systolic/monitor/crash/crash_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/monitor/crash/write_record.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

namespace fs = std::filesystem;

constexpr size_t most_files = 20;
constexpr std::string_view ending = ".crash";

std::string crash_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string folder_without_home() { return str("/tmp/systolic-crashes-", getuid()); }

void make_crash_folder(const std::string& folder) {
  if (folder == folder_without_home()) {
    open_status_folder(folder, true);  // where others can make one too
    return;
  }
  std::error_code code;
  fs::create_directories(folder, code);
  if (!code) return;
  raise<Unavailable>({.what = str("cannot make the folder '", folder, "'"),
                      .got = code.message(),
                      .hint = "SYSTOLIC_CRASH=FOLDER names another, SYSTOLIC_CRASH=off none"});
}

// Only what is harmless in a file's name.
std::string name_of_program(std::string_view program) {
  std::string name(program);
  for (char& one : name) {
    if (!std::isalnum(static_cast<unsigned char>(one)) && one != '-') one = '_';
  }
  return name;
}

void remove_oldest(const std::string& folder) {
  const std::vector<std::string> files = crash_files(folder);
  for (size_t i = most_files; i < files.size(); ++i) unlink(files[i].c_str());
}

}  // namespace

std::string crash_folder() {
  const std::string named = crash_variable("SYSTOLIC_CRASH");
  if (named == "off") return "";
  if (!named.empty()) return named;
  const std::string state = crash_variable("XDG_STATE_HOME"), home = crash_variable("HOME");
  if (!state.empty()) return state + "/systolic";
  return home.empty() ? folder_without_home() : home + "/.local/state/systolic";
}

std::vector<std::string> crash_files(const std::string& folder) {
  std::vector<std::pair<fs::file_time_type, std::string>> found;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    if (at->path().extension() != ending) continue;
    std::error_code gone;
    const auto time = fs::last_write_time(at->path(), gone);
    if (!gone) found.emplace_back(time, at->path().string());
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> files;
  for (auto& [time, path] : found) files.push_back(std::move(path));
  return files;
}

CrashFile::CrashFile(const std::string& folder, const CrashRecord& record)
    : process_(record.process) {
  make_crash_folder(folder);
  path_ = str(folder, "/", name_of_program(record.program.view()), "_", record.process, "_",
              record.run, ending);
  unlink(path_.c_str());  // what an earlier process of this number left
  file_ = Descriptor(
      open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file_.is_open()) {
    raise<Unavailable>({.what = str("cannot make '", path_, "'"),
                        .got = std::strerror(errno),
                        .hint = "SYSTOLIC_CRASH=FOLDER names another, SYSTOLIC_CRASH=off none"});
  }
  if (!write(record)) {
    unlink(path_.c_str());
    raise<Unavailable>({.what = str("cannot write '", path_, "'"),
                        .got = "a disk without room for it",
                        .hint = "SYSTOLIC_CRASH=FOLDER names another, SYSTOLIC_CRASH=off none"});
  }
  remove_oldest(folder);
}

CrashFile::~CrashFile() {
  if (!kept_ && process_ == getpid()) unlink(path_.c_str());
}

bool CrashFile::write(const CrashRecord& record) const {
  return write_record(file_.number(), record);
}

}  // namespace monitor
}  // namespace systolic::inline v0

#include "systolic/monitor/profile/profile_files.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>

#include "systolic/base/error.h"
#include "systolic/base/process/place_in_run.h"
#include "systolic/base/text.h"
#include "systolic/monitor/profile/chrome_trace.h"
#include "systolic/monitor/profile/xplane.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view xplane_ending = ".xplane.pb";

std::string run_name(double time) {
  const auto seconds = static_cast<std::time_t>(time);
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y_%m_%d_%H_%M_%S", &local);
  return text.data();
}

[[noreturn]] void raise_unwritten(const std::string& path, const std::string& reason) {
  raise<Unavailable>({.what = str("cannot write the profile '", path, "'"),
                      .got = reason,
                      .wanted = "a folder that can be written, with room",
                      .hint = "choose another one"});
}

void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  write(file);
  file.close();
  if (!file) raise_unwritten(path, errno != 0 ? std::strerror(errno) : "the write failed");
}

std::string newest_in(const std::string& folder) {
  std::string newest;
  fs::file_time_type newest_time;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    const std::string path = it->path().string();
    if (!path.ends_with(xplane_ending)) continue;
    const fs::file_time_type time = it->last_write_time(error);
    if (error || (!newest.empty() && time <= newest_time)) continue;
    newest = path;
    newest_time = time;
  }
  return newest;
}

// The other file that write_profile() writes.
bool is_chrome_trace(std::string_view text) {
  constexpr size_t looked_at = 4096;
  const size_t begin = text.find_first_not_of(" \t\r\n");
  return begin != text.npos && (text[begin] == '{' || text[begin] == '[') &&
         text.substr(0, looked_at).find("\"traceEvents\"") != text.npos;
}

}  // namespace

ProfileFiles write_profile(const Profile& profile, const std::string& folder) {
  const PlaceInRun place = place_in_run();
  std::string host = profile.host.empty() ? "host" : profile.host;
  if (place.index > 0) host += str("_", place.index);
  const std::string run = str(folder, "/plugins/profile/", run_name(profile.recorded.begin_time));
  std::error_code error;
  fs::create_directories(run, error);
  if (error) raise_unwritten(run, error.message());
  ProfileFiles files{.xplane = str(run, "/", host, xplane_ending),
                     .trace = str(run, "/", host, ".trace.json")};
  write_file(files.xplane, [&](std::ostream& out) { out << to_xplane(profile); });
  write_file(files.trace, [&](std::ostream& out) { write_chrome_trace(profile, out); });
  return files;
}

Profile read_profile(const std::string& path) {
  std::error_code error;
  const std::string file = fs::is_directory(path, error) ? newest_in(path) : path;
  if (file.empty()) raise<NotFound>({.what = str("no .xplane.pb lies below '", path, "'")});
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) raise<NotFound>({.what = str("cannot open '", file, "'"), .got = std::strerror(errno)});
  const std::streamoff bytes = in.tellg();
  std::string text(bytes > 0 ? static_cast<size_t>(bytes) : 0, '\0');
  in.seekg(0);
  if (!in.read(text.data(), static_cast<std::streamsize>(text.size()))) {
    raise<DataLoss>({.what = str("cannot read '", file, "' to its end")});
  }
  if (is_chrome_trace(text)) {
    raise<InvalidArgument>({.what = str("'", file, "' is for Perfetto"),
                            .wanted = "the .xplane.pb beside it",
                            .hint = "open it at https://ui.perfetto.dev"});
  }
  try {
    return from_xplane(text);
  } catch (const DataLoss&) {
    raise<DataLoss>({.what = str("'", file, "' is no profile that can be read"),
                     .wanted = "an .xplane.pb that `systolic profile` or fit has written, or a "
                               "folder with one",
                     .hint = "`systolic profile PID --seconds 3` records one of a run, "
                             "fit({.profile = {.steps = {10, 20}}}) of some steps"});
  }
}

}  // namespace monitor
}  // namespace systolic::inline v0

#include "systolic/io/files/file_system.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/threads/start_thread.h"
#include "systolic/io/files/local_file_system.h"

namespace systolic::inline v0 {
namespace io {
namespace {

// The file systems that were asked for or registered, by scheme. Never destroyed: a thread may
// still read when the program ends.
class Registry {
 public:
  static Registry& instance() {
    static auto* registry = new Registry;
    return *registry;
  }

  void add(const std::string& scheme, std::shared_ptr<FileSystem> file_system) {
    const std::lock_guard lock(mutex_);
    auto& place = by_scheme_[scheme];
    if (place != nullptr) replaced_.push_back(std::move(place));
    place = std::move(file_system);
  }

  FileSystem* find(const std::string& scheme) {
    const std::lock_guard lock(mutex_);
    auto& place = by_scheme_[scheme];
    if (place == nullptr) place = open_remote_file_system(scheme);
    return place.get();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<FileSystem>> by_scheme_;
  std::vector<std::shared_ptr<FileSystem>> replaced_;  // somebody may hold a reference
};

}  // namespace

std::string_view scheme_of(std::string_view path) {
  const size_t colon = path.find("://");
  if (colon == 0 || colon == std::string_view::npos) return {};
  // "data/a://b" is a path of the local disk.
  const auto of_scheme = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '-' || c == '.';
  };
  const std::string_view scheme = path.substr(0, colon);
  return std::all_of(scheme.begin(), scheme.end(), of_scheme) ? scheme : std::string_view();
}

FileSystem& file_system(std::string_view path, SourceLocation location) {
  const std::string_view scheme = scheme_of(path);
  if (scheme.empty()) return local_file_system();
  if (FileSystem* found = Registry::instance().find(std::string(scheme))) return *found;
  raise<Unimplemented>(
      {.what = str("'", path, "': files of ", scheme, ":// cannot be opened"),
       .wanted = "a path on the local disk, gs://bucket/object or https://host/path",
       .hint = "copy the files to this machine, or give io::register_file_system a file system",
       .location = location});
}

void register_file_system(const std::string& scheme, std::shared_ptr<FileSystem> file_system) {
  Registry::instance().add(scheme, std::move(file_system));
}

uint64_t check_readable(const std::vector<std::string>& paths, SourceLocation location) {
  constexpr size_t most_at_once = 32;
  std::atomic<uint64_t> bytes{0};
  const auto check = [&](const std::string& path) {
    bytes += file_system(path, location).open(path, location)->size().value_or(0);
  };
  const auto remote = [](const std::string& path) { return !scheme_of(path).empty(); };
  if (paths.size() < 2 || std::none_of(paths.begin(), paths.end(), remote)) {
    for (const std::string& path : paths) check(path);
    return bytes;
  }
  std::vector<std::exception_ptr> errors(paths.size());
  std::atomic<size_t> next{0};
  std::atomic<bool> failed{false};
  const auto work = [&] {
    for (size_t i = next++; i < paths.size() && !failed; i = next++) {
      try {
        check(paths[i]);
      } catch (...) {
        errors[i] = std::current_exception();
        failed = true;
      }
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(paths.size(), most_at_once); ++i) {
    auto thread = try_start_thread(work);
    if (!thread) break;  // those that run do it all
    threads.push_back(std::move(*thread));
  }
  work();
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error != nullptr) std::rethrow_exception(error);
  }
  return bytes;
}

std::string this_machine() {
  char name[256] = {};
  if (::gethostname(name, sizeof(name) - 1) != 0 || name[0] == '\0') return "this machine";
  return str("this machine (", static_cast<const char*>(name), ")");
}

}  // namespace io
}  // namespace systolic::inline v0

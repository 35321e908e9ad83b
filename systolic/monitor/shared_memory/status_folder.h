// Where the runs of a user on this machine say how they are: a folder in memory that nobody else
// can read or write, with a file for each process.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace systolic::inline v0 {
namespace monitor {

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

 private:
  int number_;
};

// "/dev/shm/systolic-1000"; without that file system, in /tmp.
std::string default_status_folder();

// Opens it; with `make` it makes it where there is none. NotFound where there is none, Unavailable
// where it cannot be made, PermissionDenied where it is somebody else's, a link, or open to others.
Descriptor open_status_folder(const std::string& path, bool make);

// The processes that have a file there, the one that wrote last first.
std::vector<int64_t> processes_in(const std::string& folder);

}  // namespace monitor
}  // namespace systolic::inline v0

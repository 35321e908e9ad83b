// The files that a dataset reads, by one path or several.
//
//   text_lines("poem.txt")
//   text_lines({"poem.txt", "song.txt"})
//   text_lines(io::glob("*.txt"))
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace systolic::inline v0 {
namespace data {

class Paths {
 public:
  Paths(const char* path) : paths_{path} {}                            // NOLINT: a path is Paths
  Paths(std::string path) : paths_{std::move(path)} {}                 // NOLINT
  Paths(std::vector<std::string> paths) : paths_(std::move(paths)) {}  // NOLINT
  Paths(std::initializer_list<std::string> paths) : paths_(paths) {}
  std::vector<std::string> release() { return std::move(paths_); }

 private:
  std::vector<std::string> paths_;
};

}  // namespace data
}  // namespace systolic::inline v0

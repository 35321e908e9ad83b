// The files of the page, inside the program: those of the folder `page`, which CMake writes into
// page_files.cc.
#pragma once

#include <span>
#include <string_view>

namespace systolic::inline v0 {
namespace monitor {

struct PageFile {
  std::string_view path;  // "/"
  const char* type;       // "text/html; charset=utf-8"
  std::string_view content;
};

std::span<const PageFile> page_files();

}  // namespace monitor
}  // namespace systolic::inline v0

#include "tools/systolic/project/new_project.h"

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"
#include "tools/systolic/project/project_files.h"

namespace tool::project {
namespace {

using namespace systolic;
namespace fs = std::filesystem;

bool fits_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

// Where this program is installed: the folder that holds bin/systolic.
std::string install_prefix() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? "/usr/local" : program.parent_path().parent_path().string();
}

std::string replaced(std::string text, std::string_view mark, std::string_view value) {
  for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    text.replace(at, mark.size(), value);
    at += value.size();
  }
  return text;
}

void check_name(const std::string& name, const std::string& folder) {
  if (!name.empty() && name[0] != '-' && std::all_of(name.begin(), name.end(), fits_a_name)) return;
  raise<InvalidArgument>({.what = str("the project's name, the last part of '", folder, "'"),
                          .got = str("'", name, "'"),
                          .wanted = "letters, digits, _ and -",
                          .hint = "systolic new my_project"});
}

}  // namespace

int new_project(const NewProjectOptions& options, std::ostream& out) {
  fs::path folder = options.folder;
  if (!folder.has_filename()) folder = folder.parent_path();  // "my_project/"
  const std::string name = folder.filename().string(), prefix = install_prefix();
  check_name(name, options.folder);
  if (fs::exists(folder)) {
    raise<FailedPrecondition>({.what = str("'", folder.string(), "' is there already"),
                               .hint = "another name, or remove it first"});
  }
  io::make_folder(folder.string());
  for (const ProjectFile& file : project_files()) {
    const std::string text = replaced(std::string(file.text), "@NAME@", name);
    io::write_file((folder / std::string(file.name)).string(), replaced(text, "@PREFIX@", prefix));
  }
  out << "Wrote " << project_files().size() << " files to " << folder.string() << ". Next:\n"
      << "  cd " << folder.string() << "\n"
      << "  cmake -B build -DCMAKE_PREFIX_PATH=" << prefix << " && cmake --build build\n"
      << "  ./build/train\n"
      << "  ctest --test-dir build\n";
  return 0;
}

}  // namespace tool::project

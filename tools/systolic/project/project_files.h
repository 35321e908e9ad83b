// The files of a new project, as they lie in template/: the build puts them into the program.
#pragma once

#include <span>
#include <string_view>

namespace tool::project {

struct ProjectFile {
  std::string_view name, text;  // @NAME@ and @PREFIX@ stand for what is known when it is written
};
std::span<const ProjectFile> project_files();

}  // namespace tool::project

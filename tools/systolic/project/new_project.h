// systolic new: a project that builds, trains and tests.
#pragma once

#include <iosfwd>
#include <string>

namespace tool::project {

struct NewProjectOptions {
  std::string folder;  // made; its last part is the project's name: letters, digits, _ and -
};
// Writes the files and says what to type next. InvalidArgument for a name that CMake would not
// take, FailedPrecondition for a folder that is there.
int new_project(const NewProjectOptions& options, std::ostream& out);

}  // namespace tool::project

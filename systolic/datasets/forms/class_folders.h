// Pictures in a folder for each class.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace datasets {

struct ClassFolders {
  struct File {
    std::string path;
    int64_t label;  // the number of its class
  };
  std::vector<std::string> classes;  // the names of the folders with pictures
  std::vector<File> files;           // by class, then by name
};

// Reads <folder>/<class>/*.jpg. Pictures are told by their names: .jpg, .jpeg, .png, .gif, .bmp and
// .webp, in capitals or not. Hidden files (".DS_Store", "._1.jpg") do not count, nor do those of
// folders within class folders. gs:// too; empty where there is no such folder.
ClassFolders list_class_folders(const std::string& folder,
                                SourceLocation location = SourceLocation::current());

// The bytes of a picture, which are not decoded. InvalidArgument for a file that does not begin
// like a picture, saying what it is.
std::string read_picture_file(const std::string& path,
                              SourceLocation location = SourceLocation::current());

}  // namespace datasets
}  // namespace systolic::inline v0

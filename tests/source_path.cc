#include "tests/source_path.h"

namespace systolic::test {

std::string source_path(std::string_view relative) {
  std::string path = SYSTOLIC_SOURCE_DIR;
  path += '/';
  path += relative;
  return path;
}

}  // namespace systolic::test

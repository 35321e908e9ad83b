#include "systolic/models/test_golden.h"
#include "tests/source_path.h"

namespace systolic {

std::string golden_folder(const std::string& model_type) {
  return test::source_path("systolic/models/golden/" + model_type);
}

}  // namespace systolic

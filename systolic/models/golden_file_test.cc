#include "systolic/models/test_golden.h"

namespace systolic {

std::string golden_folder(const std::string& model_type) {
  return std::string(SYSTOLIC_SOURCE_DIR "/systolic/models/golden/") + model_type;
}

}  // namespace systolic

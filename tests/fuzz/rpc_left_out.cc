// In a build without gRPC nobody says anything.
#include "tests/fuzz/targets.h"

namespace fuzz {

void rpc(std::string_view) {}

}  // namespace fuzz

// The worker's program.
#pragma once

#include <string_view>

namespace systolic::inline v0 {
namespace io {

// Its bytes; none in a build without libhdf5.
std::string_view worker_image();

}  // namespace io
}  // namespace systolic::inline v0

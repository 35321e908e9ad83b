// What a worker throws when a file cannot be read: the text is shown to the user.
#pragma once

#include <stdexcept>

namespace worker {

struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace worker

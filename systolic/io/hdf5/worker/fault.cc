#include "systolic/io/hdf5/worker/fault.h"

namespace worker {
namespace {

// The innermost entry of libhdf5's stack of errors is the one that says what is wrong.
herr_t take_innermost(unsigned number, const H5E_error2_t* error, void* text) {
  if (number == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

}  // namespace

void fail(const std::string& what) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, &reason);
  throw Fault(reason.empty() ? what : what + " (libhdf5: " + reason + ")");
}

}  // namespace worker

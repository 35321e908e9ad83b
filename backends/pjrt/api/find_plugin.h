// Where PJRT plugins lie on this machine.
#pragma once

#include <string>
#include <vector>

namespace systolic::inline v0 {
namespace pjrt {

struct FoundPlugin {
  std::string platform;  // "tpu", "cuda", "pjrt" of SYSTOLIC_BACKEND's, or the name that
                         // PJRT_NAMES_AND_LIBRARY_PATHS gives
  std::string path;
  std::string from;     // what led there: "TPU_LIBRARY_PATH", "/usr/lib/python3/..."
  bool exists = false;  // variables may name files that are not there
};

// In the order in which they are tried. Nothing is loaded.
std::vector<FoundPlugin> find_plugins();

// The first libtpu.so that exists; "" where there is none, or where SYSTOLIC_LIBTPU is "none".
std::string find_libtpu();

// What shows that this machine has a TPU, as a text for people: a device file or a PCI device of
// Google's. "" where nothing does. Takes well under a millisecond.
std::string tpu_hardware();

}  // namespace pjrt
}  // namespace systolic::inline v0

// The one function that the library exports.
#include "plugin/table.h"

extern "C" __attribute__((visibility("default"))) const systolic::pjrt::abi::Table* GetPjrtApi() {
  return systolic::plugin::table();
}

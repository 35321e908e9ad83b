// What Arrow says of a file, as a fault.
#pragma once

#include <arrow/result.h>
#include <arrow/status.h>

#include <new>
#include <string>
#include <utility>

#include "systolic/io/worker/program/fault.h"

namespace worker {

inline void check(const arrow::Status& status) {
  if (status.IsOutOfMemory()) throw std::bad_alloc();
  if (status.ok()) return;
  const std::string& text = status.message();
  throw Fault(text.substr(0, text.find_last_not_of(" .\n") + 1));
}

template <class Value>
Value checked(arrow::Result<Value> result) {
  check(result.status());
  return std::move(result).ValueUnsafe();
}

}  // namespace worker

// What libhdf5 says of a file, as a fault.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>

#include "systolic/io/worker/program/fault.h"

namespace worker {

// "cannot open the dataset 'x' (libhdf5: bad object header version number)"
[[noreturn]] void fail(const std::string& what);

// A handle of libhdf5's, closed with its scope. One that could not be made fails.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle(hid_t id, Close close, const char* what) : id_(id), close_(close) {
    if (id < 0) fail(std::string("cannot read ") + what);
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  operator hid_t() const { return id_; }  // NOLINT: libhdf5's functions take it

 private:
  hid_t id_;
  Close close_;
};

// What a call gave; a negative result fails.
template <class Result>
Result checked(Result result, const char* what) {
  if (result < 0) fail(std::string("cannot read ") + what);
  return result;
}

}  // namespace worker

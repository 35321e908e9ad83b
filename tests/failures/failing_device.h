// The software TPU with a step that fails when told to: at the end of each block of ops in which a
// layer of a given name has some.
//
//   set_default_client(failing_device({.layer = "fails", .runs_before = 3}));
//
// One failure at a time; the runs of all programs count together.
#pragma once

#include <string>

#include "systolic/runtime/client.h"

namespace systolic {

struct DeviceFailure {
  std::string layer;    // the end of a layer's path
  int runs_before = 0;  // runs of that layer's steps that still succeed; -1: all, it never fails
};

// Opens the device, on one core. It fails once; fail_again() arms it anew, for the same layer.
runtime::ClientPtr failing_device(DeviceFailure failure);
void fail_again(DeviceFailure failure);

}  // namespace systolic

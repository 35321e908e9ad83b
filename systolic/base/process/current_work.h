// What the device of this process computes at the moment, for whoever must say so when the process
// dies: the file that a crash leaves.
//
//   set_describe_work([]() -> WorkPlace { return {.what = running->text.c_str()}; });
#pragma once

namespace systolic::inline v0 {

// Texts live as long as the work does. "" and 0: not known.
struct WorkPlace {
  const char* what = "";   // "dot [32,784] x [784,128] f32"
  const char* layer = "";  // "mnist/dense"
  const char* file = "";   // the user's line
  int line = 0;
};

// A backend names the function that tells; it is called by signal handlers, and may only read
// memory. The last one counts.
void set_describe_work(WorkPlace (*describe)());

// Nothing where no backend computes, or none tells. Safe in signal handlers.
WorkPlace current_work();

}  // namespace systolic::inline v0

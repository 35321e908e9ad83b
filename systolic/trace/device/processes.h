// Which of the processes of one run this is (jax.process_index).
//
//   if (process_index() == 0) std::cout << "accuracy " << accuracy << "\n";  // once for all
#pragma once

namespace systolic::inline v0 {

// 0 in a program of one process. Both open the device where none is open, as every process of the
// run must.
int process_index();
int num_processes();

}  // namespace systolic::inline v0

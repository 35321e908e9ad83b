// Lookups in tables that lie by rows over the cores, as a TPU runs them: a core sends the ids to
// the cores that have their rows, by all_to_all, and gets the rows; and of an update of the
// looked-up rows it sends what each row gets, and the core that has it moves it in place. A
// compiler that partitions the program by itself would look up all ids on each core, fill in zeros
// for what lies elsewhere, and add up the whole over all cores.
//
//   const ir::Module step = passes::exchange_rows(module);   // num_partitions = 8
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace passes {

// The module in which gathers of rows of such tables, variables that are split along their first
// axis alone over all cores, are calls of look_up_rows (look_up_rows.h), and updates of their rows
// by an optimizer calls of move_rows (move_rows.h), each in a function of its own that every core
// runs on its part. Results are the same, but sums of one row's updates are first those of each
// core.
//
// What is split otherwise, and lookups whose number does not divide by the cores, are left as they
// are; so is a program for one core, and one for each core.
ir::Module exchange_rows(const ir::Module& module);

}  // namespace passes
}  // namespace systolic::inline v0

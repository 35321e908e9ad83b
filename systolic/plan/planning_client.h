// The client of a dry run: the software TPU of the planned kind, up to the first program that
// trains. Instead of running that, the process prints its plan and ends.
#pragma once

#include <string>

#include "systolic/plan/request.h"
#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace plan {

// `real` runs what comes first: initial weights, for example.
runtime::ClientPtr planning_client(runtime::ClientPtr real, const Request& request);

// Whether a program updates parameters of a model, given inputs of a batch.
bool is_training_step(const ir::Module& module);
// Bytes of the parameters that a program updates, whose gradients processes would add up.
int64_t updated_parameter_bytes(const ir::Module& module);
// Rows of a batch on one core, in which all inputs with axes agree; 0: they do not.
int64_t batch_of(const ir::Module& module);

}  // namespace plan
}  // namespace systolic::inline v0

// Whose memory the results of a program take.
#pragma once

#include "plugin/program/signature.h"
#include "systolic/ir/module.h"
#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace plugin {

// Pairs donated arguments with results: with the one that the program names, else with the first of
// their type that has none, else with the first whose parts are as large. The engine writes the
// result over the argument in the first two cases; in the last it frees the argument after the run.
void pair_donated(ir::Module& module, Signature& signature, const stablehlo::Program& program);

}  // namespace plugin
}  // namespace systolic::inline v0

#include "systolic/trace/program/scratch_trace.h"

#include "systolic/trace/program/program.h"

namespace systolic::inline v0 {

std::vector<ir::Type> infer_result_types(
    const std::vector<ir::Type>& types,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body) {
  std::vector<ProgramParameter> parameters;
  for (const ir::Type& type : types) parameters.push_back({.type = type});
  return Program(parameters, body, {.name = "shapes"}).result_types();
}

}  // namespace systolic::inline v0

// Rules of the ops that read or write at computed indices.
#pragma once

#include "systolic/autodiff/rule.h"

namespace systolic::inline v0 {
namespace autodiff {

void differentiate_dynamic_slice(Rule& r);
void differentiate_dynamic_update_slice(Rule& r);
void differentiate_gather(Rule& r);
void differentiate_scatter(Rule& r);
void differentiate_sort(Rule& r);

}  // namespace autodiff
}  // namespace systolic::inline v0

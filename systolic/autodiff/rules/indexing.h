// Rules of the ops that read or write at computed indices.
#pragma once

#include "systolic/autodiff/gradient_rule.h"

namespace systolic::inline v0 {
namespace autodiff {

void differentiate_dynamic_slice(GradientRule& r);
void differentiate_dynamic_update_slice(GradientRule& r);
void differentiate_gather(GradientRule& r);
void differentiate_scatter(GradientRule& r);
void differentiate_sort(GradientRule& r);

}  // namespace autodiff
}  // namespace systolic::inline v0

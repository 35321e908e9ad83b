// Every row of the tables beside: the label, the numbers and the place of what is violated.
#include "systolic/stablehlo/verify/verify.h"

#include "systolic/stablehlo/verify/test_violations.h"

namespace systolic {
namespace {

TEST_P(Violations, HaveTheirLabel) { expect_violation(GetParam()); }

}  // namespace
}  // namespace systolic

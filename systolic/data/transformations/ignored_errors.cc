#include "systolic/data/transformations/ignored_errors.h"

#include "systolic/base/error.h"
#include "systolic/base/log.h"

namespace systolic::inline v0 {
namespace data {
namespace {

constexpr int64_t most_in_a_row = 1000, most_logged = 10;

}  // namespace

bool IgnoredErrors::note() {
  try {
    throw;
  } catch (const Cancelled&) {
    return false;
  } catch (const Error& error) {
    if (++in_a_row_ >= most_in_a_row) {
      in_a_row_ = 0;  // whoever iterates again may have as many again
      return false;
    }
    if (log_warning_) log_first(error.what());
    return true;
  } catch (...) {
    return false;
  }
}

void IgnoredErrors::log_first(const char* what) {
  const int64_t before = logged_++;
  if (before >= most_logged) return;
  log_warning(str("left out: ", what,
                  before + 1 == most_logged ? "\n  More are skipped without a message." : ""));
}

}  // namespace data
}  // namespace systolic::inline v0

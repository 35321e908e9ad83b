#include "systolic/trace/retrace.h"

#include "systolic/base/log.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {

void warn_of_retrace(const Retrace& retrace) {
  const std::string where = retrace.location.known()
                                ? str(" (", retrace.location.file, ":", retrace.location.line, ")")
                                : std::string();
  log_warning(str(retrace.program, where, " is compiled again, ", retrace.programs,
                  " programs so far: ", retrace.input, " was ", to_string(retrace.before), ", is ",
                  to_string(retrace.now),
                  ". Every new shape costs a compilation: pad sequences to a multiple of 32 or 64 "
                  "and mask the rest, and give batches one size"));
}

}  // namespace systolic::inline v0

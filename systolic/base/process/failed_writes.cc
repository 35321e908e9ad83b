#include "systolic/base/process/failed_writes.h"

#include <signal.h>

#include <initializer_list>

namespace systolic::inline v0 {

void survive_failed_writes() {
  for (const int number : {SIGPIPE, SIGXFSZ}) {
    struct sigaction now = {};
    sigaction(number, nullptr, &now);
    if (now.sa_handler != SIG_DFL) continue;
    // A handler and not SIG_IGN, which programs that are started would inherit.
    struct sigaction nothing = {};
    nothing.sa_handler = [](int) {};
    sigemptyset(&nothing.sa_mask);
    nothing.sa_flags = SA_RESTART;
    sigaction(number, &nothing, nullptr);
  }
}

}  // namespace systolic::inline v0

#include "systolic/trace/device/processes.h"

#include "systolic/trace/device/default_client.h"

namespace systolic::inline v0 {

int process_index() { return default_client()->topology().process_index(); }
int num_processes() { return default_client()->topology().num_processes(); }

}  // namespace systolic::inline v0

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ostream>
#include <string_view>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/base/threads/thread_calibration.h"
#include "systolic/runtime/open_client.h"
#include "systolic/runtime/plugins.h"
#include "systolic/runtime/tpu_kind.h"
#include "tools/systolic/commands.h"

namespace tool {
namespace {

using namespace systolic;
using runtime::PluginReport;

struct Variable {
  const char* name;
  std::string_view meaning;
};
constexpr std::array<Variable, 8> variables = {{
    {"SYSTOLIC_BACKEND", "which backend runs programs"},
    {"TPU_LIBRARY_PATH", "the libtpu.so of this machine's TPU"},
    {"SYSTOLIC_LIBTPU", "the libtpu.so to compile with"},
    {"PJRT_NAMES_AND_LIBRARY_PATHS", "more plugins, as JAX reads it"},
    {"TPU_SKIP_MDS_QUERY", "1 where no metadata server answers"},
    {"ALLOW_MULTIPLE_LIBTPU_LOAD", "1 to compile next to a process that has the TPU"},
    {"TPU_ACCELERATOR_TYPE", "the slice that this machine belongs to"},
    {"CUDA_VISIBLE_DEVICES", "the GPUs that programs see"},
}};

void print_software_tpu(std::ostream& out) {
  const TpuKind kind = parse_tpu_kind("v3-8");
  const int processors = usable_processors();
  out << "software TPU: " << kind.name << ", " << kind.cores() << " cores, on " << processors
      << (processors == 1 ? " processor\n" : " processors\n");
}

// Each line of a message, indented.
void print_indented(const std::string& text, std::ostream& out) {
  for (const std::string& line : split(text, '\n')) out << "    " << line << "\n";
}

void print_plugin(const PluginReport& report, std::ostream& out) {
  out << "  " << report.platform << ": " << report.path << " (by " << report.from << ")\n";
  if (!report.version.empty()) {
    out << "    PJRT " << report.version << ", StableHLO "
        << (report.stablehlo.empty() ? "unknown" : report.stablehlo) << "\n";
  }
  if (report.devices.empty()) {
    out << "    does not open:\n";
    print_indented(report.problem, out);
  }
  for (const std::string& device : report.devices) out << "    " << device << "\n";
}

void print_holders(std::ostream& out) {
  const auto holders = runtime::tpu_holders();
  for (const runtime::TpuHolder& holder : holders) {
    out << "  process " << holder.process << " (" << holder.command << ") has " << holder.what
        << " open; end it, or wait, before another takes the TPU\n";
  }
  if (holders.empty()) out << "  none that this user may see\n";
}

// Whether programs run where SYSTOLIC_BACKEND sends them. An error where there is no such backend.
bool named_backend_opens(const std::vector<PluginReport>& reports) {
  const std::string backend = runtime::named_backend();
  if (backend != "tpu" && backend.rfind("pjrt:", 0) != 0) return true;
  return std::any_of(reports.begin(), reports.end(), [&](const PluginReport& report) {
    const bool named =
        backend == "tpu" ? report.platform == "tpu" : "pjrt:" + report.path == backend;
    return named && !report.devices.empty();
  });
}

// What SYSTOLIC_BACKEND makes of programs, in words; whether that is well.
bool print_named_backend(const std::vector<PluginReport>& reports, std::ostream& out) {
  try {
    const bool opens = named_backend_opens(reports);
    const std::string backend = runtime::named_backend();
    if (backend.empty()) return true;
    out << "SYSTOLIC_BACKEND=" << backend << ": programs run "
        << (opens ? "there\n"
                  : "nowhere, since it does not open here: mend it, or unset the variable\n");
    return opens;
  } catch (const InvalidArgument& error) {
    out << "SYSTOLIC_BACKEND: " << error.what() << "\n";
    return false;
  }
}

}  // namespace

int list_devices(std::ostream& out) {
  const auto reports = runtime::inspect_plugins();
  for (const PluginReport& report : reports) {
    for (const std::string& device : report.devices) {
      out << report.platform << ": " << device << "\n";
    }
    if (report.devices.empty()) {
      out << report.platform << ": " << report.path
          << " does not open (`systolic doctor` says why)\n";
    }
  }
  print_software_tpu(out);
  return print_named_backend(reports, out) ? 0 : 1;
}

int doctor(std::ostream& out) {
  const std::string hardware = runtime::tpu_hardware();
  out << "TPU of this machine: "
      << (hardware.empty() ? "none (no /dev/accel*, no PCI device of Google's)" : hardware) << "\n";
  print_software_tpu(out);
  const auto reports = runtime::inspect_plugins();
  out << "PJRT plugins\n";
  for (const PluginReport& report : reports) print_plugin(report, out);
  if (reports.empty()) out << "  none found\n";
  out << "environment\n";
  for (const Variable& variable : variables) {
    const char* value = std::getenv(variable.name);
    out << "  " << variable.name << (value == nullptr ? " is not set" : str("=", value)) << " ("
        << variable.meaning << ")\n";
  }
  out << "processes with the TPU\n";
  print_holders(out);
  list_crashes(out);
  bool opens = false, broken = false;
  for (const PluginReport& report : reports) {
    opens = opens || (report.platform == "tpu" && !report.devices.empty());
    broken = broken || report.version.empty();
  }
  if (!hardware.empty() && !opens) {
    out << "The TPU does not open: programs run on the software TPU, unless they ask for "
           "\"tpu\".\n";
  }
  if (broken) out << "A plugin that was named does not load: mend or unset what names it.\n";
  const bool runs = print_named_backend(reports, out);
  return !runs || broken || (!hardware.empty() && !opens) ? 1 : 0;
}

}  // namespace tool

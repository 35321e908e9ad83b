#include <iomanip>
#include <ostream>

#include "systolic/base/error.h"
#include "tools/systolic/commands.h"
#include "tools/systolic/program_file.h"

namespace tool {
namespace {

using namespace systolic;

void print_memory(const runtime::TpuProgram::Memory& memory, std::ostream& out) {
  const auto line = [&](std::string_view name, int64_t bytes, const std::string& note = "") {
    out << "  " << std::left << std::setw(12) << name << std::right << std::setw(12)
        << bytes_text(bytes) << note << "\n";
  };
  out << "memory of a core\n";
  line("arguments", memory.arguments,
       memory.aliased > 0 ? str("  of these donated to outputs ", bytes_text(memory.aliased)) : "");
  line("outputs", memory.outputs);
  line("temporaries", memory.temporaries);
  line("code", memory.code);
  line("peak", memory.peak,
       memory.limit > 0 ? str("  of ", bytes_text(memory.limit), " that the core has") : "");
}

void print_cost(const std::map<std::string, double>& cost, std::ostream& out) {
  const auto value = [&](const char* name) {
    const auto found = cost.find(name);
    return found == cost.end() ? 0.0 : found->second;
  };
  out << "work of a core in one run, as the compiler estimates it\n";
  out << "  floating-point operations  " << fixed(value("flops") / 1e9, 3) << " G\n";
  out << "  memory read and written    " << fixed(value("bytes accessed") / 1e9, 3) << " GB\n";
  // Negative where the compiler has no estimate.
  if (value("optimal_seconds") > 0) {
    out << "  at best                    " << fixed(value("optimal_seconds") * 1e3, 3) << " ms\n";
  }
}

}  // namespace

int compile(const std::string& file, const runtime::TpuCompileOptions& options, std::ostream& out) {
  runtime::TpuCompileOptions named = options;
  if (named.name.empty()) named.name = file;
  const runtime::TpuProgram program = runtime::compile_for_tpu(program_bytes(file), named);
  out << file << " compiles for " << program.kind << ", " << program.cores << " cores ("
      << program.replicas << " replicas x " << program.partitions << " partitions), in "
      << fixed(program.seconds, 2) << " s\n";
  out << "by " << program.compiler << "\n";
  print_memory(program.memory, out);
  print_cost(program.cost, out);
  return 0;
}

}  // namespace tool

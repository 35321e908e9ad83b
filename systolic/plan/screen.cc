// The plan as text for people.
#include <iomanip>
#include <locale>
#include <sstream>

#include "systolic/base/text.h"
#include "systolic/plan/plan.h"

namespace systolic::inline v0 {
namespace plan {
namespace {

std::string padded_left(const std::string& text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string percent(double part, double whole) {
  return whole > 0 ? fixed(100 * part / whole, 1) + " %" : "";
}

// 0.0000123 s: "12.3 us".
std::string time_text(double seconds) {
  if (seconds < 1e-3) return fixed(seconds * 1e6, 1) + " us";
  if (seconds < 1) return fixed(seconds * 1e3, 2) + " ms";
  return fixed(seconds, 2) + " s";
}

std::string rate_text(double value, double scale, std::string_view unit) {
  return str(fixed(value / scale, value / scale < 10 ? 3 : 1), " ", unit);
}

std::string batch_text(const Plan& plan, int64_t batch) {
  if (batch == 0) return "";
  return str("batch ", with_commas(batch), " a core (global ",
             with_commas(batch * plan.subject.cores), ")");
}

// The compiler's message goes on for pages: its first sentence.
std::string first_line(const std::string& text) {
  constexpr size_t most = 200;
  const std::string line = text.substr(0, text.find('\n'));
  return line.size() > most ? line.substr(0, most) + "..." : line;
}

void print_memory(const Plan& plan, std::ostream& out) {
  out << "HBM of a core\n";
  if (!plan.own.program) {
    out << "  DOES NOT FIT: " << first_line(plan.own.problem) << "\n";
    return;
  }
  const runtime::TpuProgram::Memory& memory = plan.own.program->memory;
  const auto line = [&](std::string_view name, int64_t bytes, const std::string& note = "") {
    out << "  " << std::left << std::setw(14) << name << padded_left(bytes_text(bytes), 11)
        << (note.empty() ? "" : "  ") << note << "\n";
  };
  line("arguments", memory.arguments,
       memory.aliased > 0 ? str(bytes_text(memory.aliased), " of it is updated in place") : "");
  line("outputs", memory.outputs);
  line("temporaries", memory.temporaries);
  line("code", memory.code);
  line("peak", memory.peak,
       str(percent(static_cast<double>(memory.peak), static_cast<double>(plan.memory_limit)),
           " of the ", bytes_text(plan.memory_limit), " that the core has"));
}

void print_work(const Plan& plan, std::ostream& out) {
  if (!plan.own.program) return;
  if (!plan.own.work) {
    out << "work of a core in a step: the compiler counts none\n";
    return;
  }
  const Roofline& work = *plan.own.work;
  const TpuGeneration& generation = plan.kind.generation;
  out << "work of a core in a step\n";
  out << "  floating-point operations " << padded_left(rate_text(work.flops, 1e9, "G"), 10) << "  "
      << padded_left(time_text(work.compute_seconds), 9) << " at "
      << fixed(generation.peak_bf16_flops_per_core / 1e12, 1) << " TFLOP/s (bf16)\n";
  out << "  bytes read and written    " << padded_left(rate_text(work.bytes, 1e9, "GB"), 10) << "  "
      << padded_left(time_text(work.memory_seconds), 9) << " at "
      << fixed(generation.memory_bandwidth_per_core / 1e9, 0) << " GB/s\n";
  out << "  bound by " << (work.bound_by_memory() ? "memory" : "the matrix units") << ": at least "
      << time_text(work.seconds()) << " a step";
  if (plan.subject.batch > 0) {
    out << ", at most "
        << with_commas(static_cast<int64_t>(
               static_cast<double>(plan.subject.batch * plan.subject.cores) / work.seconds()))
        << " samples/s";
  }
  out << ", without the network between cores\n";
}

// Predicted: nothing of it was measured.
void print_spread(const Plan& plan, std::ostream& out) {
  if (!plan.spread || !plan.network) return;
  const Spread& spread = *plan.spread;
  const int64_t gradients = spread.gradient_bytes;
  out << with_commas(spread.processes) << (spread.processes == 1 ? " process" : " processes")
      << " over " << plan.network->text << ", by a model of a ring (predicted)\n";
  out << "  gradients                 " << padded_left(bytes_text(gradients), 11)
      << (plan.subject.gradient_bytes > 0 ? "" : "  at most: all that is updated in place") << "\n";
  out << "  sent by each process      "
      << padded_left(bytes_text(static_cast<int64_t>(spread.sent_bytes)), 11) << "  "
      << time_text(spread.exchange_seconds) << ", " << time_text(spread.hidden_seconds)
      << " of it during the backward pass\n";
  out << "  a step                    " << padded_left(time_text(spread.step_seconds), 11) << "  "
      << percent(spread.efficiency, 1) << " of the samples/s of so many slices by themselves";
  if (plan.subject.batch > 0 && spread.step_seconds > 0) {
    const auto rows = static_cast<double>(plan.subject.batch * plan.subject.cores);
    out << ", at most "
        << with_commas(static_cast<int64_t>(rows * static_cast<double>(spread.processes) /
                                            spread.step_seconds))
        << " samples/s";
  }
  out << "\n";
}

void print_largest(const Plan& plan, std::ostream& out) {
  if (!plan.subject.other_batches) {
    out << "other batches: " << plan.subject.why_not << "\n";
    return;
  }
  if (!plan.largest) return;
  const LargestBatch& largest = *plan.largest;
  out << "largest batch that fits: ";
  if (largest.fits == 0) {
    out << "none that was tried; not even " << largest.does_not.value_or(0) << " a core";
  } else {
    out << (largest.reached_limit ? "more than " : "") << with_commas(largest.fits)
        << " a core (global " << with_commas(largest.fits * plan.subject.cores) << "), peak "
        << bytes_text(largest.peak);
    if (largest.does_not) out << "; " << with_commas(*largest.does_not) << " does not fit";
  }
  out << " (" << largest.compilations << " compilations)\n";
}

void print_table(const Plan& plan, std::ostream& out) {
  if (plan.table.empty()) return;
  out << "batch a core    global   peak HBM   of it  at least a step  at most samples/s  matrix "
         "units  bound by\n";
  for (const Row& row : plan.table) {
    const int64_t global = row.batch * plan.subject.cores;
    out << padded_left(with_commas(row.batch), 12) << padded_left(with_commas(global), 10);
    if (!row.program) {
      out << "   does not fit\n";
      continue;
    }
    out << padded_left(bytes_text(row.program->memory.peak), 11)
        << padded_left(percent(static_cast<double>(row.program->memory.peak),
                               static_cast<double>(plan.memory_limit)),
                       8);
    if (row.work) {
      const double rate = static_cast<double>(global) / row.work->seconds();
      out << padded_left(time_text(row.work->seconds()), 17)
          << padded_left(with_commas(static_cast<int64_t>(rate)), 19)
          << padded_left(percent(row.work->utilization(), 1), 14) << "  "
          << (row.work->bound_by_memory() ? "memory" : "matrix units");
    }
    out << "\n";
  }
}

}  // namespace

std::string to_screen(const Plan& plan) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  const std::string batch = batch_text(plan, plan.subject.batch);
  out << plan.subject.name << " on " << plan.device_kind << " (" << plan.kind.topology << "), "
      << plan.subject.cores << (plan.subject.cores == 1 ? " core" : " cores")
      << (batch.empty() ? "" : ", ") << batch << "\n";
  if (!plan.compiler.empty()) {
    out << "by " << plan.compiler << "\n";
  }
  out << "at effort " << to_string(plan.effort) << ", " << plan.compilations
      << (plan.compilations == 1 ? " compilation" : " compilations") << " in "
      << fixed(plan.seconds, 1) << " s; nothing was run\n";
  print_memory(plan, out);
  print_work(plan, out);
  print_spread(plan, out);
  print_largest(plan, out);
  print_table(plan, out);
  return out.str();
}

}  // namespace plan
}  // namespace systolic::inline v0

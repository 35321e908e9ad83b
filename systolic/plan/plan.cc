#include "systolic/plan/plan.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace plan {
namespace {

// Compiles each batch once, and counts.
class Compilations {
 public:
  Compilations(const CompileBatch& compile, Plan& plan) : compile_(compile), plan_(plan) {}

  const Row& at(int64_t batch) {
    const auto known = rows_.find(batch);
    if (known != rows_.end()) return known->second;
    Row row{.batch = batch};
    ++plan_.compilations;
    try {
      row.program = compile_(batch);
    } catch (const ResourceExhausted& error) {
      row.problem = error.what();
    }
    if (row.program) learn(row);
    return rows_[batch] = std::move(row);
  }

 private:
  void learn(Row& row) {
    row.work = roofline(plan_.kind.generation, *row.program);
    plan_.seconds += row.program->seconds;
    plan_.compiler = row.program->compiler;
    plan_.device_kind = row.program->kind;
    if (row.program->memory.limit > 0) plan_.memory_limit = row.program->memory.limit;
  }

  const CompileBatch& compile_;
  Plan& plan_;
  std::map<int64_t, Row> rows_;
};

}  // namespace

Plan make_plan(const Request& request, const Subject& subject, const CompileBatch& compile) {
  Plan plan{.subject = subject,
            .kind = parse_tpu_kind(request.topology),
            .effort = request.effort,
            .compiler = "",
            .device_kind = "",
            .own = {},
            .table = {},
            .largest = {}};
  plan.memory_limit = plan.kind.generation.memory_bytes_per_core;
  plan.device_kind = plan.kind.generation.device_kind;
  Compilations compilations(compile, plan);
  plan.own = compilations.at(subject.batch);
  if (request.network && plan.own.work) {
    const int64_t bytes =
        subject.gradient_bytes > 0 ? subject.gradient_bytes : plan.own.program->memory.aliased;
    plan.network = request.network;
    plan.spread = spread_over(*request.network, request.processes, bytes, plan.own.work->seconds());
  }
  if (!subject.other_batches) return plan;
  if (request.most_compilations > 0) {
    plan.largest = find_largest_batch(subject.batch, plan.memory_limit, request.most_compilations,
                                      [&](int64_t batch) -> std::optional<int64_t> {
                                        const Row& row = compilations.at(batch);
                                        if (!row.program) return std::nullopt;
                                        return row.program->memory.peak;
                                      });
  }
  for (int64_t batch : request.batches) plan.table.push_back(compilations.at(batch));
  return plan;
}

void finish(const Request& request, const Plan& plan) {
  std::cout << to_screen(plan) << std::flush;
  if (!request.json_file.empty()) {
    std::ofstream file(request.json_file);
    file << to_json(plan) << "\n";
    file.close();
    if (!file) {
      raise<Unavailable>({.what = str("the plan cannot be written to '", request.json_file, "'"),
                          .hint = "name a file in a folder that exists and is writable"});
    }
  }
  std::cerr << std::flush;
  std::_Exit(plan.own.program ? 0 : 1);
}

}  // namespace plan
}  // namespace systolic::inline v0

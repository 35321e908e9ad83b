// The plan as JSON.
#include <nlohmann/json.hpp>

#include "systolic/plan/plan.h"

namespace systolic::inline v0 {
namespace plan {
namespace {

using nlohmann::ordered_json;

ordered_json row_json(const Row& row, int64_t cores) {
  ordered_json json{{"batch_per_core", row.batch},
                    {"global_batch", row.batch * cores},
                    {"fits", row.program.has_value()}};
  if (!row.program) {
    json["problem"] = row.problem;
    return json;
  }
  const runtime::TpuProgram::Memory& memory = row.program->memory;
  json["memory"] = {{"arguments", memory.arguments}, {"outputs", memory.outputs},
                    {"aliased", memory.aliased},     {"temporaries", memory.temporaries},
                    {"code", memory.code},           {"peak", memory.peak}};
  json["compile_seconds"] = row.program->seconds;
  if (!row.work) return json;
  json["work"] = {{"flops", row.work->flops},
                  {"bytes", row.work->bytes},
                  {"compute_seconds", row.work->compute_seconds},
                  {"memory_seconds", row.work->memory_seconds},
                  {"bound_by", row.work->bound_by_memory() ? "memory" : "compute"},
                  {"least_seconds", row.work->seconds()}};
  return json;
}

}  // namespace

std::string to_json(const Plan& plan) {
  ordered_json json{{"name", plan.subject.name},
                    {"topology", plan.kind.topology},
                    {"device_kind", plan.device_kind},
                    {"cores", plan.subject.cores},
                    {"compiler", plan.compiler},
                    {"effort", to_string(plan.effort)},
                    {"compilations", plan.compilations},
                    {"compile_seconds", plan.seconds},
                    {"memory_limit", plan.memory_limit},
                    {"peak_flops_per_second", plan.kind.generation.peak_bf16_flops_per_core},
                    {"bytes_per_second", plan.kind.generation.memory_bandwidth_per_core},
                    {"own", row_json(plan.own, plan.subject.cores)}};
  if (plan.spread && plan.network) {
    json["spread"] = {{"processes", plan.spread->processes},
                      {"bytes_per_second", plan.network->bytes_per_second},
                      {"latency_seconds", plan.network->latency_seconds},
                      {"gradient_bytes", plan.spread->gradient_bytes},
                      {"sent_bytes", plan.spread->sent_bytes},
                      {"exchange_seconds", plan.spread->exchange_seconds},
                      {"hidden_seconds", plan.spread->hidden_seconds},
                      {"step_seconds", plan.spread->step_seconds},
                      {"efficiency", plan.spread->efficiency}};
  }
  if (plan.largest) {
    json["largest"] = {{"batch_per_core", plan.largest->fits},
                       {"peak", plan.largest->peak},
                       {"exact", plan.largest->exact()},
                       {"compilations", plan.largest->compilations}};
    if (plan.largest->does_not) json["largest"]["does_not_fit"] = *plan.largest->does_not;
  }
  if (!plan.subject.other_batches) json["other_batches"] = plan.subject.why_not;
  for (const Row& row : plan.table) json["table"].push_back(row_json(row, plan.subject.cores));
  return json.dump(2);
}

}  // namespace plan
}  // namespace systolic::inline v0

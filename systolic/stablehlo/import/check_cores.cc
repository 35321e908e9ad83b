#include "systolic/stablehlo/import/check_cores.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/sharding.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

int64_t count_of(const Program& program, std::string_view name) {
  const Attribute* attribute = find(program.attributes, name);
  return attribute == nullptr ? 1 : attribute->integer;
}

bool has_channel(const Operation& op) {
  if (const Attribute* id = op.find("channel_id")) return id->integer > 0;
  const Attribute* handle = op.find("channel_handle");
  const Attribute* number = handle == nullptr ? nullptr : find(handle->fields, "handle");
  return number != nullptr && number->integer > 0;
}

bool counts_all_cores(const Operation& op) {
  const Attribute* global = op.find("use_global_device_ids");
  return global != nullptr && (global->kind == Attribute::Kind::unit || global->integer != 0);
}

// With a channel these still count replicas, of all partitions together.
bool reduces(const Operation& op) {
  return op.name == "stablehlo.all_reduce" || op.name == "stablehlo.all_gather" ||
         op.name == "stablehlo.reduce_scatter";
}

void check_op(const Program& program, const Operation& op, const CoreCounts& counts) {
  for (const char* name : {"replica_groups", "source_target_pairs"}) {
    const Attribute* groups = op.find(name);
    if (groups == nullptr) continue;
    int64_t limit = has_channel(op) && !reduces(op) ? counts.partitions : counts.replicas;
    if (counts_all_cores(op)) limit = counts.replicas * counts.partitions;
    for (int64_t id : read_integers(program, *groups)) {
      if (id >= -1 && id < limit) continue;
      raise_at(program, op.offset, str(name, " of ", op.name), str("core ", id),
               str("cores in [0, ", limit,
                   "), as the module says by mhlo.num_replicas and "
                   "mhlo.num_partitions"));
    }
  }
}

// The first op, in the order of the text, whose cores compute on their own parts.
const Operation* find_manual(const Region& region) {
  for (const Operation& op : region.operations) {
    if (op.name == "sdy.manual_computation") return &op;
    for (const Region& inner : op.regions) {
      if (const Operation* found = find_manual(inner)) return found;
    }
  }
  return nullptr;
}

const Operation* find_manual(const Program& program) {
  for (const Function& function : program.functions) {
    if (const Operation* found = find_manual(function.body)) return found;
  }
  return nullptr;
}

}  // namespace

CoreCounts core_counts(const Program& program) {
  return {count_of(program, "mhlo.num_replicas"), count_of(program, "mhlo.num_partitions")};
}

void check_cores(const Program& program) {
  const CoreCounts counts = core_counts(program);
  std::vector<const Operation*> waiting;
  const auto add = [&](const Region& region) {
    for (const Operation& op : region.operations) waiting.push_back(&op);
  };
  for (const Function& function : program.functions) add(function.body);
  while (!waiting.empty()) {
    const Operation& op = *waiting.back();
    waiting.pop_back();
    check_op(program, op, counts);
    for (const Region& region : op.regions) add(region);
  }
}

bool has_manual_part(const Program& program) { return find_manual(program) != nullptr; }

int64_t manual_cores(const Program& program) {
  const Operation* manual = find_manual(program);
  if (manual == nullptr) return 1;
  const int64_t partitions = core_counts(program).partitions;
  if (partitions > 1) return partitions;
  for (const char* name : {"in_shardings", "out_shardings"}) {
    const Attribute* shardings = manual->find(name);
    if (shardings == nullptr) continue;
    for (const MeshSharding& sharding : read_shardings(program, *shardings)) {
      if (sharding.mesh.cores() > 1) return sharding.mesh.cores();
    }
  }
  return 1;
}

bool has_open_sizes(const Program& program) {
  const Function& main = program.entry();
  return std::any_of(main.body.arguments.begin(), main.body.arguments.end(), [&](ValueId value) {
    const std::vector<int64_t>& dims = program.type(main.type(value)).dims;
    return std::find(dims.begin(), dims.end(), dynamic_size) != dims.end();
  });
}

}  // namespace stablehlo
}  // namespace systolic::inline v0

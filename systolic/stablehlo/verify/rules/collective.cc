// Ops between cores.
#include <algorithm>
#include <cstdint>

#include "systolic/stablehlo/verify/rules/families.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

int64_t channel_id(const OpVerifier& op) {
  const Attribute* handle = op.find("channel_handle");
  return handle == nullptr ? op.integer("channel_id", 0) : op.field_integer(*handle, "handle");
}

// What the ids of a group count.
enum class Strategy { cross_replica, cross_partition, cross_replica_and_partition, flattened_ids };

Strategy reducing_strategy(const OpVerifier& op) {
  if (channel_id(op) <= 0) return Strategy::cross_replica;
  return op.boolean("use_global_device_ids") ? Strategy::flattened_ids
                                             : Strategy::cross_replica_and_partition;
}

Strategy moving_strategy(const OpVerifier& op) {
  return channel_id(op) > 0 ? Strategy::cross_partition : Strategy::cross_replica;
}

// How many ids there are; 0 where the module does not say.
int64_t id_count(const OpVerifier& op, Strategy strategy) {
  const ModuleCores cores = op.cores();
  if (strategy == Strategy::flattened_ids) return cores.replicas * cores.partitions;
  return strategy == Strategy::cross_partition ? cores.partitions : cores.replicas;
}

struct Groups {
  bool known = false;  // a table of numbers
  Axes ids, shape;     // -1 fills short rows
};

// The groups are axes of a mesh, which is a symbol of the module.
void verify_mesh(const OpVerifier& op, int input, const Attribute& groups) {
  const Attribute* mesh = find(groups.fields, "mesh");
  if (mesh == nullptr || mesh->kind != Attribute::Kind::symbol) return;
  bool known = op.program().find(mesh->text) != nullptr;
  for (const Operation& other : op.program().operations) {
    const Attribute* name = other.find("sym_name");
    known = known || (name != nullptr && name->text == mesh->text);
  }
  if (known) return;
  op.fail_as('i', input, {"mesh of replica_groups", str("@", mesh->text), "a mesh of the module"});
}

// `input` is the number of the label that replica_groups have as an input.
Groups groups_of(const OpVerifier& op, int input) {
  const Attribute* written = op.find("replica_groups");
  if (written == nullptr) return {};
  verify_mesh(op, input, *written);
  const bool table =
      written->kind == Attribute::Kind::elements || written->kind == Attribute::Kind::array;
  if (!table) return {};
  Groups groups{true, op.flat(*written), op.shape_of(*written)};
  if (groups.shape.size() != 2 && !groups.ids.empty()) {
    op.fail_as('i', input, {"rank(replica_groups)", str(groups.shape.size()), "2"});
  }
  return groups;
}

// The numbers of the labels; 0: none.
struct GroupLabels {
  int unique, size, range;
};

void verify_groups(const OpVerifier& op, const GroupLabels& labels, const Groups& groups,
                   Strategy strategy, bool may_be_filled) {
  if (!groups.known) return;
  Axes ids = groups.ids;
  if (may_be_filled) ids.erase(std::remove(ids.begin(), ids.end(), -1), ids.end());
  op.unique(labels.unique, "replica_groups", ids);
  const int64_t count = id_count(op, strategy), size = static_cast<int64_t>(ids.size());
  if (labels.size != 0 && size != 0 && count != 0) {
    op.is(labels.size, "size(replica_groups)", size, count);
  }
  op.in_range(labels.range, "replica_groups", ids,
              labels.size != 0 ? size
              : count != 0     ? count
                               : INT64_MAX);
}

// dim(process_groups, 1); nothing where it is not known.
std::optional<int64_t> group_size(const OpVerifier& op, const Groups& groups, Strategy strategy) {
  const int64_t partitions = op.cores().partitions;
  const bool wide = strategy == Strategy::cross_replica_and_partition;
  if (wide && partitions == 0) return std::nullopt;
  if (!groups.ids.empty() && groups.shape.size() == 2 && groups.shape[1] > 0) {
    return groups.shape[1] * (wide ? partitions : 1);
  }
  const int64_t all = id_count(op, strategy) * (wide ? partitions : 1);
  if (all == 0) return std::nullopt;
  return all;
}

void global_ids_need_channel(const OpVerifier& op, int label) {
  if (!op.boolean("use_global_device_ids")) return;
  op.at_least(label, "channel_id with use_global_device_ids", {channel_id(op)}, 1);
}

// The shape of an input with one axis multiplied.
void scaled_axis(const OpVerifier& op, int label, const NamedValue& result, const NamedValue& input,
                 int64_t axis, std::optional<int64_t> times, int64_t divided_by) {
  op.same_rank(label, result, input);
  for (int64_t i = 0; i < input.rank(); ++i) {
    if (i != axis) op.same_dim(label, result, i, input, i);
  }
  const int64_t size = input.dim(axis);
  int64_t scaled = 0;
  const bool unknown =
      size == dynamic_size || !times || __builtin_mul_overflow(size, *times, &scaled);
  if (unknown) return;
  op.is(label, str("dim(", result.text(), ", ", axis, ")"), result.dim(axis), scaled / divided_by);
}

void as_many_results(const OpVerifier& op, int label) {
  op.size_is(label, "results", op.op().results.size(),
             static_cast<int64_t>(op.op().operands.size()));
}

}  // namespace

void verify_all_gather(const OpVerifier& op) {
  const NamedValues operands = op.operands("operands"), results = op.results();
  const int64_t axis = op.integer("all_gather_dim");
  for (const NamedValue& operand : operands)
    op.in_range(1, "all_gather_dim", {axis}, operand.rank());
  const Strategy strategy = reducing_strategy(op);
  const Groups groups = groups_of(op, 3);
  global_ids_need_channel(op, 5);
  verify_groups(op, {2, 3, 4}, groups, strategy, false);
  as_many_results(op, 6);
  for (size_t i = 0; i < operands.size(); ++i) {
    scaled_axis(op, 6, results[i], operands[i], axis, group_size(op, groups, strategy), 1);
    const int64_t size = operands[i].dim(axis), gathered = results[i].dim(axis);
    const bool known = size != dynamic_size && gathered != dynamic_size;
    op.require(!known || (size == 0 ? gathered == 0 : gathered % size == 0), 6, [&] {
      return Violation{str("dim(", results[i].text(), ", ", axis, ")"), str(gathered),
                       str("a multiple of ", size, " = dim(", operands[i].text(), ", ", axis, ")")};
    });
    op.same_element(6, results[i], operands[i]);
  }
}

void verify_all_reduce(const OpVerifier& op) {
  const NamedValues operands = op.operands("operands"), results = op.results();
  global_ids_need_channel(op, 4);
  verify_groups(op, {1, 2, 3}, groups_of(op, 2), reducing_strategy(op), true);
  as_many_results(op, 6);
  for (size_t i = 0; i < operands.size(); ++i) {
    const NamedValues folded = op.reducer(5, 0, "computation", {operands[i]});
    op.same_shape(6, results[i], operands[i]);
    op.same_baseline_element(7, results[i], folded[0]);
  }
}

void verify_all_to_all(const OpVerifier& op) {
  const NamedValues operands = op.operands("operands"), results = op.results();
  const int64_t split = op.integer("split_dimension"), concat = op.integer("concat_dimension"),
                count = op.integer("split_count");
  op.at_least(4, "split_count", {count}, 1);
  const Groups groups = groups_of(op, 5);
  verify_groups(op, {5, 6, 7}, groups, moving_strategy(op), false);
  if (groups.known && groups.shape.size() == 2 && groups.shape[1] > 0) {
    op.is(8, "dim(replica_groups, 1)", groups.shape[1], count);
  }
  as_many_results(op, 9);
  for (size_t i = 0; i < operands.size(); ++i) {
    const NamedValue &operand = operands[i], &result = results[i];
    op.in_range(1, "split_dimension", {split}, operand.rank());
    op.in_range(3, "concat_dimension", {concat}, operand.rank());
    const int64_t size = operand.dim(split);
    op.require(size == dynamic_size || size % count == 0, 2, [&] {
      return Violation{str("dim(", operand.text(), ", ", split, ")"), str(size),
                       str("a multiple of split_count = ", count)};
    });
    op.same_element(9, result, operand);
    Axes wanted = operand.type->dims;
    int64_t &from = wanted[static_cast<size_t>(split)], &to = wanted[static_cast<size_t>(concat)];
    if (split != concat) {
      if (from != dynamic_size) from /= count;
      if (to != dynamic_size && __builtin_mul_overflow(to, count, &to)) to = dynamic_size;
    }
    op.shape_is(9, result, wanted);
  }
}

void verify_collective_broadcast(const OpVerifier& op) {
  const bool dynamic_root = op.boolean("has_dynamic_root");
  const Groups groups = groups_of(op, 2);
  verify_groups(op, {1, 0, 2}, groups, moving_strategy(op), true);
  const NamedValues operands = op.operands("operands"), results = op.results();
  const int label = dynamic_root ? 4 : 3;
  const size_t least = dynamic_root ? 2 : 1;
  op.require(operands.size() >= least, label, [&] {
    return Violation{"size(operands)", str(operands.size()), str(least, " or more")};
  });
  const size_t arrays = operands.size() - (dynamic_root ? 1 : 0);
  op.size_is(5, "results", results.size(), static_cast<int64_t>(arrays));
  for (size_t i = 0; i < arrays; ++i) op.same_type(label, results[i], operands[i]);
  if (!dynamic_root) return;
  const NamedValue& root = operands.back();
  const bool fits = !is_quantized(*root.type) && root.type->element == ElementType::i32 &&
                    same_shape(root.type->dims, {static_cast<int64_t>(arrays)});
  op.require(fits, 4, [&] {
    return Violation{str("type(", root.text(), ")"), op.type_of(root),
                     str("tensor<", arrays, "xi32>")};
  });
  const auto roots = op.constant(arrays);
  if (roots && groups.shape.size() == 2) op.in_range(6, root.text(), *roots, groups.shape[1]);
}

namespace {

// A table of pairs in which each source and each target stands once.
void verify_pairs(const OpVerifier& op, const Attribute& written) {
  const Axes shape = op.shape_of(written), flat = op.flat(written);
  const bool empty = flat.empty() && (shape.empty() || shape[0] == 0);
  op.require(empty || (shape.size() == 2 && shape[1] == 2), 1, [&] {
    return Violation{"shape(source_target_pairs)", str("[", join(shape), "]"), "[pairs, 2]"};
  });
  Axes sources, targets;
  for (size_t i = 0; i + 1 < flat.size(); i += 2) {
    sources.push_back(flat[i]);
    targets.push_back(flat[i + 1]);
  }
  op.unique(2, "source_target_pairs[:, 0]", sources);
  op.unique(3, "source_target_pairs[:, 1]", targets);
  const int64_t count = id_count(op, moving_strategy(op));
  op.in_range(4, "source_target_pairs", flat, count != 0 ? count : INT64_MAX);
}

}  // namespace

void verify_collective_permute(const OpVerifier& op) {
  verify_pairs(op, op.required("source_target_pairs"));
  op.same_type(5, op.result(), op.operand(0, "operand"));
}

namespace {

// Arrays, and last a token.
void verify_received(const OpVerifier& op) {
  const NamedValues results = op.results();
  op.at_least(0, "size(results)", {static_cast<int64_t>(results.size())}, 1);
  for (const NamedValue& result : results) {
    const bool last = &result == &results.back();
    const Type::Kind kind = result.type->kind;
    op.require(
        last ? kind == Type::Kind::token : kind == Type::Kind::tensor || kind == Type::Kind::tuple,
        0, [&] {
          return Violation{str("type(", result.text(), ")"), op.type_of(result),
                           last ? "!stablehlo.token" : "an array"};
        });
  }
}

}  // namespace

void verify_send_or_recv(const OpVerifier& op) {
  if (op.op().name == "stablehlo.recv") verify_received(op);
  if (const Attribute* pairs = op.find("source_target_pairs")) verify_pairs(op, *pairs);
  const Attribute* handle = op.find("channel_handle");
  if (handle == nullptr) return;
  constexpr int64_t device_to_device = 1, device_to_host = 2, host_to_device = 3;
  const int64_t type = op.field_integer(*handle, "type");
  const bool host = op.boolean("is_host_transfer"), sends = op.op().name == "stablehlo.send";
  const int64_t wanted = !host ? device_to_device : sends ? device_to_host : host_to_device;
  // The specification names device_to_host for both ways.
  const bool fits = type == wanted || (host && type == device_to_host);
  op.require(fits, 5, [&] {
    return Violation{"channel_type", str(type),
                     str(wanted, host ? " for a host transfer" : ", DEVICE_TO_DEVICE")};
  });
}

void verify_collective_reduce(const OpVerifier& op) {
  verify_groups(op, {1, 0, 2}, groups_of(op, 2), moving_strategy(op), true);
  const bool dynamic_root = op.boolean("has_dynamic_root");
  const NamedValues operands = op.operands("operands"), results = op.results();
  global_ids_need_channel(op, 0);
  op.at_least(0, "size(operands)", {static_cast<int64_t>(operands.size())}, dynamic_root ? 2 : 1);
  const size_t arrays = operands.size() - (dynamic_root ? 1 : 0);
  op.size_is(3, "results", results.size(), static_cast<int64_t>(arrays));
  for (size_t i = 0; i < arrays; ++i) {
    op.same_shape(3, results[i], operands[i]);
    op.reducer(4, 0, "computation", {operands[i]});
  }
  if (!dynamic_root) return;
  const NamedValue& root = operands.back();
  op.shape_is(3, root, {static_cast<int64_t>(arrays)});
  op.require(!is_quantized(*root.type) && root.type->element == ElementType::i32, 0, [&] {
    return Violation{str("element_type(", root.text(), ")"), op.type_of(root), "i32"};
  });
}

void verify_reduce_scatter(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand"), result = op.result();
  const int64_t axis = op.integer("scatter_dimension");
  op.in_range(2, "scatter_dimension", {axis}, operand.rank());
  const Strategy strategy = reducing_strategy(op);
  const Groups groups = groups_of(op, 3);
  global_ids_need_channel(op, 6);
  verify_groups(op, {3, 4, 5}, groups, strategy, false);
  const NamedValues folded = op.reducer(7, 0, "computation", {operand});
  if (const std::optional<int64_t> cores = group_size(op, groups, strategy)) {
    const int64_t size = operand.dim(axis);
    op.require(size == dynamic_size || size % *cores == 0, 1, [&] {
      return Violation{str("dim(operand, ", axis, ")"), str(size),
                       str("a multiple of dim(process_groups, 1) = ", *cores)};
    });
    scaled_axis(op, 8, result, operand, axis, 1, *cores);
  }
  op.same_baseline_element(9, result, folded[0]);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0

#include "backends/peers/exchange.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/clone.h"
#include "systolic/ir/core_groups.h"
#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace peers {

using ir::Op;
using ir::OpCode;
using ir::Value;

namespace {

ir::Axes row_major(int rank) {
  ir::Axes axes;
  while (rank-- > 0) axes.push_back(rank);
  return axes;
}

// Copies a program, collectives excepted.
class ExchangeWriter {
 public:
  ExchangeWriter(const ir::Module& module, const std::string& exchange, ir::Module& target)
      : source_(module.main()),
        processes_(module.num_replicas),
        exchange_(exchange),
        target_(target.main()),
        builder_(target.main(), &target),
        map_(source_.types.size()) {}

  void write() {
    for (size_t i = 0; i < source_.arguments.size(); ++i) {
      const ir::ValueId argument = source_.body.arguments[i];
      ir::Parameter parameter = source_.arguments[i];
      parameter.uniform = false;
      map_.set(argument, builder_.argument(source_.type(argument), std::move(parameter)).id());
    }
    write(source_.body);
    receive(source_.body.results);
    for (size_t i = 0; i < source_.results.size(); ++i) {
      builder_.result(get(source_.body.results[i]), source_.results[i]);
    }
  }

 private:
  // Arrays whose sums over the processes travel together.
  struct Sum {
    OpCode fold = OpCode::add;
    std::vector<Value> operands = {};
    std::vector<ir::ValueId> results = {};  // of the source
    int64_t bytes = 0;
    std::optional<Value> ticket = {};  // once it has left
  };

  Value get(ir::ValueId value) { return builder_.value(map_.at(value)); }

  void write(const ir::Block& block) {
    for (const Op& op : block.ops) write(op);
  }

  void write(const Op& op) {
    builder_.location = op.location;
    builder_.layer_path = op.layer_path;
    receive(ir::values_read(op));
    if (op.code == OpCode::replica_id) {
      return map_.set(op.results[0], call("process_index", {}, {{DType::u32, {}}})[0].id());
    }
    if (ir::info(op.code).family == ir::OpFamily::collective) return write_collective(op);
    const bool has_exchange =
        std::any_of(op.regions.begin(), op.regions.end(),
                    [](const auto& region) { return holds_exchange(region); });
    if (!has_exchange) return ir::clone_op(op, source_, target_, builder_.block(), map_);
    std::vector<ir::Block> regions;
    for (const ir::Block& region : op.regions) regions.push_back(write_region(region));
    std::vector<Value> operands;
    for (ir::ValueId operand : op.operands) operands.push_back(get(operand));
    const std::vector<Value> results =
        builder_.append(op.code, operands, op.attributes, std::move(regions));
    for (size_t i = 0; i < results.size(); ++i) map_.set(op.results[i], results[i].id());
  }

  static bool holds_exchange(const ir::Block& block) {
    bool found = false;
    ir::for_each_op(block, [&](const Op& op) {
      found = found || op.code == OpCode::replica_id ||
              ir::info(op.code).family == ir::OpFamily::collective;
    });
    return found;
  }

  ir::Block write_region(const ir::Block& region) {
    std::vector<ir::Type> types;
    for (ir::ValueId argument : region.arguments) types.push_back(source_.type(argument));
    return builder_.region(types, [&](std::span<const Value> arguments) {
      for (size_t i = 0; i < arguments.size(); ++i) {
        map_.set(region.arguments[i], arguments[i].id());
      }
      const std::vector<Sum> outside = std::exchange(sums_, {});
      write(region);
      receive_all();
      sums_ = outside;
      std::vector<Value> results;
      for (ir::ValueId result : region.results) results.push_back(get(result));
      return results;
    });
  }

  std::vector<Value> call(const std::string& name, std::vector<Value> operands,
                          std::vector<ir::Type> types, std::vector<ir::CustomOption> options = {}) {
    ir::CustomCallAttributes attributes{.call_target_name = exchange_ + name,
                                        .options = std::move(options)};
    for (const Value& operand : operands) {
      attributes.operand_layouts.push_back(row_major(operand.rank()));
    }
    for (const ir::Type& type : types) {
      attributes.result_layouts.push_back(row_major(type.shape.rank()));
    }
    attributes.has_side_effect = true;  // all processes come to the calls in the program's order
    return builder_.append(OpCode::custom_call, operands, std::move(attributes), {},
                           std::move(types));
  }

  void write_collective(const Op& op) {
    const bool whole_group =
        op.code != OpCode::collective_permute && ir::is_whole_group(op, processes_);
    if (!whole_group) {
      raise<Unimplemented>({.what = str(ir::info(op.code).name, " among some of the processes"),
                            .location = op.location});
    }
    switch (op.code) {
      case OpCode::all_reduce:
        return write_all_reduce(op);
      case OpCode::all_gather:
        return map_.set(
            op.results[0],
            gathered(get(op.operands[0]), op.get<ir::GatherCoresAttributes>().dimension).id());
      case OpCode::all_to_all:
        return write_all_to_all(op);
      default:
        raise<Unimplemented>(
            {.what = str(ir::info(op.code).name, " between processes"), .location = op.location});
    }
  }

  void write_all_reduce(const Op& op) {
    const auto fold = ir::fold_op(op.regions[0]);
    if (!fold) {
      raise<Unimplemented>({.what = "an all_reduce between processes by a function of its own",
                            .wanted = "add, multiply, maximum, minimum, and, or or xor",
                            .location = op.location});
    }
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const Value x = get(op.operands[i]);
      Sum& sum = sum_that_waits(x.dtype(), *fold);
      sum.operands.push_back(x);
      sum.results.push_back(op.results[i]);
      sum.bytes += x.type().bytes();
      if (sum.bytes >= bucket_bytes) send(sum);
    }
  }

  // The one to which an array of this type may be added.
  Sum& sum_that_waits(DType dtype, OpCode fold) {
    for (Sum& sum : sums_) {
      if (!sum.ticket && sum.operands[0].dtype() == dtype && sum.fold == fold) return sum;
    }
    sums_.push_back({.fold = fold});
    return sums_.back();
  }

  void send(Sum& sum) {
    sum.ticket = call("reduce_start", sum.operands, {{DType::u32, {}}},
                      {{"fold", std::string(ir::info(sum.fold).name)}})[0];
  }

  void receive(Sum& sum) {
    if (!sum.ticket) send(sum);
    std::vector<ir::Type> types;
    for (const Value& operand : sum.operands) types.push_back(operand.type());
    const std::vector<Value> results = call("reduce_wait", {*sum.ticket}, std::move(types));
    for (size_t i = 0; i < results.size(); ++i) map_.set(sum.results[i], results[i].id());
  }

  // The sums to which these values belong arrive. What waits for company leaves now, too: the
  // program is about to stand still.
  void receive(std::span<const ir::ValueId> values) {
    const auto is_read = [&](const Sum& sum) {
      return std::any_of(sum.results.begin(), sum.results.end(), [&](ir::ValueId result) {
        return std::find(values.begin(), values.end(), result) != values.end();
      });
    };
    if (std::none_of(sums_.begin(), sums_.end(), is_read)) return;
    for (Sum& sum : sums_) {
      if (!sum.ticket) send(sum);
    }
    for (Sum& sum : sums_) {
      if (is_read(sum)) receive(sum);
    }
    std::erase_if(sums_, is_read);
  }

  void receive_all() {
    for (Sum& sum : sums_) receive(sum);
    sums_.clear();
  }

  // Pieces lie side by side along a new first axis, which moves to `axis` and joins it.
  Value joined(Value pieces, int64_t axis) {
    ir::Axes permutation;
    for (int i = 1; i < pieces.rank(); ++i) permutation.push_back(i);
    permutation.insert(permutation.begin() + axis, 0);
    const Value moved = axis == 0 ? pieces : transpose(pieces, permutation);
    Shape shape = moved.shape().without(static_cast<int>(axis));
    shape.set(static_cast<int>(axis), shape[static_cast<int>(axis)] * processes_);
    return reshape(moved, shape);
  }

  Value gathered(Value own, int64_t axis) {
    const ir::Type type{own.dtype(), own.shape().with_inserted(0, processes_)};
    return joined(call("all_gather", {own}, {type})[0], axis);
  }

  void write_all_to_all(const Op& op) {
    const auto& a = op.get<ir::AllToAllAttributes>();
    const Value x = get(op.operands[0]);
    const auto split = static_cast<int>(a.split_dimension);
    Shape shape = x.shape().with_inserted(split, processes_);
    shape.set(split + 1, x.shape()[split] / processes_);
    ir::Axes permutation{split};
    for (int i = 0; i < shape.rank(); ++i) {
      if (i != split) permutation.push_back(i);
    }
    const Value parts = transpose(reshape(x, shape), permutation);
    map_.set(op.results[0],
             joined(call("all_to_all", {parts}, {parts.type()})[0], a.concat_dimension).id());
  }

  const ir::Function& source_;
  int64_t processes_;
  std::vector<Sum> sums_;  // of the block that is being written, not yet arrived
  const std::string& exchange_;
  ir::Function& target_;
  ir::Builder builder_;
  ir::ValueMap map_;
};

}  // namespace

ir::Module with_exchange(const ir::Module& module, const std::string& exchange) {
  ir::Module result;
  result.name = module.name;
  result.functions.emplace_back().name = module.main().name;
  ExchangeWriter(module, exchange, result).write();
  return result;
}

}  // namespace peers
}  // namespace systolic::inline v0

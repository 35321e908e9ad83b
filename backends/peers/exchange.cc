#include "backends/peers/exchange.h"

#include <atomic>
#include <cstring>
#include <functional>

#include "systolic/base/error.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/clone.h"
#include "systolic/ir/core_groups.h"
#include "systolic/ir/region.h"
#include "systolic/runtime/custom_function.h"

namespace systolic::inline v0 {
namespace peers {

using ir::Op;
using ir::OpCode;
using ir::Value;

namespace {

using Arrays = std::span<const CustomArray>;
using Run = std::function<void(runtime::Peers&, Arrays operands, Arrays results)>;

class ExchangeFunction final : public CustomFunction {
 public:
  ExchangeFunction(std::weak_ptr<runtime::Peers> peers, Run run)
      : peers_(std::move(peers)), run_(std::move(run)) {}

  void run(Arrays operands, Arrays results) const override {
    const runtime::PeersPtr peers = peers_.lock();
    if (peers == nullptr) {
      raise<FailedPrecondition>({.what = "the processes of this program are gone"});
    }
    run_(*peers, operands, results);
  }

 private:
  std::weak_ptr<runtime::Peers> peers_;
  Run run_;
};

size_t bytes_of(const CustomArray& array) { return static_cast<size_t>(array.type.bytes()); }

// The op by which all_reduce folds, by name in the call's options.
OpCode fold_of(const ir::CustomCallAttributes& call) {
  const std::string& name = std::get<std::string>(call.options.at(0).value);
  for (int code = 0; code < ir::op_count; ++code) {
    const auto op = static_cast<OpCode>(code);
    if (ir::info(op).name == name) return op;
  }
  raise<InvalidArgument>({.what = str("all_reduce by '", name, "', which is no op")});
}

void reduce_in_place(runtime::Peers& peers, Arrays operands, Arrays results, OpCode fold) {
  const CustomArray& result = results[0];
  if (operands[0].data != result.data) {
    std::memcpy(result.data, operands[0].data, bytes_of(result));
  }
  peers.all_reduce(result.data, result.type.shape.elements(), result.type.dtype, fold);
}

}  // namespace

std::string register_exchange(const runtime::PeersPtr& peers) {
  static std::atomic<int> groups{0};
  const std::string exchange = str("systolic.peers.", groups++, ".");
  const std::weak_ptr<runtime::Peers> weak = peers;
  const auto known = [&](const char* name,
                         const std::function<Run(const ir::CustomCallAttributes&)>& make) {
    register_custom_function(exchange + name, [weak, make](const ir::CustomCallAttributes& call) {
      return std::make_unique<ExchangeFunction>(weak, make(call));
    });
  };
  known("all_reduce", [](const ir::CustomCallAttributes& call) -> Run {
    return [fold = fold_of(call)](runtime::Peers& own, Arrays operands, Arrays results) {
      reduce_in_place(own, operands, results, fold);
    };
  });
  known("all_gather", [](const ir::CustomCallAttributes&) -> Run {
    return [](runtime::Peers& own, Arrays operands, Arrays results) {
      own.all_gather(operands[0].data, results[0].data, bytes_of(operands[0]));
    };
  });
  known("all_to_all", [](const ir::CustomCallAttributes&) -> Run {
    return [](runtime::Peers& own, Arrays operands, Arrays results) {
      const auto count = static_cast<size_t>(own.processes().count);
      own.all_to_all(operands[0].data, results[0].data, bytes_of(operands[0]) / count);
    };
  });
  known("process_index", [](const ir::CustomCallAttributes&) -> Run {
    return [](runtime::Peers& own, Arrays, Arrays results) {
      const auto index = static_cast<uint32_t>(own.processes().index);
      std::memcpy(results[0].data, &index, sizeof(index));
    };
  });
  return exchange;
}

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
    for (size_t i = 0; i < source_.results.size(); ++i) {
      builder_.result(get(source_.body.results[i]), source_.results[i]);
    }
  }

 private:
  Value get(ir::ValueId value) { return builder_.value(map_.at(value)); }

  void write(const ir::Block& block) {
    for (const Op& op : block.ops) write(op);
  }

  void write(const Op& op) {
    builder_.location = op.location;
    builder_.layer_path = op.layer_path;
    if (op.code == OpCode::replica_id) {
      return map_.set(op.results[0], call("process_index", {}, {{DType::u32, {}}}).id());
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
      write(region);
      std::vector<Value> results;
      for (ir::ValueId result : region.results) results.push_back(get(result));
      return results;
    });
  }

  Value call(const std::string& name, std::vector<Value> operands, std::vector<ir::Type> types,
             std::vector<ir::CustomOption> options = {}) {
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
                           std::move(types))[0];
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
      map_.set(
          op.results[i],
          call("all_reduce", {x}, {x.type()}, {{"fold", std::string(ir::info(*fold).name)}}).id());
    }
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
    return joined(call("all_gather", {own}, {type}), axis);
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
             joined(call("all_to_all", {parts}, {parts.type()}), a.concat_dimension).id());
  }

  const ir::Function& source_;
  int64_t processes_;
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

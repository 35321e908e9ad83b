#include "plugin/processes/share.h"

#include <algorithm>
#include <set>
#include <utility>

#include "backends/peers/fold.h"
#include "systolic/base/error.h"
#include "systolic/ir/region.h"
#include "systolic/passes/partition/collective_bytes.h"
#include "systolic/passes/partition/sum_after_loops.h"
#include "systolic/passes/stack/stack_cores.h"

namespace systolic::inline v0 {
namespace plugin {
namespace {

using Places = std::vector<std::vector<size_t>>;
using stablehlo::Parts;

// Whether these devices hold the piece together, and nothing else.
bool hold_piece(const Parts& parts, const Shape& shape, const Piece& piece,
                const std::vector<size_t>& devices) {
  const auto axis = static_cast<size_t>(piece.axis);
  const int64_t end = piece.first + piece.size;
  std::set<std::vector<int64_t>> starts;
  for (const size_t device : devices) {
    const std::vector<int64_t>& start = parts.start.at(device);
    if (start[axis] < piece.first || start[axis] + parts.size[axis] > end) return false;
    starts.insert(start);
  }
  const int64_t held = Shape(parts.size).elements() * static_cast<int64_t>(starts.size());
  return held == shape.elements() / shape[piece.axis] * piece.size;
}

bool is_cut_along(const Port& port, int axis, const Places& places) {
  const Shape& shape = port.type.shape;
  const auto pieces = static_cast<int64_t>(places.size());
  if (shape[axis] == 0 || shape[axis] % pieces != 0) return false;
  const int64_t size = shape[axis] / pieces;
  for (size_t process = 0; process < places.size(); ++process) {
    const Piece piece{axis, size * static_cast<int64_t>(process), size};
    if (!hold_piece(port.parts, shape, piece, places[process])) return false;
  }
  return true;
}

int cut_of(const Port& port, const Places& places) {
  if (!port.parts.addend.empty()) return passes::no_cut;
  for (int axis = 0; axis < port.type.shape.rank(); ++axis) {
    if (is_cut_along(port, axis, places)) return axis;
  }
  return passes::no_cut;
}

// Whether `is_one` is true of an op of the program.
template <class IsOne>
bool has_op(const ir::Module& module, const IsOne& is_one) {
  bool found = false;
  for (const ir::Function& function : module.functions) {
    ir::for_each_op(function.body,
                    [&](const ir::Op& op) { found = found || is_one(function, op); });
  }
  return found;
}

// A program for each core as one over whole arrays; nothing where something asks for the core that
// whole arrays lie on.
std::optional<passes::StackedModule> over_whole_arrays(const ir::Module& module) {
  if (module.num_replicas > 1) return passes::stack_cores(module);
  if (asks_other_cores(module)) return std::nullopt;
  return passes::StackedModule{module, std::vector<bool>(module.main().results.size(), false)};
}

// Whether each process's devices follow those of the process before it.
bool are_in_order(const Places& places) {
  size_t next = 0;
  for (const std::vector<size_t>& devices : places) {
    for (const size_t device : devices) {
      if (device != next++) return false;
    }
    if (devices.size() != places[0].size()) return false;
  }
  return true;
}

// Results that differ between devices are handed out where each device is to have a whole one.
bool can_hand_out(const std::vector<bool>& differs, const std::vector<Port>& results,
                  const Places& places) {
  for (size_t i = 0; i < results.size(); ++i) {
    const bool whole = results[i].parts.whole(results[i].type.shape);
    if (differs[i] && !(whole && are_in_order(places))) return false;
  }
  return true;
}

bool calls_functions(const ir::Module& module) {
  return has_op(module, [](const ir::Function&, const ir::Op& op) {
    return op.code == ir::OpCode::custom_call;
  });
}

bool sums_what_cannot_be_summed(const ir::Module& module) {
  return has_op(module, [](const ir::Function& function, const ir::Op& op) {
    if (op.code != ir::OpCode::all_reduce) return false;
    const std::optional<ir::OpCode> fold = ir::fold_op(op.regions[0]);
    return !fold || !peers::can_fold(function.type(op.operands[0]).dtype, *fold);
  });
}

std::vector<int> cuts_of(const std::vector<Port>& ports, const Places& places) {
  std::vector<int> cuts;
  for (const Port& port : ports) cuts.push_back(cut_of(port, places));
  return cuts;
}

bool any_is_cut(const std::vector<int>& cuts) {
  return std::any_of(cuts.begin(), cuts.end(), [](int cut) { return cut != passes::no_cut; });
}

double bytes_of(const std::vector<Port>& ports) {
  double bytes = 0;
  for (const Port& port : ports) bytes += static_cast<double>(port.type.bytes());
  return bytes;
}

// False also where only a run tells how many bytes there are.
bool is_worth_it(const ir::Module& share, const Signature& signature) {
  return passes::collective_bytes_of_all_rounds(share) <=
         bytes_of(signature.arguments) + bytes_of(signature.results);
}

// Results that differ between devices are cut along the axis of the devices.
std::vector<int> wanted_cuts(const Share& share) {
  std::vector<int> cuts = share.result_cuts;
  for (size_t i = 0; i < cuts.size(); ++i) {
    if (share.result_differs[i]) cuts[i] = 0;
  }
  return cuts;
}

// Nothing for programs that the partitioner has no rule for.
std::optional<passes::Partitioned> partitioned(const ir::Module& module, int64_t processes,
                                               const Share& share) {
  const std::vector<int> wanted = wanted_cuts(share);
  try {
    auto result =
        passes::partition(module, processes, share.argument_cuts, {wanted.begin(), wanted.end()});
    result.module = passes::sum_after_loops(std::move(result.module));
    return result;
  } catch (const InvalidArgument&) {
    return std::nullopt;
  } catch (const Unimplemented&) {
    return std::nullopt;
  }
}

}  // namespace

bool asks_other_cores(const ir::Module& module) {
  return has_op(module, [](const ir::Function&, const ir::Op& op) {
    return ir::info(op.code).family == ir::OpFamily::collective ||
           op.code == ir::OpCode::replica_id || op.code == ir::OpCode::partition_id;
  });
}

Parts parts_within(Parts parts, const Piece& piece) {
  if (!piece.is_cut()) return parts;
  for (std::vector<int64_t>& start : parts.start)
    start[static_cast<size_t>(piece.axis)] -= piece.first;
  return parts;
}

std::optional<Share> share_of(const ir::Module& module, const Signature& signature,
                              const Places& places) {
  if (places.size() < 2) return std::nullopt;
  Share share{.module = {},
              .argument_cuts = cuts_of(signature.arguments, places),
              .result_cuts = cuts_of(signature.results, places),
              .result_differs = {}};
  if (!any_is_cut(share.argument_cuts)) return std::nullopt;
  std::optional<passes::StackedModule> whole = over_whole_arrays(module);
  if (!whole || calls_functions(whole->module) ||
      !can_hand_out(whole->result_is_stacked, signature.results, places)) {
    return std::nullopt;
  }
  share.result_differs = std::move(whole->result_is_stacked);
  auto parts = partitioned(whole->module, static_cast<int64_t>(places.size()), share);
  if (!parts || sums_what_cannot_be_summed(parts->module) ||
      !is_worth_it(parts->module, signature)) {
    return std::nullopt;
  }
  ensure(parts->result_cuts == wanted_cuts(share), "results that are cut as their devices want");
  share.module = std::move(parts->module);
  return share;
}

}  // namespace plugin
}  // namespace systolic::inline v0

// case, if, while: their bodies are lists of steps inside one step.
#include <algorithm>
#include <memory>

#include "backends/cpu/lower/families.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/passes/trip_count.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using Steps = std::shared_ptr<const std::vector<Step>>;

Steps end_steps(Planner& planner) {
  return std::make_shared<const std::vector<Step>>(planner.end_steps());
}

struct Work {
  double flops = 0, bytes = 0;
  MatrixWork matrix = {};
};

Work work_of(const std::vector<Step>& steps) {
  Work work;
  for (const Step& step : steps) {
    work.flops += step.flops;
    work.bytes += step.bytes;
    work.matrix += step.matrix;
  }
  return work;
}

// What was done beyond (or, times being negative, short of) what the plan counts.
void count_more(const Frame& frame, const Work& work, double times) {
  frame.state().more_flops += times * work.flops;
  frame.state().more_bytes += times * work.bytes;
  frame.state().more_matrix += times * work.matrix;
}

std::string indented(const std::vector<Step>& steps) {
  std::string text;
  for (const Step& step : steps) {
    std::string line = "\n" + step.text;
    for (size_t at = line.find('\n'); at != std::string::npos; at = line.find('\n', at + 1)) {
      line.insert(at + 1, "  ");
    }
    text += line;
  }
  return text;
}

// Lowers a branch whose results go to `targets`.
Steps lower_branch(Planner& planner, const ir::Block& branch, const std::vector<PlaceId>& targets) {
  planner.begin_steps();
  const int begin = planner.memory().position();
  planner.lower_block(branch);
  std::vector<PlaceId> results;
  for (ir::ValueId value : branch.results) results.push_back(planner.dense(value));
  for (size_t i = 0; i < targets.size(); ++i) {
    if (planner.memory().move_into(results[i], targets[i], begin)) continue;
    planner.emit_copy(dense_view(results[i], planner.type(branch.results[i])), targets[i]);
  }
  return end_steps(planner);
}

}  // namespace

void lower_case(Planner& planner, const ir::Op& op) {
  planner.prepare_captures(op);
  const bool is_if = op.code == ir::OpCode::if_;
  const PlaceId selector = planner.dense(op.operands[0]);
  std::vector<PlaceId> targets;
  // Born here, so that no branch puts anything of its own there.
  const int start = planner.begin_position();
  planner.memory().read(selector, start);
  for (ir::ValueId result : op.results) {
    targets.push_back(planner.define(result));
    planner.memory().write(targets.back(), start);
  }
  std::vector<Steps> branches;
  std::string text = op_text(planner, op);
  for (const ir::Block& region : op.regions) {
    branches.push_back(lower_branch(planner, region, targets));
    text += str("\n branch", indented(*branches.back()));
  }
  const auto last = static_cast<int32_t>(branches.size() - 1);
  StepNote note{.name = text, .writes = targets};
  std::vector<Work> works;
  for (const Steps& branch : branches) {
    works.push_back(work_of(*branch));
    for (const Step& step : *branch) note.loops |= step.loops;
  }
  // The plan counts the last branch: of an if the false one.
  note.flops = works.back().flops;
  note.bytes = works.back().bytes;
  note.matrix = works.back().matrix;
  planner.at(op);
  planner.emit(std::move(note), [=](const Frame& frame) {
    int32_t chosen = 0;
    if (is_if) {
      chosen = *frame.at<bool>(selector) ? 0 : 1;
    } else {
      chosen = *frame.at<int32_t>(selector);
      if (chosen < 0 || chosen > last) chosen = last;
    }
    run_steps(*branches[static_cast<size_t>(chosen)], frame);
    count_more(frame, works[static_cast<size_t>(chosen)], 1);
    count_more(frame, works.back(), -1);
  });
}

namespace {

struct Loop {
  std::vector<PlaceId> carried;
  std::vector<ir::Type> types;
};

Loop start_loop(Planner& planner, const ir::Op& op) {
  Loop loop;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const View initial = planner.view(op.operands[i]);
    loop.types.push_back(planner.type(op.results[i]));
    loop.carried.push_back(planner.define(op.results[i]));
    planner.emit_copy(initial, loop.carried[i], "copy to loop");
  }
  return loop;
}

void bind_arguments(Planner& planner, const ir::Block& region, const Loop& loop) {
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    planner.define(region.arguments[i], dense_view(loop.carried[i], loop.types[i]));
  }
}

Steps lower_condition(Planner& planner, const ir::Block& region, const Loop& loop,
                      PlaceId predicate) {
  planner.begin_steps();
  bind_arguments(planner, region, loop);
  const int begin = planner.memory().position();
  planner.lower_block(region);
  const PlaceId result = planner.dense(region.results[0]);
  if (!planner.memory().move_into(result, predicate, begin)) {
    planner.emit_copy(dense_view(result, planner.type(region.results[0])), predicate);
  }
  return end_steps(planner);
}

// Results that are carried values of another position are saved before any carried value changes.
void save_exchanged(Planner& planner, const Loop& loop, std::vector<PlaceId>& results) {
  MemoryLayout& memory = planner.memory();
  for (size_t i = 0; i < results.size(); ++i) {
    const PlaceId top = memory.root(results[i]);
    bool other = false;
    for (size_t j = 0; j < loop.carried.size(); ++j) {
      other = other || (j != i && memory.root(loop.carried[j]) == top);
    }
    if (!other) continue;
    const PlaceId saved = planner.temporary(memory.bytes(results[i]));
    planner.emit_copy(dense_view(results[i], loop.types[i]), saved, "save");
    results[i] = saved;
  }
}

Steps lower_body(Planner& planner, const ir::Block& region, const Loop& loop) {
  planner.begin_steps();
  bind_arguments(planner, region, loop);
  const int begin = planner.memory().position();
  planner.lower_block(region);
  std::vector<PlaceId> results;
  for (ir::ValueId value : region.results) results.push_back(planner.dense(value));
  save_exchanged(planner, loop, results);
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i] == loop.carried[i]) continue;
    if (planner.memory().move_into(results[i], loop.carried[i], begin)) continue;
    planner.emit_copy(dense_view(results[i], loop.types[i]), loop.carried[i], "carry");
  }
  return end_steps(planner);
}

}  // namespace

void lower_while(Planner& planner, const ir::Op& op) {
  planner.prepare_captures(op);
  const Loop loop = start_loop(planner, op);
  const PlaceId predicate = planner.temporary(1);
  const int begin = planner.begin_position();
  planner.memory().write(predicate, begin);
  const Steps condition = lower_condition(planner, op.regions[0], loop, predicate);
  const Steps body = lower_body(planner, op.regions[1], loop);
  planner.memory().close_loop(begin + 1);
  StepNote note{
      .name = str(op_text(planner, op), "\n while", indented(*condition), "\n do", indented(*body)),
      .reads = {predicate}};
  const Work once = work_of(*body);
  // The plan counts all rounds where it knows their number, else one.
  const auto definition_of = [&](ir::ValueId value) { return planner.definition(value); };
  const auto planned = static_cast<double>(passes::trip_count(definition_of, op).value_or(1));
  const bool outermost = planner.is_outermost();
  note.flops = planned * once.flops;
  note.bytes = planned * once.bytes;
  note.matrix = planned * once.matrix;
  note.loops = true;
  planner.at(op);
  planner.emit(std::move(note), [=](const Frame& frame) {
    int64_t round = 0;
    try {
      for (;; ++round) {
        run_steps(*condition, frame);
        if (!*frame.at<bool>(predicate)) break;
        run_steps(*body, frame);
      }
    } catch (...) {
      frame.state().failed_round = round;  // a loop around this one writes its own over it
      throw;
    }
    count_more(frame, once, static_cast<double>(round) - planned);
    if (outermost) frame.state().outermost_rounds += static_cast<double>(round);
  });
}

void lower_barrier(Planner& planner, const ir::Op& op) {
  for (size_t i = 0; i < op.operands.size(); ++i) {
    planner.define(op.results[i], View(planner.view(op.operands[i])));
  }
}

void lower_call(Planner& planner, const ir::Op& op) {
  raise<Internal>({.what = str("call of ", op.get<ir::CallAttributes>().callee, " in ",
                               planner.function().name, " was not inlined"),
                   .location = op.location});
}

}  // namespace cpu
}  // namespace systolic::inline v0

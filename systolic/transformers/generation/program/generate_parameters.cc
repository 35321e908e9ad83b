#include "systolic/transformers/generation/program/generate_parameters.h"

#include <algorithm>

namespace systolic::inline v0 {

namespace argument = generate_argument;

namespace {

Literal as_f32(double value) { return Literal::scalar(static_cast<float>(value)); }
Literal as_i32(int64_t value) { return Literal::scalar(static_cast<int32_t>(value)); }

}  // namespace

GenerateParameters generate_parameters(const GenerateShape& shape, int64_t vocabulary) {
  using Given = const GenerateArguments&;
  const int64_t rows = shape.rows, source_tokens = std::max<int64_t>(shape.source, 1);
  GenerateParameters all;
  const bool hears = shape.bins > 0;
  const ir::Type source = hears ? ir::Type{DType::f32, {rows, shape.bins, source_tokens}}
                                : ir::Type{DType::i32, {rows, source_tokens}};
  all[argument::source] = {source, [](Given g) { return g.source; }, true};
  all[argument::source_mask] = {
      {DType::i32, {rows, hears ? 1 : source_tokens}}, [](Given g) { return g.source_mask; }, true};
  all[argument::ids] = {{DType::i32, {rows, shape.prompt}}, [](Given g) { return g.ids; }, true};
  all[argument::starts] = {{DType::i32, {rows}}, [](Given g) { return g.starts; }, true};
  all[argument::finished] = {{DType::pred, {rows}}, [](Given g) { return g.finished; }, true};
  all[argument::seen] = {{DType::pred, {rows, shape.penalizes ? vocabulary : 1}},
                         [](Given g) { return g.seen; },
                         true};
  all[argument::ends] = {{DType::i32, {shape.ends}}, [](Given g) { return g.ends; }};
  all[argument::padding] = {{DType::i32, {}}, [](Given g) { return as_i32(g.padding); }};
  all[argument::count] = {{DType::i32, {}}, [](Given g) { return as_i32(g.count); }};
  all[argument::temperature] = {{DType::f32, {}}, [](Given g) { return as_f32(g.temperature); }};
  all[argument::top_p] = {{DType::f32, {}}, [](Given g) { return as_f32(g.top_p); }};
  all[argument::min_p] = {{DType::f32, {}}, [](Given g) { return as_f32(g.min_p); }};
  all[argument::typical_p] = {{DType::f32, {}}, [](Given g) { return as_f32(g.typical_p); }};
  all[argument::least] = {{DType::i32, {}}, [](Given g) { return as_i32(g.least); }};
  all[argument::forced_begin] = {{DType::i32, {}}, [](Given g) { return as_i32(g.forced_begin); }};
  all[argument::forced_end] = {{DType::i32, {}}, [](Given g) { return as_i32(g.forced_end); }};
  all[argument::suppressed] = {{DType::pred, {1, shape.suppresses ? vocabulary : 1}},
                               [](Given g) { return g.suppressed; }};
  all[argument::first_suppressed] = {{DType::pred, {1, shape.suppresses_first ? vocabulary : 1}},
                                     [](Given g) { return g.first_suppressed; }};
  all[argument::first_step] = {{DType::i32, {}}, [](Given g) { return as_i32(g.first_step); }};
  all[argument::time_begin] = {{DType::i32, {}}, [](Given g) { return as_i32(g.times.begin); }};
  all[argument::last_first_time] = {{DType::i32, {}},
                                    [](Given g) { return as_i32(g.times.last_first); }};
  all[argument::no_times] = {{DType::i32, {}}, [](Given g) { return as_i32(g.times.none); }};
  all[argument::time_end] = {{DType::i32, {}}, [](Given g) { return as_i32(g.times.end); }};
  all[argument::length_weights] = {{DType::f32, {shape.room + 1}},
                                   [](Given g) { return g.length_weights; }};
  all[argument::penalty] = {{DType::f32, {}}, [](Given g) { return as_f32(g.repetition_penalty); }};
  all[argument::key] = {{DType::u64, {2}}, [](Given g) {
                          return Literal::of<uint64_t>({g.seed, uint64_t{0}});
                        }};
  return all;
}

}  // namespace systolic::inline v0

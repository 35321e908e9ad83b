#include "backends/cpu/kernels/tile/tile_program.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "backends/cpu/kernels/movement/row_sums.h"
#include "backends/cpu/kernels/random/random.h"
#include "backends/cpu/kernels/tile/tile_graph.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

// Below this many elements waking other threads costs more than it saves.
constexpr int64_t parallel_grain = 16384;

void fill_slot(void* slot, int width, uint64_t bits, int64_t count) {
  switch (width) {
    case 1:
      std::fill_n(static_cast<uint8_t*>(slot), count, static_cast<uint8_t>(bits));
      return;
    case 2:
      std::fill_n(static_cast<uint16_t*>(slot), count, static_cast<uint16_t>(bits));
      return;
    case 4:
      std::fill_n(static_cast<uint32_t*>(slot), count, static_cast<uint32_t>(bits));
      return;
    default:
      std::fill_n(static_cast<uint64_t*>(slot), count, bits);
  }
}

// One thread's walk over a range of tiles: slots on the stack, and where each value lies now.
class TileWalk {
 public:
  TileWalk(const TileProgramData& program, std::span<const void* const> inputs,
           std::span<void* const> outputs, int64_t output_begin)
      : program_(program), inputs_(inputs), outputs_(outputs), output_begin_(output_begin) {
    for (int value = 0; value < program.values; ++value) places_[value] = slot(value);
    std::fill_n(kept_phases_.begin(), program.kept_rows, -1);
    for (size_t k = 0; k < program.direct_outputs.size(); ++k) {
      if (is_safe(program.direct_outputs[k])) continue;
      unsafe_outputs_ = true;
    }
  }

  void run(int64_t begin, int64_t end) {
    fill_constants(std::min(end - begin, program_.tile));
    run_tiles(begin, end);
  }

  void run(std::span<const TileProgram::Range> ranges) {
    int64_t longest = 0;
    for (const auto& range : ranges) longest = std::max(longest, range.end - range.begin);
    fill_constants(std::min(longest, program_.tile));
    for (const auto& range : ranges) run_tiles(range.begin, range.end);
  }

 private:
  void run_tiles(int64_t begin, int64_t end) {
    for (int64_t position = begin; position < end; position += program_.tile) {
      const int64_t count = std::min(program_.tile, end - position);
      // Kernels work on whole groups of elements.
      const bool direct = count % tile_group == 0;
      direct ? point_at_arrays(position) : point_at_slots();
      run_tile(position, count, direct);
    }
  }

  void* place(int value) const { return places_[value]; }
  void* slot(int value) { return storage_.data() + program_.slot_of[value] * program_.slot_bytes; }

  // An output may be an input's own array, unless that input is still read after the output is
  // written.
  bool is_safe(const TileDirectOutput& output) const {
    for (int input : output.hazards) {
      if (inputs_[input] == outputs_[output.array]) return false;
    }
    return true;
  }

  void fill_constants(int64_t count) {
    const int64_t padded = padded_to_group(count);
    for (const TileConstant& constant : program_.constants) {
      uint64_t bits = constant.bits;
      if (constant.input >= 0) {
        const TileInput& input = program_.inputs[constant.input];
        alignas(64) std::array<uint64_t, 16> element{};
        load_tile(input.access, input.dtype, inputs_[constant.input], 0, 1, element.data());
        bits = element[0];
      }
      fill_slot(place(constant.value), constant.width, bits, constant.few ? tile_group : padded);
    }
  }

  void point_at_arrays(int64_t position) {
    for (const TileDirect& input : program_.direct_inputs) {
      // Slots of inputs are only read; the cast lets one table serve both.
      const char* array = static_cast<const char*>(inputs_[input.array]) + input.offset;
      places_[input.value] = const_cast<char*>(array) + position * input.width;
    }
    for (const TileDirectOutput& output : program_.direct_outputs) {
      if (unsafe_outputs_ && !is_safe(output)) continue;
      char* array = static_cast<char*>(outputs_[output.array]) + output.offset;
      places_[output.value] = array + (position - output_begin_) * output.width;
    }
  }
  void point_at_slots() {
    const auto reset = [&](int value) { places_[value] = slot(value); };
    for (const TileDirect& input : program_.direct_inputs) reset(input.value);
    for (const TileDirectOutput& output : program_.direct_outputs) reset(output.value);
  }

  void run_tile(int64_t position, int64_t count, bool direct) {
    const int64_t padded = padded_to_group(count);
    for (const TileStep& step : program_.steps) {
      switch (step.kind) {
        case TileStep::Kind::run:
          run_step(step, padded);
          break;
        case TileStep::Kind::load:
          load(step, position, count);
          break;
        case TileStep::Kind::iota:
          iota_tile(step.type, step.iota_inner, step.iota_size, position, count,
                    place(step.result));
          break;
        case TileStep::Kind::store:
          store(step, position - output_begin_, count, direct);
          break;
      }
    }
  }

  void run_step(const TileStep& step, int64_t count) {
    TileCall call;
    for (int k = 0; k < step.operand_count; ++k) call.operands[k] = place(step.operands[k]);
    call.result = place(step.result);
    for (size_t k = 0; k < 2 && step.also[k] >= 0; ++k) call.also[k] = place(step.also[k]);
    call.count = count;
    call.parameters[0] = step.parameters[0];
    call.parameters[1] = step.parameters[1];
    call.table = program_.table.data();
    step.kernel(call);
  }

  void load(const TileStep& step, int64_t position, int64_t count) {
    const TileInput& input = program_.inputs[step.array];
    const TileAccess& access = input.access;
    if (step.long_row) {
      // Where it lies, unless this tile goes on to the next repetition.
      const int64_t phase = position % access.sizes[1];
      if (count % tile_group == 0 && phase + count <= access.sizes[1]) {
        const char* row = static_cast<const char*>(inputs_[step.array]);
        places_[step.result] =
            const_cast<char*>(row) + (access.offset + phase) * byte_width(input.dtype);
        return;
      }
      places_[step.result] = slot(step.result);
    }
    if (step.kept_row >= 0) {
      const int64_t phase = position % access.sizes[1];
      if (kept_phases_[step.kept_row] == phase) return;
      kept_phases_[step.kept_row] = phase;
    }
    void* target = place(step.result);
    if (access.kind == TileAccess::Kind::row_sums) {
      return sum_rows(access, step.array, position, count, static_cast<float*>(target));
    }
    if (access.kind == TileAccess::Kind::drawn) {
      const std::span state(static_cast<const uint64_t*>(inputs_[step.array]),
                            static_cast<size_t>(access.sizes[0]));
      return draw_words(state, position, count, static_cast<uint32_t*>(target));
    }
    if (!is_slot(target)) return;  // the array itself
    load_tile(access, input.dtype, inputs_[step.array], position, count, target);
  }

  // The lists are the array before the updates.
  void sum_rows(const TileAccess& table, int updates, int64_t position, int64_t count,
                float* target) const {
    read_row_sums(static_cast<const int32_t*>(inputs_[updates - 1]), table.sizes[0],
                  static_cast<const float*>(inputs_[updates]), table.sizes[1], position, count,
                  target);
    std::fill(target + count, target + padded_to_group(count), 0.0F);
  }

  static void draw_words(std::span<const uint64_t> state, int64_t position, int64_t count,
                         uint32_t* target) {
    philox_words(state, position, count, target);
    std::fill(target + count, target + padded_to_group(count), 0U);
  }

  void store(const TileStep& step, int64_t position, int64_t count, bool direct) {
    const TileOutput& output = program_.outputs[step.array];
    if (direct && was_written_directly(step)) return;
    store_tile(output.access, output.dtype, outputs_[step.array], position, count,
               place(step.operands[0]));
  }
  // Whether the value lies in this very output already.
  bool was_written_directly(const TileStep& step) const {
    for (const TileDirectOutput& output : program_.direct_outputs) {
      if (output.array == step.array) return !unsafe_outputs_ || is_safe(output);
    }
    return false;
  }

  bool is_slot(const void* place) const {
    const std::byte* address = static_cast<const std::byte*>(place);
    return address >= storage_.data() && address < storage_.data() + storage_.size();
  }

  const TileProgramData& program_;
  std::span<const void* const> inputs_;
  std::span<void* const> outputs_;
  int64_t output_begin_;
  bool unsafe_outputs_ = false;
  std::array<void*, max_tile_values> places_;
  std::array<int64_t, max_kept_rows>
      kept_phases_;  // at which a repeated row was loaded; -1: not yet
  alignas(64) std::array<std::byte, tile_storage_bytes> storage_;
};

}  // namespace

int64_t TileProgram::elements() const { return data_->elements; }
int TileProgram::inputs() const { return static_cast<int>(data_->inputs.size()); }
int TileProgram::outputs() const { return static_cast<int>(data_->outputs.size()); }
DType TileProgram::output_dtype(int index) const { return data_->outputs[index].dtype; }

int TileProgram::instructions() const {
  return static_cast<int>(
      std::count_if(data_->steps.begin(), data_->steps.end(),
                    [](const TileStep& step) { return step.kind == TileStep::Kind::run; }));
}

void TileProgram::run_part(int64_t begin, int64_t end, std::span<const void* const> inputs,
                           std::span<void* const> outputs) const {
  ensure(inputs.size() == data_->inputs.size() && outputs.size() == data_->outputs.size(),
         "an elementwise program gets all of its arrays");
  if (begin < end) TileWalk(*data_, inputs, outputs, 0).run(begin, end);
}

void TileProgram::run_parts(std::span<const Range> ranges, std::span<const void* const> inputs,
                            std::span<void* const> outputs) const {
  ensure(inputs.size() == data_->inputs.size() && outputs.size() == data_->outputs.size(),
         "an elementwise program gets all of its arrays");
  if (!ranges.empty()) TileWalk(*data_, inputs, outputs, 0).run(ranges);
}

void TileProgram::run_range(int64_t begin, int64_t end, std::span<const void* const> inputs,
                            std::span<void* const> outputs) const {
  ensure(inputs.size() == data_->inputs.size() && outputs.size() == data_->outputs.size(),
         "an elementwise program gets all of its arrays");
  if (begin >= end) return;
  TileWalk(*data_, inputs, outputs, begin).run(begin, end);
}

void TileProgram::run(std::span<const void* const> inputs, std::span<void* const> outputs,
                      ThreadPool& pool) const {
  ensure(inputs.size() == data_->inputs.size() && outputs.size() == data_->outputs.size(),
         "an elementwise program gets all of its arrays");
  const int64_t tile = data_->tile;
  const int64_t tiles = (data_->elements + tile - 1) / tile;
  if (data_->elements <= parallel_grain) {
    if (data_->elements > 0) TileWalk(*data_, inputs, outputs, 0).run(0, data_->elements);
    return;
  }
  pool.parallel_for(tiles, parallel_grain / tile, [&](int64_t first, int64_t last) {
    TileWalk(*data_, inputs, outputs, 0).run(first * tile, std::min(last * tile, data_->elements));
  });
}

std::string TileProgram::text() const {
  std::string result;
  for (const TileConstant& constant : data_->constants) {
    result += constant.input >= 0
                  ? str("v", constant.value, " = scalar input ", constant.input, "\n")
                  : str("v", constant.value, " = constant\n");
  }
  for (const TileStep& step : data_->steps) {
    switch (step.kind) {
      case TileStep::Kind::load:
        result += str("v", step.result, " = input ", step.array);
        break;
      case TileStep::Kind::iota:
        result += str("v", step.result, " = iota");
        break;
      case TileStep::Kind::store:
        result += str("output ", step.array, " =");
        break;
      case TileStep::Kind::run:
        result += str("v", step.result);
        for (int also : step.also) result += also < 0 ? std::string() : str(" v", also);
        result += " = " + name_of(step.code);
        break;
    }
    for (int k = 0; k < step.operand_count; ++k) result += str(" v", step.operands[k]);
    result += str(" : ", step.type, "\n");
  }
  return result;
}

}  // namespace kernels
}  // namespace systolic::inline v0

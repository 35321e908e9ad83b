// Convolutions by oneDNN's direct algorithms, one thread each on groups of images.
#include "backends/cpu/kernels/convolution/convolution_direct.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <unordered_map>
#include <vector>

#include "backends/cpu/kernels/float_conversion.h"
#include "backends/cpu/kernels/onednn.h"
#include "backends/cpu/kernels/scratch_cursor.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

using dnnl::memory;
using Arguments = std::unordered_map<int, memory>;
using DataType = memory::data_type;

constexpr int64_t floats_of(size_t bytes) { return static_cast<int64_t>((bytes + 63) / 64 * 16); }

// What oneDNN is told about a convolution of `batch` images. `type` is the one it computes on.
struct Description {
  Description(const ConvolutionShape& s, int64_t batch, DataType type)
      : x({batch, s.in_channels, s.height, s.width}, type, memory::format_tag::nhwc),
        y({batch, s.out_channels, s.out_height(), s.out_width()}, type, memory::format_tag::nhwc),
        bias({s.out_channels}, type, memory::format_tag::a),
        strides{s.stride_height, s.stride_width},
        dilates{s.dilation_height - 1, s.dilation_width - 1},
        pad_begin{s.pad_top, s.pad_left},
        pad_end{s.pad_bottom, s.pad_right} {}

  memory::desc x, y, bias;
  memory::dims strides, dilates, pad_begin, pad_end;
};

memory::dims weight_dims(const ConvolutionShape& s) {
  const int64_t in = s.in_channels / s.groups;
  if (s.groups == 1) return {s.out_channels, in, s.kernel_height, s.kernel_width};
  return {s.groups, s.out_channels / s.groups, in, s.kernel_height, s.kernel_width};
}

// The weights as they are stored (HWIO), and in whatever layout the primitive likes.
memory::desc stored_weights(const ConvolutionShape& s, DataType type) {
  const int64_t in = s.in_channels / s.groups, row = s.kernel_width * in * s.out_channels,
                tap = in * s.out_channels;
  if (s.groups == 1) return {weight_dims(s), type, {1, s.out_channels, row, tap}};
  return {weight_dims(s), type, {s.out_channels / s.groups, 1, s.out_channels, row, tap}};
}
memory::desc any_weights(const ConvolutionShape& s, DataType type) {
  return {weight_dims(s), type, memory::format_tag::any};
}

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

dnnl::convolution_forward::primitive_desc describe_forward(const ConvolutionShape& s, int64_t batch,
                                                           DataType type, bool bias, bool relu) {
  const Description d(s, batch, type);
  dnnl::primitive_attr attributes = user_scratchpad();
  if (relu) {
    dnnl::post_ops operations;
    operations.append_eltwise(dnnl::algorithm::eltwise_relu, 0, 0);
    attributes.set_post_ops(operations);
  }
  return {onednn_engine(),
          dnnl::prop_kind::forward_training,
          dnnl::algorithm::convolution_direct,
          d.x,
          any_weights(s, type),
          bias ? d.bias : memory::desc(),
          d.y,
          d.strides,
          d.dilates,
          d.pad_begin,
          d.pad_end,
          attributes};
}

dnnl::convolution_backward_data::primitive_desc describe_data(const ConvolutionShape& s,
                                                              int64_t batch, DataType type) {
  const Description d(s, batch, type);
  return {onednn_engine(),
          dnnl::algorithm::convolution_direct,
          d.x,
          any_weights(s, type),
          d.y,
          d.strides,
          d.dilates,
          d.pad_begin,
          d.pad_end,
          describe_forward(s, batch, type, false, false),
          user_scratchpad()};
}

dnnl::convolution_backward_weights::primitive_desc describe_weights(const ConvolutionShape& s,
                                                                    int64_t batch, DataType type,
                                                                    bool bias) {
  const Description d(s, batch, type);
  const memory::desc sums({s.out_channels}, DataType::f32, memory::format_tag::a);
  return {onednn_engine(),
          dnnl::algorithm::convolution_direct,
          d.x,
          any_weights(s, DataType::f32),
          bias ? sums : memory::desc(),
          d.y,
          d.strides,
          d.dilates,
          d.pad_begin,
          d.pad_end,
          describe_forward(s, batch, type, false, false),
          user_scratchpad()};
}

// Copies between two layouts of the weights, made once.
struct Reorder {
  Reorder(const memory::desc& from, const memory::desc& to)
      : from(from),
        to(to),
        description(onednn_engine(), from, onednn_engine(), to, user_scratchpad()),
        primitive(description) {}
  int64_t scratch_floats() const { return floats_of(description.scratchpad_desc().get_size()); }
  void run(dnnl::stream& stream, const void* source, void* target, float* scratch) const {
    const auto& engine = onednn_engine();
    memory a(from, engine, const_cast<void*>(source)), b(to, engine, target);
    primitive.execute(
        stream, {{DNNL_ARG_FROM, a},
                 {DNNL_ARG_TO, b},
                 {DNNL_ARG_SCRATCHPAD, memory(description.scratchpad_desc(), engine, scratch)}});
  }

  memory::desc from, to;
  dnnl::reorder::primitive_desc description;
  dnnl::reorder primitive;
};

// How a batch is cut into groups of images: all of `size` but for a last, smaller one.
struct Groups {
  Groups(int64_t batch, int64_t wanted)
      : batch(batch), size(std::clamp<int64_t>(wanted, 1, batch)) {
    // A size that divides the batch needs one primitive and not two.
    for (int64_t larger = size; larger <= std::min(batch, 2 * size); ++larger) {
      if (batch % larger == 0) {
        size = larger;
        break;
      }
    }
    count = (batch + size - 1) / size;
  }
  int64_t begin(int64_t group) const { return group * size; }
  int64_t images(int64_t group) const { return std::min(size, batch - begin(group)); }
  bool is_last_smaller(int64_t group) const { return images(group) < size; }
  int64_t last() const { return batch - (count - 1) * size; }

  int64_t batch, size, count = 1;
};

// One kind of primitive for the full groups and, where there is one, for the smaller last group.
template <class Primitive>
struct ForGroups {
  using PrimitiveDescription = typename Primitive::primitive_desc;
  template <class Describe>
  ForGroups(const Groups& groups, Describe describe) {
    descriptions.push_back(describe(groups.size));
    if (groups.last() < groups.size) descriptions.push_back(describe(groups.last()));
    for (const auto& description : descriptions) {
      primitives.emplace_back(description);
      scratch_floats =
          std::max(scratch_floats, floats_of(description.scratchpad_desc().get_size()));
    }
  }
  const PrimitiveDescription& first() const { return descriptions.front(); }

  std::vector<PrimitiveDescription> descriptions;
  std::vector<Primitive> primitives;
  int64_t scratch_floats = 0;
};

// The part of an operand that belongs to one group, in the type that oneDNN computes on.
class Converter {
 public:
  Converter(DType stored, bool native) : stored_(stored), copies_(!native) {}
  bool copies() const { return copies_; }
  int64_t buffer_floats(int64_t elements) const { return copies_ ? (elements + 15) / 16 * 16 : 0; }
  void* read(const void* data, int64_t first, int64_t count, float* buffer) const {
    const void* from = at(data, first);
    if (!copies_) return const_cast<void*>(from);
    widen_floats(stored_, from, buffer, count);
    return buffer;
  }
  // Where a result is to be written; store() brings it home.
  void* target(void* data, int64_t first, float* buffer) const {
    return copies_ ? buffer : const_cast<void*>(at(data, first));
  }
  void store(void* data, int64_t first, int64_t count, const float* buffer) const {
    if (copies_) narrow_floats(stored_, buffer, const_cast<void*>(at(data, first)), count);
  }
  const void* at(const void* data, int64_t element) const {
    return static_cast<const char*>(data) + element * byte_width(stored_);
  }

 private:
  DType stored_;
  bool copies_;
};

bool native(DType dtype) {
  return dtype == DType::f32 || (dtype == DType::bf16 && onednn_multiplies_bf16());
}
DataType computed_type(DType dtype) {
  return dtype == DType::bf16 && native(dtype) ? DataType::bf16 : DataType::f32;
}

struct DirectForward final : ConvolutionForward::Implementation {
  DirectForward(const ConvolutionShape& shape, const ConvolutionForwardOptions& options,
                int threads)
      : Implementation(shape, options),
        converter(options.dtype, native(options.dtype)),
        type(computed_type(options.dtype)),
        groups(shape.batch, shape.batch / (4 * threads)),
        convolution(groups,
                    [&](int64_t images) {
                      return describe_forward(shape, images, type, options.bias, options.relu);
                    }),
        reorder(stored_weights(shape, type), convolution.first().weights_desc()),
        slots(static_cast<int>(std::min<int64_t>(threads, groups.count))),
        image_in(shape.input_elements() / shape.batch),
        image_out(shape.output_elements() / shape.batch) {}

  ConvolutionMethod method() const override { return ConvolutionMethod::direct; }

  struct Memory {
    Memory(const DirectForward& plan, void* scratch) {
      ScratchCursor cursor(scratch);
      const auto& converter = plan.converter;
      widened = cursor.take(converter.buffer_floats(plan.shape.weight_elements()));
      weights = cursor.take(floats_of(plan.reorder.to.get_size()));
      bias = cursor.take(converter.buffer_floats(plan.shape.out_channels));
      reorder = cursor.take(plan.reorder.scratch_floats());
      const int64_t before = cursor.taken();
      slots = cursor.take(0);
      input = 0;
      output = input + converter.buffer_floats(plan.groups.size * plan.image_in);
      primitive = output + converter.buffer_floats(plan.groups.size * plan.image_out);
      slot_floats = round_up_to(primitive + plan.convolution.scratch_floats, 16);
      floats = before + slot_floats * plan.slots;
    }
    float *widened, *weights, *bias, *reorder, *slots;
    int64_t input, output, primitive;  // in a slot
    int64_t slot_floats, floats;
  };

  size_t scratch_bytes() const override {
    return sizeof(float) * static_cast<size_t>(Memory(*this, nullptr).floats);
  }

  void run(const ConvolutionForwardOperands& operands, void* scratch,
           ThreadPool& pool) const override {
    const Memory memory(*this, scratch);
    void* bias = nullptr;
    {
      const OnednnThread alone;
      dnnl::stream stream(onednn_engine());
      const void* w = converter.read(operands.w, 0, shape.weight_elements(), memory.widened);
      reorder.run(stream, w, memory.weights, memory.reorder);
      if (options.bias) bias = converter.read(operands.bias, 0, shape.out_channels, memory.bias);
    }
    std::atomic<int64_t> next{0};
    pool.parallel_slots(slots, [&](int slot) {
      const OnednnThread alone;
      dnnl::stream stream(onednn_engine());
      float* mine = memory.slots + slot * memory.slot_floats;
      for (int64_t group = next++; group < groups.count; group = next++) {
        run_group(operands, memory, bias, group, mine, stream);
      }
    });
  }

  void run_group(const ConvolutionForwardOperands& operands, const Memory& at, void* bias,
                 int64_t group, float* mine, dnnl::stream& stream) const {
    const auto& engine = onednn_engine();
    const size_t kind = groups.is_last_smaller(group) ? 1 : 0;
    const auto& description = convolution.descriptions[kind];
    const int64_t first = groups.begin(group), images = groups.images(group);
    void* x = converter.read(operands.x, first * image_in, images * image_in, mine + at.input);
    void* y = converter.target(operands.y, first * image_out, mine + at.output);
    Arguments arguments = {
        {DNNL_ARG_SRC, memory(description.src_desc(), engine, x)},
        {DNNL_ARG_WEIGHTS, memory(description.weights_desc(), engine, at.weights)},
        {DNNL_ARG_DST, memory(description.dst_desc(), engine, y)},
        {DNNL_ARG_SCRATCHPAD, memory(description.scratchpad_desc(), engine, mine + at.primitive)}};
    if (options.bias)
      arguments.insert({DNNL_ARG_BIAS, memory(description.bias_desc(), engine, bias)});
    convolution.primitives[kind].execute(stream, arguments);
    converter.store(operands.y, first * image_out, images * image_out, mine + at.output);
  }

  const Converter converter;
  const DataType type;
  const Groups groups;
  const ForGroups<dnnl::convolution_forward> convolution;
  const Reorder reorder;
  const int slots;
  const int64_t image_in, image_out;
};

// Groups for the gradients: adding a group's weight gradient to the sum should be small beside
// computing it.
int64_t backward_group(const ConvolutionShape& s, int threads) {
  const int64_t pixels = s.out_height() * s.out_width();
  return std::clamp<int64_t>((1024 + pixels - 1) / pixels, 1,
                             std::max<int64_t>(1, s.batch / threads));
}

struct DirectBackward final : ConvolutionBackward::Implementation {
  DirectBackward(const ConvolutionShape& shape, const ConvolutionBackwardOptions& options,
                 int threads)
      : Implementation(shape, options),
        converter(options.dtype, native(options.dtype)),
        type(computed_type(options.dtype)),
        groups(shape.batch, backward_group(shape, threads)),
        slices(static_cast<int>(std::min<int64_t>(threads, groups.count))),
        image_in(shape.input_elements() / shape.batch),
        image_out(shape.output_elements() / shape.batch) {
    if (options.data) {
      data.emplace(groups, [&](int64_t images) { return describe_data(shape, images, type); });
      to_data.emplace(stored_weights(shape, type), data->first().weights_desc());
    }
    if (options.weights || options.bias_gradient) {
      weights.emplace(groups, [&](int64_t images) {
        return describe_weights(shape, images, type, options.bias_gradient);
      });
      from_weights.emplace(weights->first().diff_weights_desc(),
                           stored_weights(shape, DataType::f32));
    }
  }

  ConvolutionMethod method() const override { return ConvolutionMethod::direct; }
  bool sums() const { return weights.has_value(); }

  struct Memory {
    Memory(const DirectBackward& plan, void* scratch) {
      ScratchCursor cursor(scratch);
      const auto& converter = plan.converter;
      const int64_t weight_elements = plan.shape.weight_elements();
      widened = cursor.take(plan.options.data ? converter.buffer_floats(weight_elements) : 0);
      data_weights = cursor.take(plan.options.data ? floats_of(plan.to_data->to.get_size()) : 0);
      narrowed = cursor.take(plan.sums() && plan.options.dtype != DType::f32 ? weight_elements : 0);
      reorder = cursor.take(std::max(plan.options.data ? plan.to_data->scratch_floats() : 0,
                                     plan.sums() ? plan.from_weights->scratch_floats() : 0));
      const int64_t before = cursor.taken();
      slots = cursor.take(0);
      ScratchCursor slot(nullptr);
      const int64_t in = plan.groups.size * plan.image_in, out = plan.groups.size * plan.image_out;
      const auto reserve = [&](int64_t floats) {
        const int64_t offset = slot.taken();
        slot.take(floats);
        return offset;
      };
      weight_floats = plan.sums() ? floats_of(plan.from_weights->from.get_size()) : 0;
      sum = reserve(weight_floats);
      bias_sum = reserve(plan.shape.out_channels);
      group_sum = reserve(weight_floats);
      group_bias = reserve(plan.shape.out_channels);
      x = reserve(converter.buffer_floats(in));
      dx = reserve(converter.buffer_floats(in));
      dy = reserve(converter.copies() || plan.options.relu_mask ? out : 0);
      y = reserve(plan.options.relu_mask ? converter.buffer_floats(out) : 0);
      primitive = reserve(std::max(plan.options.data ? plan.data->scratch_floats : 0,
                                   plan.sums() ? plan.weights->scratch_floats : 0));
      slot_floats = slot.taken();
      floats = before + slot_floats * plan.slices;
    }
    float *widened, *data_weights, *narrowed, *reorder, *slots;
    int64_t sum, bias_sum, group_sum, group_bias, x, dx, dy, y, primitive;  // in a slot
    int64_t weight_floats, slot_floats, floats;
  };

  size_t scratch_bytes() const override {
    return sizeof(float) * static_cast<size_t>(Memory(*this, nullptr).floats);
  }

  void run(const ConvolutionBackwardOperands& operands, void* scratch,
           ThreadPool& pool) const override {
    const Memory memory(*this, scratch);
    if (options.data) {
      const OnednnThread alone;
      dnnl::stream stream(onednn_engine());
      const void* w = converter.read(operands.w, 0, shape.weight_elements(), memory.widened);
      to_data->run(stream, w, memory.data_weights, memory.reorder);
    }
    pool.parallel_slots(slices, [&](int slice) {
      const OnednnThread alone;
      dnnl::stream stream(onednn_engine());
      const int64_t begin = groups.count * slice / slices,
                    end = groups.count * (slice + 1) / slices;
      for (int64_t group = begin; group < end; ++group) {
        run_group(operands, memory, group, group == begin,
                  memory.slots + slice * memory.slot_floats, stream);
      }
    });
    if (sums()) finish_weights(operands, memory, pool);
  }

  void run_group(const ConvolutionBackwardOperands& operands, const Memory& at, int64_t group,
                 bool first_group, float* mine, dnnl::stream& stream) const {
    const int64_t first = groups.begin(group), images = groups.images(group);
    const size_t kind = groups.is_last_smaller(group) ? 1 : 0;
    void* dy = masked_gradient(operands, at, first * image_out, images * image_out, mine);
    if (options.data) {
      void* dx = converter.target(operands.dx, first * image_in, mine + at.dx);
      run_data(kind, dy, at.data_weights, dx, mine + at.primitive, stream);
      converter.store(operands.dx, first * image_in, images * image_in, mine + at.dx);
    }
    if (sums()) {
      void* x = converter.read(operands.x, first * image_in, images * image_in, mine + at.x);
      float* dw = mine + (first_group ? at.sum : at.group_sum);
      float* db = mine + (first_group ? at.bias_sum : at.group_bias);
      run_weights(kind, x, dy, dw, db, mine + at.primitive, stream);
      if (!first_group) {
        add(mine + at.sum, dw, at.weight_floats);
        add(mine + at.bias_sum, db, options.bias_gradient ? shape.out_channels : 0);
      }
    }
  }

  // dy as oneDNN is to read it: where y > 0 only, if so wanted.
  void* masked_gradient(const ConvolutionBackwardOperands& operands, const Memory& at,
                        int64_t first, int64_t count, float* mine) const {
    if (!options.relu_mask) return converter.read(operands.dy, first, count, mine + at.dy);
    if (type == DataType::bf16) {
      auto* masked = reinterpret_cast<bfloat16*>(mine + at.dy);
      const auto* dy = static_cast<const bfloat16*>(operands.dy) + first;
      const auto* y = static_cast<const bfloat16*>(operands.y) + first;
      for (int64_t i = 0; i < count; ++i)
        masked[i] = static_cast<float>(y[i]) > 0 ? dy[i] : bfloat16();
      return masked;
    }
    float* masked = mine + at.dy;
    const auto* dy = static_cast<const float*>(converter.read(operands.dy, first, count, masked));
    const auto* y =
        static_cast<const float*>(converter.read(operands.y, first, count, mine + at.y));
    for (int64_t i = 0; i < count; ++i) masked[i] = y[i] > 0 ? dy[i] : 0.0f;
    return masked;
  }

  void run_data(size_t kind, void* dy, float* w, void* dx, float* scratch,
                dnnl::stream& stream) const {
    const auto& engine = onednn_engine();
    const auto& description = data->descriptions[kind];
    data->primitives[kind].execute(
        stream, {{DNNL_ARG_DIFF_DST, memory(description.diff_dst_desc(), engine, dy)},
                 {DNNL_ARG_WEIGHTS, memory(description.weights_desc(), engine, w)},
                 {DNNL_ARG_DIFF_SRC, memory(description.diff_src_desc(), engine, dx)},
                 {DNNL_ARG_SCRATCHPAD, memory(description.scratchpad_desc(), engine, scratch)}});
  }

  void run_weights(size_t kind, void* x, void* dy, float* dw, float* db, float* scratch,
                   dnnl::stream& stream) const {
    const auto& engine = onednn_engine();
    const auto& description = weights->descriptions[kind];
    Arguments arguments = {
        {DNNL_ARG_SRC, memory(description.src_desc(), engine, x)},
        {DNNL_ARG_DIFF_DST, memory(description.diff_dst_desc(), engine, dy)},
        {DNNL_ARG_DIFF_WEIGHTS, memory(description.diff_weights_desc(), engine, dw)},
        {DNNL_ARG_SCRATCHPAD, memory(description.scratchpad_desc(), engine, scratch)}};
    if (options.bias_gradient) {
      arguments.insert({DNNL_ARG_DIFF_BIAS, memory(description.diff_bias_desc(), engine, db)});
    }
    weights->primitives[kind].execute(stream, arguments);
  }

  // Adds the slices' sums in order and brings them into the stored layout and type.
  void finish_weights(const ConvolutionBackwardOperands& operands, const Memory& at,
                      ThreadPool& pool) const {
    pool.parallel_for(at.weight_floats, 16'384, [&](int64_t begin, int64_t end) {
      for (int slice = 1; slice < slices; ++slice) {
        add(at.slots + at.sum + begin, at.slots + slice * at.slot_floats + at.sum + begin,
            end - begin);
      }
    });
    if (options.weights) {
      const OnednnThread alone;
      dnnl::stream stream(onednn_engine());
      const bool direct = options.dtype == DType::f32;
      float* target = direct ? static_cast<float*>(operands.dw) : at.narrowed;
      from_weights->run(stream, at.slots + at.sum, target, at.reorder);
      if (!direct) narrow_floats(options.dtype, target, operands.dw, shape.weight_elements());
    }
    if (options.bias_gradient) {
      float* bias = at.slots + at.bias_sum;
      for (int slice = 1; slice < slices; ++slice) {
        add(bias, at.slots + slice * at.slot_floats + at.bias_sum, shape.out_channels);
      }
      narrow_floats(options.dtype, bias, operands.db, shape.out_channels);
    }
  }

  static void add(float* sum, const float* values, int64_t count) {
    for (int64_t i = 0; i < count; ++i) sum[i] += values[i];
  }

  const Converter converter;
  const DataType type;
  const Groups groups;
  const int slices;
  const int64_t image_in, image_out;
  std::optional<ForGroups<dnnl::convolution_backward_data>> data;
  std::optional<ForGroups<dnnl::convolution_backward_weights>> weights;
  std::optional<Reorder> to_data, from_weights;
};

bool can_describe(const ConvolutionShape& s, DType dtype) {
  const bool float_type = dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16;
  return float_type && s.batch >= 1 && s.pad_top >= 0 && s.pad_bottom >= 0 && s.pad_left >= 0 &&
         s.pad_right >= 0;
}

}  // namespace

ForwardImplementation make_direct_forward(const ConvolutionShape& shape,
                                          const ConvolutionForwardOptions& options, int threads) {
  if (!can_describe(shape, options.dtype)) return nullptr;
  const OnednnThread alone;
  try {
    return std::make_unique<DirectForward>(shape, options, threads);
  } catch (const dnnl::error&) {
    return nullptr;  // oneDNN has no such convolution on this processor
  }
}

BackwardImplementation make_direct_backward(const ConvolutionShape& shape,
                                            const ConvolutionBackwardOptions& options,
                                            int threads) {
  if (!can_describe(shape, options.dtype)) return nullptr;
  const OnednnThread alone;
  try {
    return std::make_unique<DirectBackward>(shape, options, threads);
  } catch (const dnnl::error&) {
    return nullptr;
  }
}

}  // namespace kernels
}  // namespace systolic::inline v0

// Gradients of convolutions by oneDNN's direct algorithms, one thread each on groups of images.
#include <optional>

#include "backends/cpu/kernels/convolution/convolution_direct.h"
#include "backends/cpu/kernels/convolution/convolution_onednn.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

using namespace direct;

// Groups for the gradients: adding a group's weight gradient to the sum should be small beside
// computing it.
int64_t backward_group(const ConvolutionShape& s, int threads) {
  const int64_t pixels = s.out_depth() * s.out_height() * s.out_width();
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
      mask_bf16_by_relu(static_cast<const bfloat16*>(operands.dy) + first,
                        static_cast<const bfloat16*>(operands.y) + first, count,
                        reinterpret_cast<bfloat16*>(mine + at.dy));
      return mine + at.dy;
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

}  // namespace

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

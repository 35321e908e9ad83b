// Convolutions by oneDNN's direct algorithms, one thread each on groups of images.
#include <atomic>

#include "backends/cpu/kernels/convolution/convolution_direct.h"
#include "backends/cpu/kernels/convolution/convolution_onednn.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

using namespace direct;

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

}  // namespace kernels
}  // namespace systolic::inline v0

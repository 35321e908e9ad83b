// Convolutions by oneDNN's direct algorithms, one thread each on parts of the batch.
#include <atomic>

#include "backends/cpu/kernels/convolution/convolution_direct.h"
#include "backends/cpu/kernels/convolution/convolution_onednn.h"
#include "backends/cpu/kernels/convolution/convolution_parts.h"
#include "backends/cpu/kernels/product_end.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

using namespace direct;

// A primitive for each kind of part, all with the weights in the layout that the first one likes.
struct ForParts {
  template <class Describe>
  ForParts(const ConvolutionParts& parts, Describe describe) {
    memory::desc weights;
    for (const ConvolutionShape& kind : parts.kinds) {
      descriptions.push_back(describe(kind, descriptions.empty() ? nullptr : &weights));
      weights = descriptions.front().weights_desc();
      primitives.emplace_back(descriptions.back());
      scratch_floats =
          std::max(scratch_floats, floats_of(descriptions.back().scratchpad_desc().get_size()));
    }
  }

  std::vector<dnnl::convolution_forward::primitive_desc> descriptions;
  std::vector<dnnl::convolution_forward> primitives;
  int64_t scratch_floats = 0;
};

struct DirectForward final : ConvolutionForward::Implementation {
  DirectForward(const ConvolutionShape& shape, const ConvolutionForwardOptions& options,
                int threads)
      : Implementation(shape, options),
        converter(options.dtype, native(options.dtype)),
        type(computed_type(options.dtype)),
        parts(cut_convolution(shape, threads)),
        convolution(parts,
                    [&](const ConvolutionShape& kind, const memory::desc* weights) {
                      return describe_forward(kind, type,
                                              {.bias = options.bias, .weights = weights});
                    }),
        reorder(stored_weights(shape, type), convolution.descriptions.front().weights_desc()),
        slots(std::min(threads, static_cast<int>(parts.parts.size()))) {}

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
      output = input + converter.buffer_floats(plan.parts.largest_input());
      primitive = output + converter.buffer_floats(plan.parts.largest_output());
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

  size_t prepared_bytes() const override { return reorder.to.get_size(); }

  void prepare(const void* w, void* prepared, void* scratch, ThreadPool& /*pool*/) const override {
    const Memory memory(*this, scratch);
    const OnednnThread alone;
    dnnl::stream stream(onednn_engine());
    reorder.run(stream, converter.read(w, 0, shape.weight_elements(), memory.widened), prepared,
                memory.reorder);
  }

  void run(const ConvolutionForwardOperands& operands, void* scratch,
           ThreadPool& pool) const override {
    Memory memory(*this, scratch);
    if (operands.prepared == nullptr) prepare(operands.w, memory.weights, scratch, pool);
    const void* weights = operands.prepared == nullptr ? memory.weights : operands.prepared;
    void* bias = nullptr;
    if (options.bias) bias = converter.read(operands.bias, 0, shape.out_channels, memory.bias);
    std::atomic<size_t> next{0};
    pool.parallel_slots(slots, [&](int slot) {
      const OnednnThread alone;
      dnnl::stream stream(onednn_engine());
      float* mine = memory.slots + slot * memory.slot_floats;
      for (size_t part = next++; part < parts.parts.size(); part = next++) {
        run_part(operands, memory, weights, bias, parts.parts[part], mine, stream);
      }
    });
  }

  void run_part(const ConvolutionForwardOperands& operands, const Memory& at, const void* weights,
                void* bias, const ConvolutionPart& part, float* mine, dnnl::stream& stream) const {
    const auto& engine = onednn_engine();
    const auto& description = convolution.descriptions[part.kind];
    void* x = converter.read(operands.x, part.input_begin, part.input_elements, mine + at.input);
    void* y = converter.target(operands.y, part.output_begin, mine + at.output);
    Arguments arguments = {
        {DNNL_ARG_SRC, memory(description.src_desc(), engine, x)},
        {DNNL_ARG_WEIGHTS, memory(description.weights_desc(), engine, const_cast<void*>(weights))},
        {DNNL_ARG_DST, memory(description.dst_desc(), engine, y)},
        {DNNL_ARG_SCRATCHPAD, memory(description.scratchpad_desc(), engine, mine + at.primitive)}};
    if (options.bias)
      arguments.insert({DNNL_ARG_BIAS, memory(description.bias_desc(), engine, bias)});
    convolution.primitives[part.kind].execute(stream, arguments);
    if (options.relu) {
      finish_product({.data = y,
                      .dtype = type == DataType::bf16 ? DType::bf16 : DType::f32,
                      .columns = part.output_elements},
                     nullptr, bounds(options));
    }
    converter.store(operands.y, part.output_begin, part.output_elements, mine + at.output);
  }

  const Converter converter;
  const DataType type;
  const ConvolutionParts parts;
  const ForParts convolution;
  const Reorder reorder;
  const int slots;
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

// What both directions of convolution_direct.h tell oneDNN, and how they hand it groups of images.
// Internal.
#pragma once

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "backends/cpu/kernels/convolution/convolution.h"
#include "backends/cpu/kernels/float_conversion.h"
#include "backends/cpu/kernels/onednn.h"
#include "backends/cpu/kernels/scratch_cursor.h"

namespace systolic::inline v0 {
namespace kernels {
namespace direct {

using dnnl::memory;
using Arguments = std::unordered_map<int, memory>;
using DataType = memory::data_type;

constexpr int64_t floats_of(size_t bytes) { return static_cast<int64_t>((bytes + 63) / 64 * 16); }

dnnl::primitive_attr user_scratchpad();

// The weights as they are stored: HWIO, or DHWIO.
memory::desc stored_weights(const ConvolutionShape& s, DataType type);

struct ForwardDescription {
  bool bias = false;
  const memory::desc* weights = nullptr;  // their layout; null: whatever the primitive likes
};

// `type` is the one that oneDNN computes on.
dnnl::convolution_forward::primitive_desc describe_forward(const ConvolutionShape& s, DataType type,
                                                           const ForwardDescription& options);
// Gradients of convolutions of `batch` images; the weights have whatever layout is liked.
dnnl::convolution_backward_data::primitive_desc describe_data(const ConvolutionShape& s,
                                                              int64_t batch, DataType type);
dnnl::convolution_backward_weights::primitive_desc describe_weights(const ConvolutionShape& s,
                                                                    int64_t batch, DataType type,
                                                                    bool bias);

// Does oneDNN compute on the stored type? Else on f32, and operands are converted.
bool native(DType dtype);
DataType computed_type(DType dtype);

// Whether the types and paddings are some that oneDNN may have.
bool can_describe(const ConvolutionShape& s, DType dtype);

// masked[i] = dy[i] where y[i] > 0, else 0.
void mask_bf16_by_relu(const bfloat16* dy, const bfloat16* y, int64_t count, bfloat16* masked);

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

}  // namespace direct
}  // namespace kernels
}  // namespace systolic::inline v0

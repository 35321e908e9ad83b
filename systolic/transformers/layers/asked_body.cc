#include "systolic/transformers/layers/asked_body.h"

#include <deque>
#include <utility>

#include "systolic/base/text.h"
#include "systolic/nn/layer_state.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/recompute_scope.h"
#include "systolic/transformers/layers/decoder.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

// One call of a body, of which parts that lie deep within it are told by the thread.
struct AskedCall {
  BodyRequest request;
  std::optional<Tensor> positions = {};
  std::vector<Tensor> states = {};
  std::deque<Tensor> attentions = {};  // which stay where they are
};
thread_local AskedCall* current_call = nullptr;

class AskedScope {
 public:
  explicit AskedScope(AskedCall& call) : outer_(std::exchange(current_call, &call)) {}
  ~AskedScope() { current_call = outer_; }
  AskedScope(const AskedScope&) = delete;
  AskedScope& operator=(const AskedScope&) = delete;

 private:
  AskedCall* outer_;
};

// The last outputs of an AskedBody.
struct RecordedCounts {
  size_t states = 0, attentions = 0;
};

// A body in its own place in the network: its weights have the same paths.
struct AskedBody {
  static constexpr const char* kind = "AskedBody";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  Layer body;
  BodyRequest request;
  std::shared_ptr<RecordedCounts> counts;
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const {
    const AnySpec& spec = *body.state()->spec;
    if (has_caches(xs)) return spec.call(xs, context);  // as a Decoder calls it
    AskedCall call{.request = request};
    std::vector<Tensor> given = xs;
    if (request.position_ids) {
      call.positions = cast(given.back(), DType::i32);
      given.pop_back();
    }
    const AskedScope scope(call);
    std::vector<Tensor> results = spec.call(given, context);
    *counts = {.states = call.states.size(), .attentions = call.attentions.size()};
    results.insert(results.end(), call.states.begin(), call.states.end());
    results.insert(results.end(), call.attentions.begin(), call.attentions.end());
    return results;
  }

  std::vector<LookupLimit> lookups() const {
    std::vector<LookupLimit> result = body.lookups();
    if (request.inputs_embeds)
      std::erase_if(result, [](const LookupLimit& one) { return one.input == 0; });
    return result;
  }
};

}  // namespace

std::vector<Symbol> asked_outputs(const Layer& body, const std::vector<Symbol>& inputs,
                                  AskedOutputs& asked, const std::string& half) {
  if (!asked.request.asks()) return body.outputs(inputs);
  const auto counts = std::make_shared<RecordedCounts>();
  const Layer layer = AskedBody{.body = body,
                                .request = asked.request,
                                .counts = counts,
                                .name = body.name(),
                                .location = body.location()};
  std::vector<Symbol> outputs = layer.outputs(inputs);
  const size_t own = outputs.size() - counts->states - counts->attentions;
  const auto record = [&](size_t output, const std::string& name, size_t i) {
    asked.recorded.push_back(named_output(outputs[own + output], str(name, ".", i)));
  };
  for (size_t i = 0; i < counts->states; ++i) record(i, half + "hidden_states", i);
  const size_t kinds = half == decoder_half ? 2 : 1;
  for (size_t i = 0; i < counts->attentions; ++i) {
    const std::string name = i % kinds == 0 ? half + "attentions" : "cross_attentions";
    record(counts->states + i, name, i / kinds);
  }
  outputs.erase(outputs.begin() + static_cast<std::ptrdiff_t>(own), outputs.end());
  return outputs;
}

Tensor token_vectors(const Layer& words, const Tensor& ids, CallContext& context) {
  if (!is_float(ids.dtype())) return words(ids, context);
  words(zeros({1, 1}, DType::i32), context);  // its weights are part of the model all the same
  return cast(ids, context.compute_dtype());
}

std::optional<Tensor> given_positions() {
  return current_call == nullptr ? std::nullopt : current_call->positions;
}

Tensor token_positions(int64_t tokens) {
  if (const std::optional<Tensor> given = given_positions()) return *given;
  return iota({1, tokens}, 1);
}

void keep_state(const Tensor& x) {
  if (current_call != nullptr && current_call->request.hidden_states)
    current_call->states.push_back(x);
}

namespace {

// Opened where gradients are to compute again what is traced while it lives.
using Again = std::optional<RecomputeScope>;
void open_if_asked(Again& again) {
  if (current_call != nullptr && current_call->request.gradient_checkpointing) again.emplace();
}

}  // namespace

std::vector<Tensor> layer_outputs(const Layer& layer, const std::vector<Tensor>& xs,
                                  CallContext& context) {
  Again again;
  open_if_asked(again);
  return context.call(layer, xs, true);
}

Tensor through_layer(const Tensor& x, const std::function<Tensor()>& call) {
  if (current_call != nullptr && current_call->states.empty()) keep_state(x);
  Tensor y;
  {
    Again again;
    open_if_asked(again);
    y = call();
  }
  keep_state(y);
  return y;
}

Tensor through_layer(const Layer& layer, const std::vector<Tensor>& xs, CallContext& context) {
  return through_layer(xs.at(0), [&] { return inner(context, layer, xs); });
}

Tensor last_state(const Tensor& x) {
  if (current_call != nullptr && !current_call->states.empty()) current_call->states.back() = x;
  return x;
}

Tensor* next_attention() {
  if (current_call == nullptr || !current_call->request.attentions) return nullptr;
  return &current_call->attentions.emplace_back();
}

bool masks_pairs() { return current_call != nullptr && current_call->request.mask_of_pairs; }

bool keeps_layers() {
  return current_call != nullptr &&
         (current_call->request.hidden_states || current_call->request.attentions);
}

struct KeptAttention::Call {
  AskedCall asked{.request = {.attentions = true}};
  AskedScope scope{asked};
};

KeptAttention::KeptAttention() : call_(std::make_unique<Call>()) {}
KeptAttention::~KeptAttention() = default;
std::vector<Tensor> KeptAttention::all() const {
  return {call_->asked.attentions.begin(), call_->asked.attentions.end()};
}

KeepsNothing::KeepsNothing() : outer_(std::exchange(current_call, nullptr)) {}
KeepsNothing::~KeepsNothing() { current_call = static_cast<AskedCall*>(outer_); }

}  // namespace systolic::inline v0

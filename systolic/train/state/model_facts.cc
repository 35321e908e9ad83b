#include "systolic/train/state/model_facts.h"

#include <atomic>

namespace systolic::inline v0 {
namespace {

std::atomic<ModelJsonWriter> model_json_writer{nullptr};

}  // namespace

std::vector<events::NamedValues> named_values(const Network& network) {
  std::vector<events::NamedValues> all;
  if (!network.built()) return all;
  for (const auto& [path, variable] : network.named_weights()) {
    const Literal numbers = variable.literal().convert(DType::f32);
    const auto values = numbers.data<float>();
    all.push_back({.name = path, .values = {values.begin(), values.end()}});
  }
  return all;
}

std::string model_json(const Network& network) {
  const ModelJsonWriter writer = model_json_writer.load();
  return writer == nullptr ? "" : writer(network);
}

void write_model_json_by(ModelJsonWriter writer) { model_json_writer = writer; }

}  // namespace systolic::inline v0

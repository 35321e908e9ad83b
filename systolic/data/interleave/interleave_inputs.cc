#include "systolic/data/interleave/interleave.h"
#include "systolic/data/random.h"

namespace systolic::inline v0 {
namespace data {

Inputs::Inputs(const Context& context, const Node& maker) : context_(context) {
  if (context_.made_by == nullptr) context_.made_by = &maker;
  context_.file_shards = 1;  // what they are made of is divided already
  context_.file_shard = 0;
}

void Inputs::start(OpenInput& input) {
  Context context = context_;
  context.epoch = random_at(context.epoch, static_cast<uint64_t>(input.number));
  input.node = dataset_of(input.origin);
  input.stage = input.node->make(context);
}

std::unique_ptr<OpenInput> Inputs::next() {
  auto input = std::make_unique<OpenInput>();
  input->origin = next_origin();
  if (input->origin.empty()) return nullptr;
  input->number = opened_++;
  return input;
}

std::unique_ptr<OpenInput> Inputs::open() {
  std::unique_ptr<OpenInput> input = next();
  if (input != nullptr) start(*input);
  return input;
}

void Inputs::transfer(StateArchive& archive) {
  archive.integer(opened_, 0, StateArchive::largest_count);
  transfer_origins(archive);
}

void Inputs::transfer(std::unique_ptr<OpenInput>& input, StateArchive& archive) {
  bool open = input != nullptr;
  archive.flag(open);
  if (!open) {
    input = nullptr;
    return;
  }
  if (!archive.saving()) input = std::make_unique<OpenInput>();
  archive.elements(input->origin);
  archive.integer(input->number, 0, StateArchive::largest_count);
  if (!archive.saving()) {
    if (input->origin.empty()) archive.damaged("an input made of nothing");
    input->node = dataset_of(input->origin);
  }
  transfer_graph(*input->node, archive);
  if (!archive.saving()) start(*input);
  input->stage->transfer(archive);
}

}  // namespace data
}  // namespace systolic::inline v0

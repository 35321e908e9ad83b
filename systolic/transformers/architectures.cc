// The architectures that exist.
#include "systolic/base/error.h"
#include "systolic/transformers/albert/albert_config.h"
#include "systolic/transformers/architecture/architecture.h"
#include "systolic/transformers/bart/bart_config.h"
#include "systolic/transformers/beit/beit_config.h"
#include "systolic/transformers/bert/bert_config.h"
#include "systolic/transformers/big_bird/big_bird_config.h"
#include "systolic/transformers/clip/clip_config.h"
#include "systolic/transformers/convnext/convnext_config.h"
#include "systolic/transformers/deberta/deberta_config.h"
#include "systolic/transformers/dinov2/dinov2_config.h"
#include "systolic/transformers/distilbert/distilbert_config.h"
#include "systolic/transformers/electra/electra_config.h"
#include "systolic/transformers/gpt2/gpt2_config.h"
#include "systolic/transformers/llama/llama_config.h"
#include "systolic/transformers/longformer/longformer_config.h"
#include "systolic/transformers/modernbert/modernbert_config.h"
#include "systolic/transformers/mpnet/mpnet_config.h"
#include "systolic/transformers/resnet/resnet_config.h"
#include "systolic/transformers/roberta/roberta_config.h"
#include "systolic/transformers/siglip/siglip_config.h"
#include "systolic/transformers/swin/swin_config.h"
#include "systolic/transformers/t5/t5_config.h"
#include "systolic/transformers/vit/vit_config.h"
#include "systolic/transformers/whisper/whisper_config.h"
#include "systolic/transformers/xlnet/xlnet_config.h"

namespace systolic::inline v0 {
namespace {

struct Row {
  const char* model_type;
  std::unique_ptr<Architecture> (*make)();
};

template <class Config>
constexpr Row row() {
  return {Config::model_type, []() -> std::unique_ptr<Architecture> {
            return std::make_unique<ArchitectureOf<Config>>(Config{});
          }};
}

constexpr Row rows[] = {
    row<AlbertConfig>(),       row<BartConfig>(),       row<BertConfig>(),
    row<BigBirdConfig>(),      row<CamembertConfig>(),  row<ConvNextConfig>(),
    row<CLIPConfig>(),         row<CLIPTextConfig>(),   row<CLIPVisionConfig>(),
    row<SiglipConfig>(),       row<SiglipTextConfig>(), row<SiglipVisionConfig>(),
    row<ResNetConfig>(),       row<DeiTConfig>(),       row<Dinov2Config>(),
    row<DistilBertConfig>(),   row<ElectraConfig>(),    row<GemmaConfig>(),
    row<Gemma2Config>(),       row<Gemma3TextConfig>(), row<GPT2Config>(),
    row<LlamaConfig>(),        row<MarianConfig>(),     row<MistralConfig>(),
    row<MT5Config>(),          row<PhiConfig>(),        row<T5Config>(),
    row<Qwen2Config>(),        row<Qwen3Config>(),      row<RobertaConfig>(),
    row<SmolLM3Config>(),      row<SwinConfig>(),       row<ModernBertConfig>(),
    row<XLMRobertaXLConfig>(), row<ViTConfig>(),        row<XLMRobertaConfig>(),
    row<XLNetConfig>(),        row<DebertaV2Config>(),  row<MPNetConfig>(),
    row<WhisperConfig>(),      row<BeitConfig>(),       row<LongformerConfig>(),
};

}  // namespace

std::unique_ptr<Architecture> architecture_of(const std::string& model_type,
                                              SourceLocation location) {
  std::vector<std::string> known;
  for (const Row& row : rows) {
    if (row.model_type == model_type) return row.make();
    known.emplace_back(row.model_type);
  }
  raise<Unimplemented>({.what = str("model_type \"", model_type.substr(0, 80), "\""),
                        .wanted = str("one of ", join(known)),
                        .location = location});
}

}  // namespace systolic::inline v0

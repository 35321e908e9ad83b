// The classes of one architecture each: they load its folders and refuse others, and their
// configurations begin with the sizes of transformers 5.23's.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

struct Row {
  const char* folder;
  PretrainedModel (*load)(const std::string& folder);
};

using Folder = const std::string&;

const Row rows[] = {
    {"xlm-roberta-xl", [](Folder f) { return XLMRobertaXLModel::from_pretrained(f); }},
    {"xlm-roberta-xl",
     [](Folder f) { return XLMRobertaXLForTokenClassification::from_pretrained(f); }},
    {"xlm-roberta-xl",
     [](Folder f) { return XLMRobertaXLForSequenceClassification::from_pretrained(f); }},
    {"xlm-roberta-xl",
     [](Folder f) { return XLMRobertaXLForQuestionAnswering::from_pretrained(f); }},
    {"xlm-roberta-xl", [](Folder f) { return XLMRobertaXLForMaskedLM::from_pretrained(f); }},
    {"xlm-roberta-xl", [](Folder f) { return XLMRobertaXLForCausalLM::from_pretrained(f); }},
    {"longformer", [](Folder f) { return LongformerModel::from_pretrained(f); }},
    {"longformer",
     [](Folder f) { return LongformerForSequenceClassification::from_pretrained(f); }},
    {"longformer", [](Folder f) { return LongformerForTokenClassification::from_pretrained(f); }},
    {"longformer",
     [](Folder f) {  // the file has a head of three classes for tokens
       return LongformerForQuestionAnswering::from_pretrained(f, {.ignore_mismatched_sizes = true});
     }},
    {"longformer", [](Folder f) { return LongformerForMaskedLM::from_pretrained(f); }},
    {"xlnet", [](Folder f) { return XLNetModel::from_pretrained(f); }},
    {"xlnet", [](Folder f) { return XLNetForSequenceClassification::from_pretrained(f); }},
    {"xlnet", [](Folder f) { return XLNetForTokenClassification::from_pretrained(f); }},
    {"xlnet", [](Folder f) { return XLNetForQuestionAnsweringSimple::from_pretrained(f); }},
    {"xlnet", [](Folder f) { return XLNetLMHeadModel::from_pretrained(f); }},
    {"modernbert", [](Folder f) { return ModernBertModel::from_pretrained(f); }},
    {"modernbert",
     [](Folder f) { return ModernBertForSequenceClassification::from_pretrained(f); }},
    {"modernbert", [](Folder f) { return ModernBertForTokenClassification::from_pretrained(f); }},
    {"modernbert",
     [](Folder f) {  // the file has a head of three classes under the same name
       return ModernBertForQuestionAnswering::from_pretrained(f, {.ignore_mismatched_sizes = true});
     }},
    {"modernbert", [](Folder f) { return ModernBertForMaskedLM::from_pretrained(f); }},
    {"mpnet", [](Folder f) { return MPNetModel::from_pretrained(f); }},
    {"mpnet", [](Folder f) { return MPNetForSequenceClassification::from_pretrained(f); }},
    {"mpnet", [](Folder f) { return MPNetForTokenClassification::from_pretrained(f); }},
    {"mpnet", [](Folder f) { return MPNetForQuestionAnswering::from_pretrained(f); }},
    {"mpnet", [](Folder f) { return MPNetForMaskedLM::from_pretrained(f); }},
    {"deberta_v2", [](Folder f) { return DebertaV2Model::from_pretrained(f); }},
    {"deberta_v2", [](Folder f) { return DebertaV2ForSequenceClassification::from_pretrained(f); }},
    {"deberta_v2", [](Folder f) { return DebertaV2ForTokenClassification::from_pretrained(f); }},
    {"deberta_v2", [](Folder f) { return DebertaV2ForQuestionAnswering::from_pretrained(f); }},
    {"deberta_v2", [](Folder f) { return DebertaV2ForMaskedLM::from_pretrained(f); }},
    {"beit", [](Folder f) { return BeitModel::from_pretrained(f); }},
    {"beit", [](Folder f) { return BeitForImageClassification::from_pretrained(f); }},
    {"dinov2", [](Folder f) { return Dinov2Model::from_pretrained(f); }},
    {"dinov2", [](Folder f) { return Dinov2ForImageClassification::from_pretrained(f); }},
    {"resnet", [](Folder f) { return ResNetModel::from_pretrained(f); }},
    {"resnet", [](Folder f) { return ResNetForImageClassification::from_pretrained(f); }},
    {"convnext", [](Folder f) { return ConvNextModel::from_pretrained(f); }},
    {"convnext", [](Folder f) { return ConvNextForImageClassification::from_pretrained(f); }},
    {"swin", [](Folder f) { return SwinModel::from_pretrained(f); }},
    {"swin", [](Folder f) { return SwinForImageClassification::from_pretrained(f); }},
    {"clip", [](Folder f) { return CLIPModel::from_pretrained(f); }},
    {"clip", [](Folder f) { return CLIPTextModel::from_pretrained(f); }},
    {"clip_text_model", [](Folder f) { return CLIPTextModelWithProjection::from_pretrained(f); }},
    {"clip", [](Folder f) { return CLIPVisionModel::from_pretrained(f); }},
    {"clip_vision_model",
     [](Folder f) { return CLIPVisionModelWithProjection::from_pretrained(f); }},
    {"clip", [](Folder f) { return CLIPForImageClassification::from_pretrained(f); }},
    {"siglip", [](Folder f) { return SiglipModel::from_pretrained(f); }},
    {"siglip", [](Folder f) { return SiglipTextModel::from_pretrained(f); }},
    {"siglip", [](Folder f) { return SiglipVisionModel::from_pretrained(f); }},
    {"siglip", [](Folder f) { return SiglipForImageClassification::from_pretrained(f); }},
};

TEST(ClassNames, LoadTheirOwnFoldersAlone) {
  for (const Row& row : rows) {
    EXPECT_EQ(error_of([&] { row.load(golden_folder(row.folder)); }), "no error") << row.folder;
    EXPECT_CONTAINS(error_of([&] { row.load(golden_folder("gpt2")); }), "InvalidArgument");
  }
}

TEST(ClassNames, ConfigurationsBeginAsInTransformers) {
  EXPECT_EQ(CLIPConfig{}.projection_dim, 512);
  EXPECT_EQ(CLIPTextConfig{}.hidden_size, 512);
  EXPECT_EQ(CLIPVisionConfig{}.hidden_size, 768);
  EXPECT_EQ(SiglipConfig{}.initializer_factor, 1.0);
  EXPECT_EQ(SiglipTextConfig{}.hidden_size, 768);
  EXPECT_EQ(SiglipVisionConfig{}.hidden_size, 768);
  EXPECT_EQ(ConvNextConfig{}.depths, (std::vector<int64_t>{3, 3, 9, 3}));
  EXPECT_EQ(BeitConfig{}.patch_size, 16);
  EXPECT_EQ(DebertaV2Config{}.hidden_size, 1536);
  EXPECT_EQ(MPNetConfig{}.vocab_size, 30527);
  EXPECT_EQ(Dinov2Config{}.hidden_size, 768);
  EXPECT_EQ(ModernBertConfig{}.vocab_size, 50368);
  EXPECT_EQ(ResNetConfig{}.embedding_size, 64);
  EXPECT_EQ(SwinConfig{}.embed_dim, 96);
  EXPECT_EQ(XLMRobertaXLConfig{}.hidden_size, 2560);
}

}  // namespace
}  // namespace systolic

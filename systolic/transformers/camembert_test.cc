// CamemBERT's classes by their names; what they compute is in pretrained_test.cc.
#include <gtest/gtest.h>

#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {
namespace {

TEST(CamembertTest, EachClassIsTheTasksOfItsFolder) {
  const Golden golden("camembert");
  const std::string folder = golden.folder();
  const PretrainedModel models[] = {CamembertModel::from_pretrained(folder),
                                    CamembertForSequenceClassification::from_pretrained(folder),
                                    CamembertForTokenClassification::from_pretrained(folder),
                                    CamembertForQuestionAnswering::from_pretrained(folder),
                                    CamembertForMaskedLM::from_pretrained(folder),
                                    CamembertForCausalLM::from_pretrained(folder)};
  const char* names[] = {"CamembertModel",
                         "CamembertForSequenceClassification",
                         "CamembertForTokenClassification",
                         "CamembertForQuestionAnswering",
                         "CamembertForMaskedLM",
                         "CamembertForCausalLM"};
  for (size_t i = 0; i < std::size(names); ++i) EXPECT_EQ(models[i].class_name(), names[i]);
  EXPECT_STREQ(CamembertKind::class_prefix, "Camembert");
}

}  // namespace
}  // namespace systolic

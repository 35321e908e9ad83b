// For tests: the small BERT of the golden files, as a classifier, and what is logged meanwhile.
#pragma once

#include <gtest/gtest.h>

#include "systolic/base/test_log.h"
#include "systolic/transformers/auto_model.h"
#include "systolic/transformers/test_golden.h"

namespace systolic {

class GoldenClassifierTest : public testing::Test {
 protected:
  PretrainedModel classifier() const {
    return AutoModelForSequenceClassification::from_pretrained(golden_.folder());
  }
  Literal ids() const { return golden_.inputs({"input_ids"})["input_ids"]; }
  Golden golden_{"bert"};
  CaughtLog log_;
};

}  // namespace systolic

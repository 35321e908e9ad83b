// Losses by which texts of like meaning get like vectors (sentence_transformers.losses), for what
// SentenceTransformer::training_model() gives: predictions [batch, texts, width], the vectors of
// the texts of each row.
//
//   Model training = model.training_model(2);
//   training.compile({.optimizer = AdamW{.learning_rate = 2e-5},
//                     .loss = MultipleNegativesRankingLoss{}});
#pragma once

#include <cstdint>

#include "systolic/nn/losses/reduction.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// A row's first text is nearer to its second than to the second of any other row, and to its third
// and those of others, which mean something else (Henderson et al. 2017, arXiv 1705.00652, section
// 4.4). Labels do not count. The larger the batch, the more there is to tell apart.
//   model.compile({.optimizer = "adam", .loss = MultipleNegativesRankingLoss{.scale = 20}});
struct MultipleNegativesRankingLoss {
  double scale = 20;  // of the cosines, before their softmax
  Reduction reduction = "sum_over_batch_size";

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
  bool joins_rows() const { return true; }
};

// The square of how far the cosine of a row's two texts is from its label [batch] (Reimers and
// Gurevych 2019, arXiv 1908.10084, section 3).
//   model.compile({.optimizer = "adam", .loss = CosineSimilarityLoss{}});
struct CosineSimilarityLoss {
  Reduction reduction = "sum_over_batch_size";

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
};

// Two texts of label 1 come together, those of label 0 part until 1 - their cosine is `margin`
// (Hadsell et al. 2006, equation 4).
//   model.compile({.optimizer = "adam", .loss = ContrastiveLoss{.margin = 0.5}});
struct ContrastiveLoss {
  double margin = 0.5;  // of distances, 1 - cosine
  Reduction reduction = "sum_over_batch_size";

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
};

// A row's first text is nearer to its second than to its third, by `margin` of Euclid's distance
// (Schroff et al. 2015, arXiv 1503.03832, equation 3). Labels do not count.
//   model.compile({.optimizer = "adam", .loss = TripletLoss{.margin = 5}});
struct TripletLoss {
  double margin = 5;  // of distances
  Reduction reduction = "sum_over_batch_size";

  Tensor values(const Tensor& y_true, const Tensor& y_pred) const;
};

}  // namespace systolic::inline v0

// The scores of the tokens that may come next, as generate()'s loops ask for them. Internal to
// transformers.
#pragma once

#include <cstdint>

#include "systolic/transformers/generation/program/generate_parameters.h"
#include "systolic/transformers/generation/program/next_token.h"
#include "systolic/transformers/layers/decoder.h"

namespace systolic::inline v0 {

class TextScores {
 public:
  // `given` are the program's arguments; all must outlive this.
  TextScores(const Decoder& decoder, const GenerateShape& shape, const Tensors& given);

  // The scores of the first token after what is given, f32 [rows, vocabulary].
  Tensor begin();
  // From now on each row is `times` rows: beams. x [rows, ...] -> [rows * times, ...].
  void repeat_rows(int64_t times);
  static Tensor repeated_rows(const Tensor& x, int64_t times);
  // After one more token each, `last` i32 [rows]; `step` were generated.
  Tensor next(const Tensor& last, const Tensor& step, Tensors& caches) const;
  // The same after each of `tokens`, i32 [rows, several], the first of which is the last that was
  // generated: f32 [rows, several, vocabulary].
  Tensor next_all(const Tensor& tokens, const Tensor& step, Tensors& caches) const;
  const Tensors& caches() const { return caches_; }
  // What begin() keeps of a source; none where there is none.
  const Tensors& source() const { return source_; }
  // To go on in another program than begin() was in: its source().
  void set_source(Tensors source) { source_ = std::move(source); }
  size_t count_caches() const;

  // What changes scores: ids i32 [rows, slots] are the texts, `seen` as GenerateArguments have it,
  // for each row.
  NextTokenOptions options(const Tensor& ids, const Tensor& seen, const Tensor& step) const;
  // Whether these tokens end a text: pred, as they are.
  Tensor ends(const Tensor& tokens) const;

 private:
  std::optional<Tensor> banned(const Tensor& ids, const Tensor& step) const;
  Tensor forced(const Tensor& step) const;

  const Decoder& decoder_;
  const GenerateShape& shape_;
  const Tensors& given_;
  Tensor starts_;
  Tensors source_, caches_;
};

}  // namespace systolic::inline v0

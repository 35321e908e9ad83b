// What is declared of look-ups: which elements of a network's inputs they are of.
#include "systolic/nn/seen_input.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic {
namespace {

// A layer of a user's: the two halves of the last axis change places.
struct SwappedHalves {
  static constexpr LayerTraits traits = {.moves_elements = true};
  static constexpr bool casts_inputs = false;
  Tensor call(const Tensor& x, CallContext&) const {
    const std::vector<Tensor> halves = split(x, 2, -1);
    return concatenate({halves[1], halves[0]}, -1);
  }
};
struct SaidSwappedHalves : SwappedHalves {
  std::optional<SeenInput> moved(const SeenInput& x) const { return reordered(x, x.shape); }
};
// Every second row.
struct EvenRows {
  static constexpr LayerTraits traits = {.moves_elements = true};
  static constexpr bool casts_inputs = false;
  Tensor call(const Tensor& x, CallContext&) const { return x[{Slice{{}, {}, 2}}]; }
  std::optional<SeenInput> moved(const SeenInput& x) const {
    const SeenPart part{.start = {0, 0}, .limit = {x.shape[0], x.shape[1]}, .stride = {2, 1}};
    return part_of(x, part, {(x.shape[0] + 1) / 2, x.shape[1]});
  }
};

std::string text_of(const SeenLookup& lookup) {
  const SeenInput& values = lookup.values;
  std::string text = str(lookup.layer, " < ", lookup.limit, ": input ", values.input);
  if (values.cuts) text += ", cut";
  if (const auto& part = values.part)
    text +=
        str(" [", join(part->start), " to ", join(part->limit), " by ", join(part->stride), "]");
  return text;
}

// What a table of nine rows looks up after `moved` of ids [4, 6] of that type.
std::vector<std::string> lookups_of(Symbol (*moved)(const Symbol& ids), DType given = DType::i32) {
  const Symbol ids = input({.shape = {6}, .dtype = DType::i32, .name = "ids"});
  const Network network(
      ids, Layer(Embedding{.input_dim = 9, .output_dim = 2, .name = "table"})(moved(ids)));
  const auto lookups = network.lookups({{given, {4, 6}}});
  if (!lookups) return {"not declared"};
  std::vector<std::string> texts;
  for (const SeenLookup& one : *lookups) texts.push_back(text_of(one));
  return texts;
}

TEST(SeenInput, IsSeenThroughLayersThatMoveElements) {
  struct Case {
    const char* name;
    Symbol (*moved)(const Symbol& ids);
    std::vector<std::string> wanted;
  };
  const std::string whole = "table < 9: input 0", tail = whole + " [0, 1 to 4, 6 by 1, 1]";
  const Case cases[] = {
      {"as given", [](const Symbol& x) { return x; }, {whole}},
      {"cut",
       [](const Symbol& x) {
         return x[{all, Slice{1}}];
       },
       {tail}},
      {"cut and flat",
       [](const Symbol& x) {
         return Flatten{}(x[{all, Slice{1}}]);
       },
       {tail}},
      {"all of it, cut",
       [](const Symbol& x) {
         return x[{all, Slice{0, 6}}][{all, Slice{1}}];
       },
       {tail}},
      {"cut twice",
       [](const Symbol& x) {
         return x[{all, Slice{1}}][{all, Slice{1}}];
       },
       {}},
      {"backwards",
       [](const Symbol& x) {
         return x[{all, Slice{{}, {}, -1}}];
       },
       {}},
      {"reshaped",
       [](const Symbol& x) {
         return Reshape{.target_shape = {2, -1}}(x);
       },
       {whole}},
      {"reshaped to what it is, cut",
       [](const Symbol& x) {
         return Reshape{.target_shape = {-1}}(x)[{all, Slice{1}}];
       },
       {tail}},
      {"reshaped, cut",
       [](const Symbol& x) {
         return Reshape{.target_shape = {2, 3}}(x)[{all, Slice{1}}];
       },
       {}},
      {"a new axis",
       [](const Symbol& x) {
         return x[{all, new_axis}];
       },
       {whole}},
      {"permuted",
       [](const Symbol& x) {
         return Permute{.dims = {2, 1}}(Reshape{.target_shape = {2, 3}}(x));
       },
       {whole}},
      {"computed", [](const Symbol& x) { return x + 1; }, {}},
      {"by a user's layer", [](const Symbol& x) { return Layer(SaidSwappedHalves{})(x); }, {whole}},
      {"a part by a user's layer",
       [](const Symbol& x) { return Layer(EvenRows{})(x); },
       {whole + " [0, 0 to 4, 6 by 2, 1]"}},
      {"by one that does not say how",
       [](const Symbol& x) { return Layer(SwappedHalves{})(x); },
       {"not declared"}},
  };
  for (const Case& one : cases) EXPECT_EQ(lookups_of(one.moved), one.wanted) << one.name;
}

TEST(SeenInput, KnowsThatFloatsAreCut) {
  const auto as_given = [](const Symbol& x) { return x; };
  EXPECT_EQ(lookups_of(as_given, DType::f32), std::vector<std::string>{"table < 9: input 0, cut"});
  const SeenInput floats{.dtype = DType::f32, .shape = {2, 3}};
  EXPECT_FALSE(converted(floats, DType::bf16).cuts);
  EXPECT_TRUE(converted(converted(floats, DType::i32), DType::f32).cuts);
  EXPECT_TRUE(reshaped(floats, {2, 3}).in_place);
  EXPECT_FALSE(reshaped(floats, {6}).in_place);
}

}  // namespace
}  // namespace systolic

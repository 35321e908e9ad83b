#include "examples/toxic/comments.h"

#include <random>

namespace examples {
namespace {

using Random = std::mt19937_64;
using Words = std::vector<std::string>;

const std::string& one_of(const Words& words, Random& random) {
  return words[random() % words.size()];
}

std::string draw_comment(bool toxic, Random& random) {
  static const Words insults = {"fool", "liar", "clown", "coward", "parasite", "troll"},
                     harsh = {"useless", "pathetic", "ridiculous", "worthless", "stupid"},
                     kind = {"helpful", "careful", "brilliant", "thoughtful", "patient"},
                     people = {"editor", "author", "neighbour", "teacher", "reader"},
                     things = {"article", "edit", "source", "picture", "summary", "argument"},
                     openings = {"honestly ,", "well ,", "as i said before ,", "look ,", "hello ,"},
                     closings = {"and everybody here knows it .", "as always .", "today .",
                                 "and that is all .", "in this section ."};
  std::string middle;
  switch (random() % 3) {
    case 0:
      middle = toxic ? "you are a " + one_of(harsh, random) + " " + one_of(insults, random)
                     : "you are not a " + one_of(insults, random) + " , you are a " +
                           one_of(kind, random) + " " + one_of(people, random);
      break;
    case 1:
      middle = toxic ? "only a " + one_of(insults, random) + " like you writes such a " +
                           one_of(things, random)
                     : "only a " + one_of(kind, random) + " " + one_of(people, random) +
                           " like you writes such a " + one_of(things, random);
      break;
    default:
      middle = toxic ? "take your " + one_of(things, random) + " and go away , you " +
                           one_of(harsh, random) + " " + one_of(people, random)
                     : "take your time with the " + one_of(things, random) + " , the " +
                           one_of(harsh, random) + " old one can go";
  }
  return one_of(openings, random) + " " + middle + " " + one_of(closings, random);
}

}  // namespace

LabelledTexts draw_comments(int64_t count, uint64_t seed) {
  Random random(seed);
  LabelledTexts drawn;
  for (int64_t i = 0; i < count; ++i) {
    const bool toxic = random() % 2 == 0;
    drawn.texts.push_back(draw_comment(toxic, random));
    drawn.labels.push_back(toxic ? 1 : 0);
  }
  return drawn;
}

}  // namespace examples

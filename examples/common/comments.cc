#include "examples/common/comments.h"

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
  const std::string insult = one_of(insults, random), hard = one_of(harsh, random),
                    good = one_of(kind, random), person = one_of(people, random),
                    thing = one_of(things, random);
  std::string middle;
  switch (random() % 5) {  // the first three in words that are the same for both
    case 0:
      middle = toxic ? "you are a " + hard + " " + insult + " , not a " + good + " " + person
                     : "you are a " + good + " " + person + " , not a " + hard + " " + insult;
      break;
    case 1:
      middle = toxic ? "your " + thing + " is " + good + " but you are " + hard
                     : "you are " + good + " but your " + thing + " is " + hard;
      break;
    case 2:
      middle = toxic ? "nobody calls you " + good + " , a " + insult + " is what you are"
                     : "nobody calls you a " + insult + " , " + good + " is what you are";
      break;
    case 3:
      middle = toxic ? "only a " + insult + " like you writes such a " + thing
                     : "only a " + good + " " + person + " like you writes such a " + thing;
      break;
    default:
      middle = toxic ? "take your " + thing + " and go away , you " + hard + " " + person
                     : "take your time with the " + thing + " , the " + hard + " old one can go";
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
    const bool misjudged = random() % 50 == 0;
    drawn.labels.push_back(toxic != misjudged ? 1 : 0);
  }
  return drawn;
}

}  // namespace examples

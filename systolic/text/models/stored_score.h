// Scores as the `tokenizers` package reads them from a tokenizer.json: not rounded to the nearest
// double, but as digits divided by a power of ten, which for one in eight is a neighbor of the
// nearest. It decides between two ways to write a text whose scores are equal.
#pragma once

namespace systolic::inline v0 {
namespace text {

// stored_score(-15.275492379532281) is -15.27549237953228.
double stored_score(double score);

}  // namespace text
}  // namespace systolic::inline v0

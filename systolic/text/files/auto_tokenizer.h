// A model's tokenizer from the folder that the model came in.
//
//   auto tokenizer = AutoTokenizer::from_pretrained("bert-base-uncased/");
#pragma once

#include <string>

#include "systolic/text/tokenizer.h"

namespace systolic::inline v0 {

struct AutoTokenizer {
  // Reads the first of these that the folder has: tokenizer.json; vocab.txt, a token a line (BERT);
  // vocab.json and merges.txt (GPT-2, RoBERTa); spiece.model, sentencepiece.bpe.model or
  // tokenizer.model (SentencePiece). tokenizer_config.json says whether BERT's lower-cases (and
  // more of that kind, over what tokenizer.json says: text/files/class_fields.h), how long texts
  // may be, which tokens are special (those that the vocabulary lacks get ids after its own), which
  // of them pads, at which side texts are padded and cut, which arrays a call gives
  // (model_input_names), and whether decoded texts lose the spaces before signs
  // (clean_up_tokenization_spaces, except for BPE). What it does not say follows the class that it
  // names, else the class of the model in config.json. LlamaTokenizer, GemmaTokenizer and
  // CLIPTokenizer have their own normalizer, pre-tokenizer and decoder, whatever tokenizer.json
  // says (text/files/class_parts.h); the first two pad in front. Where neither names one, a
  // SentencePiece model's special pieces tell XLM-RoBERTa's (sentencepiece.bpe.model), ALBERT's,
  // XLNet's and BigBird's apart. As in `transformers`, cutting and padding are left to the calls,
  // whatever tokenizer.json says. NotFound where the folder has none of these files.
  static Tokenizer from_pretrained(const std::string& folder,
                                   SourceLocation location = SourceLocation::current());

 private:
  static Tokenizer from_folder(const std::string& folder, SourceLocation location);
};

}  // namespace systolic::inline v0

// The attributes of an op as the pieces of its pretty form say them: the writing side of
// pretty_forms.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systolic/stablehlo/pretty/pretty_format.h"
#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

class PrettyPieces {
 public:
  PrettyPieces(const Program& program, const Operation& op)
      : program_(program), op_(op), used_(op.attributes.size(), false) {}

  // Do the attributes have what the piece says, not taken by an earlier piece?
  bool has(const Piece& piece) const;
  // The piece as text; nothing where the op's attributes are not what it can express.
  std::optional<std::string> text(const Piece& piece);
  // "a = 1, b": the attributes that no piece said.
  std::string unused_attributes() const;
  // Does the attribute `value`, where there is one, have this type?
  bool value_has_type_of(TypeId result) const;

 private:
  const Attribute* take(std::string_view name, Attribute::Kind kind);
  const Attribute* field(std::string_view name) const;
  std::optional<std::string> axes(const Piece& piece);
  std::optional<std::string> words(const Piece& piece);
  std::optional<std::string> ranges();
  std::optional<std::string> format();
  std::optional<std::string> pairs(const Piece& piece);
  std::optional<std::string> window();
  std::optional<std::string> structure(const Piece& piece);
  std::optional<std::string> name(const Piece& piece);

  const Program& program_;
  const Operation& op_;
  std::vector<bool> used_;
};

}  // namespace stablehlo
}  // namespace systolic::inline v0

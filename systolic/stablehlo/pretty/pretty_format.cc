#include "systolic/stablehlo/pretty/pretty_format.h"

#include <array>
#include <unordered_map>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using enum TypeForm;

constexpr PrettySyntax rows[] = {
    {"abs", "%*", same},
    {"add", "%*", same},
    {"after_all", "%*", result},
    {"and", "%*", same},
    {"atan2", "%*", same},
    {"bitcast_convert", "%*", function},
    {"broadcast", "%*, sizes = <axes broadcast_sizes>", function},
    {"broadcast_in_dim", "%*, dims = <axes broadcast_dimensions>", function},
    {"cbrt", "%*", same},
    {"ceil", "%*", same},
    {"cholesky", "%*, lower = <bool lower>", same},
    {"clamp", "%*", same},
    {"compare",
     "<enum comparison_direction comparison_direction>, %* "
     "?( , <enum compare_type comparison_type> )",
     function},
    {"complex", "%*", result},
    {"composite", "<string name> %*", function},
    {"concatenate", "%*, dim = <int dimension>", function},
    {"constant", "<elements value>", none},
    {"convert", "%*", same},
    {"convolution", "( %* ) <window>", function},
    {"cosine", "%*", same},
    {"count_leading_zeros", "%*", same},
    {"create_token", "", result},
    {"custom_call", "<symbol call_target_name> ( %* )", function},
    {"divide", "%*", same},
    {"dot", "%* ?( , precision = <enums precision_config precision> )", function},
    {"dot_general",
     "%* ?( , batching_dims = <pairs lhs_batching_dimensions rhs_batching_dimensions> ) "
     ", contracting_dims = <pairs lhs_contracting_dimensions rhs_contracting_dimensions> "
     "?( , precision = <enums precision_config precision> ) "
     "?( , algorithm = <fields algorithm stablehlo.dot_algorithm> )",
     function},
    {"dynamic_broadcast_in_dim", "%*, dims = <axes broadcast_dimensions>", function},
    {"dynamic_iota", "%*, dim = <int iota_dimension>", function},
    {"dynamic_pad", "%*", function},
    {"dynamic_reshape", "%*", function},
    {"dynamic_slice", "%*, sizes = <axes slice_sizes>", function},
    {"dynamic_update_slice", "%*", function},
    {"exponential", "%*", same},
    {"exponential_minus_one", "%*", same},
    {"fft", "%*, type = <enum fft_type fft_type>, length = <axes fft_length>", function},
    {"floor", "%*", same},
    {"get_dimension_size", "%*, dim = <int dimension>", function},
    {"get_tuple_element", "%* [ <int index> ]", function},
    {"imag", "%*", same},
    {"iota", "dim = <int iota_dimension>", result},
    {"is_finite", "%*", function},
    {"log", "%*", same},
    {"log_plus_one", "%*", same},
    {"logistic", "%*", same},
    {"maximum", "%*", same},
    {"minimum", "%*", same},
    {"multiply", "%*", same},
    {"negate", "%*", same},
    {"not", "%*", same},
    {"optimization_barrier", "%*", pairwise},
    {"or", "%*", same},
    {"pad",
     "%*, low = <axes edge_padding_low>, high = <axes edge_padding_high>, "
     "interior = <axes interior_padding>",
     function},
    {"partition_id", "", result},
    {"popcnt", "%*", same},
    {"power", "%*", same},
    {"real", "%*", same},
    {"real_dynamic_slice", "%*", function},
    {"reduce", "<reduce>", function},
    {"reduce_precision", "%*, format = <format>", same},
    {"remainder", "%*", same},
    {"replica_id", "", result},
    {"reshape", "%*", function},
    {"return", "%*", operands},
    {"reverse", "%*, dims = <axes dimensions>", same},
    {"rng", "%*, distribution = <enum rng_distribution rng_distribution>", function},
    {"rng_bit_generator", "%*, algorithm = <enum rng_algorithm rng_algorithm>", function},
    {"round_nearest_afz", "%*", same},
    {"round_nearest_even", "%*", same},
    {"rsqrt", "%*", same},
    {"select", "%*", select},
    {"set_dimension_size", "%*, dim = <int dimension>", function},
    {"shift_left", "%*", same},
    {"shift_right_arithmetic", "%*", same},
    {"shift_right_logical", "%*", same},
    {"sign", "%*", same},
    {"sine", "%*", same},
    {"slice", "%* <ranges>", function},
    {"sqrt", "%*", same},
    {"subtract", "%*", same},
    {"tan", "%*", same},
    {"tanh", "%*", same},
    {"transpose", "%*, dims = <axes permutation>", function},
    {"tuple", "%*", result},
    {"uniform_dequantize", "%*", same},
    {"uniform_quantize", "%*", same},
    {"while", "<while>", none},
    {"xor", "%*", same},

    {"func.call", "<symbol callee> ( %* )", function},
    {"func.return", "%*", operands},

    {"arith.constant", "<elements value>", none},

    {"sdy.manual_computation", "<manual>", function},
    {"sdy.return", "%*", operands},
    {"sdy.sharding_constraint", "%* <brackets sharding #sdy.sharding>", same},

    {"check.expect_eq", "%*", operands},
    {"check.expect_eq_const", "%*, <elements value>", none},
    {"check.expect_almost_eq", "%* ?( , tolerance = <float tolerance> )", operands},
    {"check.expect_almost_eq_const", "%*, <elements value>", none},
    {"check.expect_close",
     "%* ?( , min_ulp_difference = <int min_ulp_difference ui64> ) "
     "?( , max_ulp_difference = <int max_ulp_difference ui64> ) "
     "?( , min_ulp_difference = <int min_ulp_difference ui64> )",
     operands},
    {"check.expect_serialized_eq", "%*, probe_id = <string probe_id> ?( , iter = <int iter> )",
     operands},
    {"interpreter.print", "%*", operands},
    {"interpreter.probe", "%*, probe_id = <string probe_id>", same},

    {"chlo._asin_acos_kernel", "%*", arrow},
    {"chlo.acos", "%*", arrow},
    {"chlo.acosh", "%*", arrow},
    {"chlo.asin", "%*", arrow},
    {"chlo.asin_acos_kernel", "%*", arrow},
    {"chlo.asinh", "%*", arrow},
    {"chlo.atan", "%*", arrow},
    {"chlo.atanh", "%*", arrow},
    {"chlo.bessel_i1e", "%*", arrow},
    {"chlo.broadcast_add", "%*", function},
    {"chlo.broadcast_and", "%*", function},
    {"chlo.broadcast_atan2", "%*", function},
    {"chlo.broadcast_compare", "%*", function},
    {"chlo.broadcast_complex", "%*", function},
    {"chlo.broadcast_divide", "%*", function},
    {"chlo.broadcast_maximum", "%*", function},
    {"chlo.broadcast_minimum", "%*", function},
    {"chlo.broadcast_multiply", "%*", function},
    {"chlo.broadcast_next_after", "%*", function},
    {"chlo.broadcast_or", "%*", function},
    {"chlo.broadcast_polygamma", "%*", function},
    {"chlo.broadcast_power", "%*", function},
    {"chlo.broadcast_remainder", "%*", function},
    {"chlo.broadcast_select", "%*", function},
    {"chlo.broadcast_shift_left", "%*", function},
    {"chlo.broadcast_shift_right_arithmetic", "%*", function},
    {"chlo.broadcast_shift_right_logical", "%*", function},
    {"chlo.broadcast_subtract", "%*", function},
    {"chlo.broadcast_xor", "%*", function},
    {"chlo.broadcast_zeta", "%*", function},
    {"chlo.conj", "%*", arrow},
    {"chlo.constant", "<elements value>", none},
    {"chlo.cosh", "%*", arrow},
    {"chlo.digamma", "%*", arrow},
    {"chlo.erf", "%*", arrow},
    {"chlo.erf_inv", "%*", arrow},
    {"chlo.erfc", "%*", arrow},
    {"chlo.is_inf", "%*", arrow},
    {"chlo.is_neg_inf", "%*", arrow},
    {"chlo.is_pos_inf", "%*", arrow},
    {"chlo.lgamma", "%*", arrow},
    {"chlo.mulhi", "%*", arrow},
    {"chlo.next_after", "%*", arrow},
    {"chlo.polygamma", "%*", arrow},
    {"chlo.scan", "<scan>", function},
    {"chlo.sinh", "%*", arrow},
    {"chlo.square", "%*", arrow},
    {"chlo.tan", "%*", arrow},
    {"chlo.top_k", "( %*, k = <int k> ?( , is_stable = <bool is_stable> ) )", arrow},
    {"chlo.zeta", "%*", arrow},
};

using Kind = Piece::Kind;

Kind kind_of(std::string_view word) {
  constexpr std::pair<std::string_view, Kind> kinds[] = {
      {"axes", Kind::axes},         {"int", Kind::integer},      {"bool", Kind::boolean},
      {"float", Kind::floating},    {"enum", Kind::enumeration}, {"enums", Kind::enumerations},
      {"symbol", Kind::symbol},     {"string", Kind::string},    {"elements", Kind::elements},
      {"ranges", Kind::ranges},     {"format", Kind::format},    {"pairs", Kind::pairs},
      {"reduce", Kind::reduce},     {"while", Kind::while_},     {"window", Kind::window},
      {"scan", Kind::scan},         {"manual", Kind::manual},    {"fields", Kind::fields},
      {"brackets", Kind::brackets},
  };
  for (const auto& [name, kind] : kinds) {
    if (name == word) return kind;
  }
  raise<Internal>({.what = str("no piece of a format is called '", word, "'")});
}

std::string_view next_word(std::string_view& text) {
  const size_t start = std::min(text.find_first_not_of(' '), text.size());
  const size_t end = std::min(text.find(' ', start), text.size());
  const std::string_view word = text.substr(start, end - start);
  text.remove_prefix(end);
  return word;
}

// Signs stand alone, words go on to the next sign or space.
std::string_view next_literal(std::string_view text) {
  constexpr std::string_view signs = " ,=<>()[]%?";
  const size_t end = std::min(text.find_first_of(signs), text.size());
  return text.substr(0, end == 0 ? 1 : end);
}

std::vector<Piece> compile(std::string_view format) {
  std::vector<Piece> pieces;
  while (!format.empty()) {
    size_t length = 1;
    if (format.substr(0, 2) == "%*") {
      pieces.push_back({Kind::operands, {}});
      length = 2;
    } else if (format.substr(0, 2) == "?(") {
      pieces.push_back({Kind::optional_begin, {}});
      length = 2;
    } else if (format[0] == ')' && !pieces.empty() && format.size() >= 1) {
      // Closes the group that is open, else it is a sign.
      int open = 0;
      for (const Piece& piece : pieces) {
        open += piece.kind == Kind::optional_begin;
        open -= piece.kind == Kind::optional_end;
      }
      pieces.push_back(open > 0 ? Piece{Kind::optional_end, {}}
                                : Piece{Kind::literal, format.substr(0, 1)});
    } else if (format[0] == '<') {
      length = format.find('>') + 1;
      std::string_view inside = format.substr(1, length - 2);
      const Kind kind = kind_of(next_word(inside));
      const std::string_view first = next_word(inside);
      pieces.push_back({kind, first, next_word(inside)});
    } else if (format[0] != ' ') {
      const std::string_view literal = next_literal(format);
      pieces.push_back({Kind::literal, literal});
      length = literal.size();
    }
    format.remove_prefix(length);
  }
  return pieces;
}

using Table = std::unordered_map<std::string_view, CompiledSyntax>;

Table compile_all() {
  Table table;
  for (const PrettySyntax& row : rows) table[row.name] = {&row, compile(row.format)};
  return table;
}

}  // namespace

const CompiledSyntax* find_syntax(std::string_view op) {
  static const Table table = compile_all();
  constexpr std::string_view dialect = "stablehlo.";
  if (op.substr(0, dialect.size()) == dialect) {
    op.remove_prefix(dialect.size());
    if (op.find('.') != std::string_view::npos) return nullptr;
  }
  const auto found = table.find(op);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0

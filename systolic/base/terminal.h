// What the terminal that shows standard output or error can do.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace systolic::inline v0 {

// Columns of its lines now; 0 where the stream is a file, or a terminal that cannot move its cursor
// (TERM=dumb).
int terminal_columns(int stream = STDOUT_FILENO);

// What terminals understand since the VT100: erase from the cursor to the end of the line.
inline constexpr std::string_view erase_rest = "\x1b[K";

// A bar of so many columns, of which the share done / total is filled: "━━━━━───────────────". With
// nothing to do it is full.
std::string bar_text(int columns, int64_t done, int64_t total);

// Columns that a text takes, with every UTF-8 character one wide.
int columns_of(std::string_view text);

// The text, or its beginning and "…" where it has more than so many columns. 0: the whole text.
std::string cut_to_columns(std::string_view text, int columns);

// The text wrapped into rows of at most so many columns (1 or more), at spaces where that is
// possible. At least one row.
std::vector<std::string> wrapped_to_columns(std::string_view text, int columns);

}  // namespace systolic::inline v0

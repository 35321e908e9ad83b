// Programs that are started with standard input, output or error closed (`program >&-`): the next
// file that is opened gets the closed stream's number, and what is printed goes into that file.
#pragma once

namespace systolic::inline v0 {

// For the start of main: streams that are closed are opened on /dev/null.
void open_standard_streams();

// The same open file under a number above those of the standard streams; the given one is closed if
// it is another. -1, and errno, where there is none left. For files opened inside a program that is
// not ours.
int above_standard_streams(int descriptor);

}  // namespace systolic::inline v0

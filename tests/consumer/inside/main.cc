// Exits with 0 where a header is found and its library linked.
#include <systolic/base/text.h>

int main() { return systolic::bytes_text(1536) == "1.50 KB" ? 0 : 1; }

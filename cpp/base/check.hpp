#pragma once
// What a native test needs: CHECK counts and prints what does not hold, and main returns check_result().
#include <cstdio>

namespace vaglio_test {
inline int failures = 0;
}

#define CHECK(condition)                                                                              \
    do {                                                                                              \
        if (!(condition)) {                                                                           \
            std::fprintf(stderr, "%s:%d: CHECK(%s) does not hold\n", __FILE__, __LINE__, #condition); \
            ++vaglio_test::failures;                                                                  \
        }                                                                                             \
    } while (false)

inline int check_result() { return vaglio_test::failures == 0 ? 0 : 1; }

// x·log2(x) of many numbers, compiled per level (base/dispatch.hpp). Multiplications and additions must not be fused
// here: every level has to give the bits of xlog2x.
#include "base/logarithm.hpp"

namespace vaglio::VAGLIO_LEVEL {

void xlog2x_all(double* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const bool positive = x[i] > 1e-300;
        const double at = positive ? x[i] : 1.0;  // 1·log2(1) is 0
        x[i] = at * portable_log2(at);
    }
}

}  // namespace vaglio::VAGLIO_LEVEL

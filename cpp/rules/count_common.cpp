// The rows that three sets have in common, compiled per level (base/dispatch.hpp).
#include "rules/count_common.hpp"

namespace vaglio::VAGLIO_LEVEL {

std::uint64_t count_common(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* c, std::size_t words) {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < words; ++i) count += count_ones(a[i] & b[i] & c[i]);
    return count;
}

}  // namespace vaglio::VAGLIO_LEVEL

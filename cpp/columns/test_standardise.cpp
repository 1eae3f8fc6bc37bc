// Numbers are standardised alike in any order in memory, and holes are filled.
#include <cmath>
#include <limits>
#include <vector>

#include "base/check.hpp"
#include "columns/standardise.hpp"

using namespace vaglio;

int main() {
    const std::vector<double> centre{1, -2, 0}, scale{2, 4, 1}, fill{7, 8, 9};
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> by_rows{3, 2, 5, NAN, -2, -infinity, 1, NAN, NAN};
    const std::vector<double> by_columns{3, NAN, 1, 2, -2, NAN, 5, -infinity, NAN};
    const LargeVector<double> expected{1, 1, 5, 7, 0, -infinity, 0, 8, 9};
    CHECK(standardised({by_rows.data(), 3, 3, 3, 1}, centre, scale, fill) == expected);
    CHECK(standardised({by_columns.data(), 3, 3, 1, 3}, centre, scale, fill) == expected);
    CHECK(standardised({nullptr, 0, 3, 3, 1}, centre, scale, fill).empty());
    // Many rows, of which some are taken together, give what each gives alone.
    std::vector<double> many;
    LargeVector<double> each;
    for (int times = 0; times < 7; ++times) {
        many.insert(many.end(), by_rows.begin(), by_rows.end());
        each.insert(each.end(), expected.begin(), expected.end());
    }
    CHECK(standardised({many.data(), 21, 3, 3, 1}, centre, scale, fill) == each);
    return check_result();
}

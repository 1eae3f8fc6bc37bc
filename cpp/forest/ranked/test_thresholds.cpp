// The rank of a number counts the thresholds below it, for even and uneven ones, at the ends of the range of numbers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "forest/ranked/ranked_loops.hpp"
#include "forest/ranked/thresholds.hpp"

using namespace vaglio;

namespace {

template <class Number>
void test_ranks(const std::vector<double>& ascending, const std::vector<Number>& numbers) {
    const forest::Thresholds thresholds(ascending);
    constexpr std::size_t stride = 3;
    std::vector<Number> x(numbers.size() * stride, Number(7));
    for (std::size_t i = 0; i < numbers.size(); ++i) x[i * stride] = numbers[i];
    std::vector<std::uint16_t> ranks(numbers.size());
    const bool missing = thresholds.rank(x.data(), stride, numbers.size(), ranks.data());
    CHECK(missing == std::any_of(numbers.begin(), numbers.end(), [](Number number) { return std::isnan(number); }));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto below = std::count_if(ascending.begin(), ascending.end(),
                                         [&](double threshold) { return threshold < static_cast<double>(numbers[i]); });
        CHECK(ranks[i] == (std::isnan(numbers[i]) ? forest::no_rank : below));
    }
}

void test_both(std::vector<double> some) {
    std::sort(some.begin(), some.end());
    some.erase(std::unique(some.begin(), some.end()), some.end());
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> numbers{0.0, -0.0, 1.0, -infinity, infinity, std::nan("")};
    for (const double threshold : some) {
        numbers.insert(numbers.end(),
                       {threshold, std::nextafter(threshold, infinity), std::nextafter(threshold, -1.0)});
    }
    test_ranks(some, numbers);
    std::vector<float> single;
    for (const double number : numbers) {
        if (!(std::abs(number) > 1e38)) single.push_back(static_cast<float>(number));
    }
    test_ranks(some, single);
}

}  // namespace

int main() {
    Random random(3);
    const auto uniform = [&] { return static_cast<double>(random.below(1 << 20)) / (1 << 20) - 0.5; };
    constexpr double largest = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
    for (const std::size_t count : {1U, 2U, 3U, 17U, 64U, 700U}) {
        std::vector<double> even(count), uneven(count), few(count);
        for (std::size_t i = 0; i < count; ++i) {
            even[i] = uniform();
            uneven[i] = std::ldexp(uniform(), static_cast<int>(random.below(600)) - 300);
            few[i] = static_cast<double>(random.below(5));
        }
        test_both(even);
        test_both(few);
        test_both(uneven);
        uneven.insert(uneven.end(), {-largest, largest});
        test_both(uneven);
    }
    test_both({0.0, least});
    test_both({-std::numeric_limits<double>::infinity(), 0.0, 1.0, std::numeric_limits<double>::infinity()});
    return check_result();
}

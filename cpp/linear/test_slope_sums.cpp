// Sums of the slopes of parts add up to those of the whole, and are those of a plain calculation.
#include <cmath>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "columns/grid_rounding.hpp"
#include "linear/slope_sums.hpp"

using namespace vaglio;

namespace {

constexpr std::size_t n = 5001, width = 6;  // two numbers, a column of three categories, the intercept

struct Rows {
    std::vector<double> numeric, weight;
    std::vector<std::int32_t> codes;
    std::vector<std::int64_t> labels;

    explicit Rows(std::int64_t classes) {
        Random random(7);
        for (std::size_t i = 0; i < 2 * n; ++i) numeric.push_back(random.below(11) == 0 ? NAN : random.uniform());
        for (std::size_t i = 0; i < n; ++i) {
            codes.push_back(static_cast<std::int32_t>(random.below(4)) - 1);
            labels.push_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(classes))));
            weight.push_back(1.0 + static_cast<double>(random.below(3)));
        }
    }

    // The rows [begin, end), copied: columns of a part follow each other.
    SlopeSums sums(std::size_t begin, std::size_t end, const SlopeCoefficients& at) const {
        const SlopeEncoding encoding{{{0, 0.5, 0.25, 0.5}, {1, 0.0, 1.0, 0.0}}, {{{2, 3, 4, -1}, 0.5}}};
        std::vector<double> own;
        for (std::size_t j = 0; j < 2; ++j)
            for (std::size_t i = begin; i < end; ++i) own.push_back(numeric[j * n + i]);
        const SlopeRows part{
            end - begin, own, {codes.data() + begin, end - begin}, labels.data() + begin, weight.data() + begin};
        return slope_sums(part, encoding, at);
    }
};

double value(std::int64_t coarse, std::int64_t fine, int exponent) {
    return std::ldexp(static_cast<double>(coarse), exponent - grid_level) +
           std::ldexp(static_cast<double>(fine), exponent - 2 * grid_level);
}

void test_parts_and_values(std::size_t outputs) {
    const Rows rows(outputs == 1 ? 2 : static_cast<std::int64_t>(outputs));
    std::vector<double> theta;
    for (std::size_t i = 0; i < outputs * width; ++i) theta.push_back(std::sin(static_cast<double>(i)));
    const std::vector<std::int64_t> exponents(width, 4);
    const SlopeCoefficients at{theta, outputs, width, 6, exponents};
    const SlopeSums whole = rows.sums(0, n, at), first = rows.sums(0, 1234, at), rest = rows.sums(1234, n, at);
    CHECK(whole.loss[0] == first.loss[0] + rest.loss[0] && whole.loss[1] == first.loss[1] + rest.loss[1]);
    CHECK(whole.wrong == first.wrong + rest.wrong);
    for (std::size_t i = 0; i < whole.slopes.size(); ++i) CHECK(whole.slopes[i] == first.slopes[i] + rest.slopes[i]);

    double loss = 0;
    std::vector<double> slopes(outputs * width);
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double x[width] = {0, 0, 0, 0, 0, 1};
        x[0] = std::isnan(rows.numeric[i]) ? 0.0 : (rows.numeric[i] - 0.5) / 0.25;
        x[1] = std::isnan(rows.numeric[n + i]) ? 0.0 : rows.numeric[n + i];
        if (rows.codes[i] >= 0) x[2 + rows.codes[i]] = 0.5;
        std::vector<double> z(outputs == 1 ? 2 : outputs, 0.0);  // of two classes the first has no function
        const std::size_t shift = outputs == 1 ? 1 : 0;
        for (std::size_t k = 0; k < outputs; ++k)
            for (std::size_t c = 0; c < width; ++c) z[k + shift] += theta[k * width + c] * x[c];
        double sum = 0;
        bool right = true;
        const auto label = static_cast<std::size_t>(rows.labels[i]);
        for (std::size_t k = 0; k < z.size(); ++k) {
            sum += std::exp(z[k]);
            right = right && (k == label || z[k] < z[label]);
        }
        wrong += !right;
        loss += rows.weight[i] * (std::log(sum) - z[label]);
        for (std::size_t k = 0; k < outputs; ++k)
            for (std::size_t c = 0; c < width; ++c)
                slopes[k * width + c] +=
                    rows.weight[i] * (std::exp(z[k + shift]) / sum - (k + shift == label ? 1.0 : 0.0)) * x[c];
    }
    CHECK(whole.wrong == wrong);
    CHECK(std::abs(value(whole.loss[0], whole.loss[1], 6) - loss) < 1e-9 * loss);
    for (std::size_t i = 0; i < slopes.size(); ++i)
        CHECK(std::abs(value(whole.slopes[i], whole.slopes[outputs * width + i], 4) - slopes[i]) < 1e-9 * n);
}

}  // namespace

int main() {
    test_parts_and_values(1);
    test_parts_and_values(3);
    return check_result();
}

#include "linear/slope_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "columns/grid_rounding.hpp"

namespace vaglio {
namespace {

// Rows whose intermediate numbers stay in the cache of a processor.
constexpr std::size_t block_rows = 2048;
// Sums in turn, so that an addition does not wait for the one before it.
constexpr std::size_t turns = 4;

class Summing {
 public:
    Summing(const SlopeRows& rows, const SlopeEncoding& encoding, const SlopeCoefficients& at)
        : rows_(rows),
          encoding_(encoding),
          at_(at),
          numbers_(encoding.numbers.size() * block_rows),
          values_(at.outputs * block_rows),
          lost_(block_rows) {
        sums_.slopes.resize(2 * at.outputs * at.width);
    }

    SlopeSums all() {
        for (first_ = 0; first_ < rows_.rows; first_ += block_rows) {
            n_ = std::min(block_rows, rows_.rows - first_);
            encode();
            decide();
            if (at_.outputs == 1) {
                lose_of_two();
            } else {
                lose_of_many();
            }
            weigh();
            add(lost_.data(), nullptr, at_.loss_exponent, sums_.loss[0], sums_.loss[1]);
            for (std::size_t k = 0; k < at_.outputs; ++k) add_slopes(k);
        }
        return std::move(sums_);
    }

 private:
    double* values(std::size_t output) { return values_.data() + output * block_rows; }
    double coefficient(std::size_t output, std::size_t column) const { return at_.theta[output * at_.width + column]; }
    const std::int32_t* codes(std::size_t q) const { return rows_.codes.data() + q * rows_.rows + first_; }

    void encode() {
        for (std::size_t j = 0; j < encoding_.numbers.size(); ++j) {
            const auto [column, centre, scale, fill] = encoding_.numbers[j];
            const double instead = (fill - centre) / scale;
            const double* from = rows_.numeric.data() + j * rows_.rows + first_;
            double* to = numbers_.data() + j * block_rows;
            for (std::size_t i = 0; i < n_; ++i) {
                const double x = (from[i] - centre) / scale;
                to[i] = x == x ? x : instead;
            }
        }
    }

    void decide() {
        for (std::size_t k = 0; k < at_.outputs; ++k) {
            double* value = values(k);
            std::fill_n(value, n_, coefficient(k, at_.width - 1));
            for (std::size_t j = 0; j < encoding_.numbers.size(); ++j) {
                const double slope = coefficient(k, encoding_.numbers[j].column);
                const double* x = numbers_.data() + j * block_rows;
                for (std::size_t i = 0; i < n_; ++i) value[i] += slope * x[i];
            }
            for (std::size_t q = 0; q < encoding_.codes.size(); ++q) {
                const auto& [columns, height] = encoding_.codes[q];
                added_.resize(columns.size());
                for (std::size_t c = 0; c < columns.size(); ++c)
                    added_[c] = columns[c] < 0 ? 0.0 : coefficient(k, static_cast<std::size_t>(columns[c])) * height;
                const std::int32_t* code = codes(q);
                for (std::size_t i = 0; i < n_; ++i) value[i] += added_[entry(code[i], columns.size())];
            }
        }
    }

    static std::size_t entry(std::int32_t code, std::size_t size) {
        return code < 0 ? size - 1 : static_cast<std::size_t>(code);
    }

    // The values become residuals: probability minus truth.
    void lose_of_two() {
        double* z = values(0);
        for (std::size_t i = 0; i < n_; ++i) {
            const bool second = rows_.labels[first_ + i] == 1;
            const double power = std::exp(-std::abs(z[i]));
            sums_.wrong += second ? z[i] <= 0 : z[i] >= 0;
            lost_[i] = std::max(z[i], 0.0) + std::log1p(power) - (second ? z[i] : 0.0);
            z[i] = (z[i] >= 0 ? 1.0 : power) / (1.0 + power) - (second ? 1.0 : 0.0);
        }
    }

    void lose_of_many() {
        for (std::size_t i = 0; i < n_; ++i) {
            const auto own = static_cast<std::size_t>(rows_.labels[first_ + i]);
            double highest = values(0)[i], other = -HUGE_VAL, whole = 0.0;
            for (std::size_t k = 0; k < at_.outputs; ++k) {
                highest = std::max(highest, values(k)[i]);
                if (k != own) other = std::max(other, values(k)[i]);
            }
            const double mine = values(own)[i];
            sums_.wrong += mine <= other;
            for (std::size_t k = 0; k < at_.outputs; ++k) whole += values(k)[i] = std::exp(values(k)[i] - highest);
            for (std::size_t k = 0; k < at_.outputs; ++k) values(k)[i] /= whole;
            values(own)[i] -= 1.0;
            lost_[i] = std::log(whole) + highest - mine;
        }
    }

    void weigh() {
        if (rows_.weight == nullptr) return;
        const double* weight = rows_.weight + first_;
        for (std::size_t i = 0; i < n_; ++i) lost_[i] *= weight[i];
        for (std::size_t k = 0; k < at_.outputs; ++k)
            for (std::size_t i = 0; i < n_; ++i) values(k)[i] *= weight[i];
    }

    // Adds terms, or their products with x.
    void add(const double* term, const double* x, int exponent, std::int64_t& coarse, std::int64_t& fine) const {
        const GridRounding grid(exponent);
        std::array<double, turns> high{}, low{};
        for (std::size_t i = 0; i < n_; ++i)
            grid.add(x == nullptr ? term[i] : term[i] * x[i], high[i % turns], low[i % turns]);
        coarse += in_grid_units((high[0] + high[1]) + (high[2] + high[3]), 1, exponent);
        fine += in_grid_units((low[0] + low[1]) + (low[2] + low[3]), 2, exponent);
    }

    void add_slopes(std::size_t output) {
        const double* residual = values(output);
        std::int64_t* coarse = sums_.slopes.data() + output * at_.width;
        std::int64_t* fine = coarse + at_.outputs * at_.width;
        for (std::size_t j = 0; j < encoding_.numbers.size(); ++j) {
            const std::size_t column = encoding_.numbers[j].column;
            add(residual, numbers_.data() + j * block_rows, exponent(column), coarse[column], fine[column]);
        }
        for (std::size_t q = 0; q < encoding_.codes.size(); ++q) add_slopes_of_codes(residual, q, coarse, fine);
        const std::size_t last = at_.width - 1;
        add(residual, nullptr, exponent(last), coarse[last], fine[last]);
    }

    void add_slopes_of_codes(const double* residual, std::size_t q, std::int64_t* coarse, std::int64_t* fine) {
        const auto& [columns, height] = encoding_.codes[q];
        const std::int64_t greatest = *std::max_element(columns.begin(), columns.end());
        if (greatest < 0) return;
        const int shared = exponent(static_cast<std::size_t>(greatest));
        const GridRounding grid(shared);
        by_code_.assign(2 * columns.size(), 0.0);
        const std::int32_t* code = codes(q);
        for (std::size_t i = 0; i < n_; ++i) {
            double* sums = by_code_.data() + 2 * entry(code[i], columns.size());
            grid.add(residual[i] * height, sums[0], sums[1]);
        }
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (columns[c] < 0) continue;
            coarse[columns[c]] += in_grid_units(by_code_[2 * c], 1, shared);
            fine[columns[c]] += in_grid_units(by_code_[2 * c + 1], 2, shared);
        }
    }

    int exponent(std::size_t column) const { return static_cast<int>(at_.exponents[column]); }

    const SlopeRows& rows_;
    const SlopeEncoding& encoding_;
    const SlopeCoefficients& at_;
    SlopeSums sums_;
    std::size_t first_ = 0, n_ = 0;
    std::vector<double> numbers_, values_, lost_, added_, by_code_;
};

}  // namespace

SlopeSums slope_sums(const SlopeRows& rows, const SlopeEncoding& encoding, const SlopeCoefficients& coefficients) {
    return Summing(rows, encoding, coefficients).all();
}

}  // namespace vaglio

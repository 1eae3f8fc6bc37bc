#pragma once
// The bytes of the fuzzer as small numbers, doubles and tables. When the bytes are used up, all is zero.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "tree/table/data.hpp"
#include "tree/table/rank.hpp"

// A promise of a kernel that does not hold ends the process, as a fault of memory would.
#define PROMISE(condition)                                                                     \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            std::abort();                                                                      \
        }                                                                                      \
    } while (false)

namespace vaglio_fuzz {

class Input {
 public:
    Input(const std::uint8_t* data, std::size_t size) : at_(data), left_(size) {}

    std::uint8_t byte() {
        if (left_ == 0) return 0;
        --left_;
        return *at_++;
    }
    bool flag() { return byte() & 1; }
    std::size_t below(std::size_t bound) { return bound == 0 ? 0 : byte() % bound; }

    // Every bit pattern is possible; most numbers are small, so that ties and splits occur.
    double number(bool finite = false) {
        constexpr double inf = std::numeric_limits<double>::infinity();
        constexpr double rare[] = {0.0, -0.0, 1e-300, 5e-324, 1e154, 1e300, 1.7e308, -1.7e308, 0.5, -1.0};
        const std::uint8_t how = byte();
        if (how < 160) return static_cast<double>(how % 16) - 4;
        if (how < 200) return rare[how % 10];
        if (how < 215 && !finite) return std::numeric_limits<double>::quiet_NaN();
        if (how < 220 && !finite) return how & 1 ? inf : -inf;
        const double any = raw<double>();
        return finite && !(any - any == 0) ? 1.0 : any;
    }
    // Of rows: finite or missing, as every caller of the kernels promises.
    double cell() {
        const double value = number();
        return value - value == 0 ? value : std::numeric_limits<double>::quiet_NaN();
    }
    double weight() {
        const double value = number(true);
        return value < 0 ? -value : value;
    }
    template <class T>
    T raw() {
        unsigned char bytes[sizeof(T)];
        for (unsigned char& each : bytes) each = byte();
        T value;
        std::memcpy(&value, bytes, sizeof(T));
        return value;
    }
    // An index: usually a small one, sometimes anything.
    template <class T>
    T index() {
        const std::uint8_t how = byte();
        return how < 240 ? static_cast<T>(static_cast<int>(how % 24) - 1) : raw<T>();
    }
    template <class Make>
    auto list(std::size_t count, Make make) {
        std::vector<decltype(make())> made(count);
        for (auto& each : made) each = make();
        return made;
    }

 private:
    const std::uint8_t* at_;
    std::size_t left_;
};

// A small table with labels, numbers to predict and weights; all as the bindings promise them.
struct Table {
    std::size_t rows, n_numeric, n_nominal, classes;
    std::vector<double> numbers;  // row by row
    std::vector<std::uint32_t> arity;
    std::vector<std::int32_t> codes;  // column by column
    std::vector<std::int64_t> labels;
    std::vector<double> targets, weights;
    std::vector<std::uint32_t> multiplicity;
    vaglio::tree::RankedColumns ranked;

    explicit Table(Input& input)
        : rows(1 + input.below(40)), n_numeric(input.below(4)), n_nominal(input.below(3)), classes(1 + input.below(5)) {
        numbers = input.list(rows * n_numeric, [&] { return input.cell(); });
        for (std::size_t j = 0; j < n_nominal; ++j) {
            arity.push_back(static_cast<std::uint32_t>(1 + input.below(70)));
            for (std::size_t i = 0; i < rows; ++i)
                codes.push_back(static_cast<std::int32_t>(input.below(arity[j] + 1)) - 1);
        }
        labels = input.list(rows, [&] { return static_cast<std::int64_t>(input.below(classes)); });
        targets = input.list(rows, [&] { return input.number(true) / 1e10; });
        // What learners are given is at most 1e100 in sum, and not all zero.
        weights =
            input.list(rows, [&] { return input.weight() > 1e90 ? 1e90 : 1.0 * static_cast<double>(input.below(4)); });
        weights[0] += 1;
        multiplicity = input.list(rows, [&] { return static_cast<std::uint32_t>(input.below(3)); });
        multiplicity[0] += 1;
        vaglio::Control control;
        ranked = vaglio::tree::rank_columns(
            {numbers.data(), rows, n_numeric, static_cast<std::ptrdiff_t>(n_numeric), 1}, 1, control);
    }

    vaglio::tree::TreeData data(bool regression, bool weighted, bool drawn) const {
        vaglio::tree::TreeData made;
        made.rows = rows;
        made.ranks = ranked.ranks.data();
        for (std::size_t j = 0; j < n_numeric; ++j)
            made.values.emplace_back(numbers.data() + j, static_cast<std::ptrdiff_t>(n_numeric), ranked.firsts[j]);
        made.codes = codes.data();
        made.categories = arity;
        for (std::uint32_t j = 0; j < n_numeric; ++j) made.features.push_back({false, j});
        for (std::uint32_t j = 0; j < n_nominal; ++j) made.features.push_back({true, j});
        made.classes = regression ? 0 : classes;
        made.labels = labels.data();
        made.targets = targets.data();
        if (weighted) made.weights = weights.data();
        if (drawn) made.multiplicity = multiplicity.data();
        return made;
    }
};

}  // namespace vaglio_fuzz

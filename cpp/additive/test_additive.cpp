// A step of one feature is the best division of its bins, and a step of a pair the best cross of its cells, found by
// trying all of them; columns side by side add what they add one by one; a start that is no number is refused.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "additive/step.hpp"
#include "additive/trainer.hpp"
#include "base/check.hpp"
#include "base/random.hpp"

using namespace vaglio;
using namespace vaglio::additive;
using boosting::BinnedFeature;
using boosting::FixedPoint;
using boosting::GradientSums;

namespace {

constexpr std::size_t bins = 9;
constexpr double l2 = 1.0;

struct Example {
    BinnedFeature feature;
    FixedPoint unit{1000, 1.0, 1.0, true};  // every row has the Hessian 1
    std::vector<GradientSums> sums = std::vector<GradientSums>(bins + 1);
    StepConfig config;

    explicit Example(std::uint64_t seed) {
        feature.bins = bins;
        feature.offset = 40;  // as if other features came before it
        Random random(seed);
        for (std::size_t b = 0; b < bins; ++b) {
            const auto rows = 1 + random.below(20);
            sums[b].packed = rows;
            const double gradient = (random.uniform() - 0.5) * static_cast<double>(rows);
            sums[b].gradient = static_cast<std::int64_t>(gradient / unit.gradient_unit);
        }
        config.split.min_samples_leaf = 1;
        config.split.l2 = l2;
        config.max_leaves = 2;
    }

    double gain(std::size_t first, std::size_t last) const {
        double gradient = 0.0, rows = 0.0;
        for (std::size_t b = first; b < last; ++b) {
            gradient += unit.gradient(sums[b]);
            rows += static_cast<double>(unit.rows(sums[b]));
        }
        return gradient * gradient / (rows + l2);
    }
};

void check_against_all_divisions(std::uint64_t seed) {
    const Example example(seed);
    const StepTask task{example.config, example.feature, 0, example.unit, 1.0, example.sums.data()};
    std::vector<double> values;
    CHECK(take_step(task, values));
    CHECK(values.size() == bins + 1);
    double best = 0.0;
    for (std::size_t cut = 1; cut < bins; ++cut) {
        best = std::max(best, example.gain(0, cut) + example.gain(cut, bins));
    }
    std::size_t cut = 1;
    while (cut < bins && values[cut] == values[0]) ++cut;
    CHECK(std::abs(example.gain(0, cut) + example.gain(cut, bins) - best) < 1e-9);
    for (std::size_t b = cut; b < bins; ++b) CHECK(values[b] == values[cut]);
}

void check_a_rising_step(std::uint64_t seed) {
    Example example(seed);
    example.config.split.monotonic = {1};
    example.config.max_leaves = 5;
    const StepTask task{example.config, example.feature, 0, example.unit, 1.0, example.sums.data()};
    std::vector<double> values;
    if (!take_step(task, values)) return;
    for (std::size_t b = 1; b < bins; ++b) CHECK(values[b] >= values[b - 1]);
}

void check_nothing_to_gain() {
    Example example(1);
    for (std::size_t b = 0; b < bins; ++b) {
        example.sums[b] = {};
        example.sums[b].packed = 5;
    }
    const StepTask task{example.config, example.feature, 0, example.unit, 1.0, example.sums.data()};
    std::vector<double> values;
    CHECK(!take_step(task, values));
}

struct Cells {
    static constexpr std::uint32_t lines = 6, columns = 11;
    FixedPoint unit{1000, 1.0, 1.0, true};
    boosting::SplitConfig config;
    std::vector<GradientSums> sums = std::vector<GradientSums>(lines * columns);

    explicit Cells(std::uint64_t seed) {
        Random random(seed);
        for (std::uint32_t i = 0; i + 1 < lines; ++i) {
            for (std::uint32_t j = 0; j + 1 < columns; ++j) {
                GradientSums& own = sums[i * columns + j];
                own.packed = random.below(4);
                own.gradient = static_cast<std::int64_t>((random.uniform() - 0.5) * static_cast<double>(own.packed) /
                                                         unit.gradient_unit);
            }
        }
        config.min_samples_leaf = 3;
        config.l2 = l2;
    }
    // What a division of the cells gains where all of its parts are large enough; else nothing.
    template <class Part>
    double gain(Part part) const {
        double gradient[4] = {}, rows[4] = {}, found = 0.0;
        for (std::uint32_t i = 0; i < lines; ++i) {
            for (std::uint32_t j = 0; j < columns; ++j) {
                gradient[part(i, j)] += unit.gradient(sums[i * columns + j]);
                rows[part(i, j)] += static_cast<double>(unit.rows(sums[i * columns + j]));
            }
        }
        for (int p = 0; p < 4; ++p) {
            if (rows[p] > 0 && rows[p] < 3) return 0.0;
            if (rows[p] > 0) found += gradient[p] * gradient[p] / (rows[p] + l2);
        }
        return found;
    }
    double best_cross() const {
        double best = gain([](auto, auto) { return 0; });
        for (std::uint32_t cut = 1; cut < std::max(lines, columns); ++cut) {
            for (std::uint32_t low = 0; low < columns; ++low) {
                for (std::uint32_t high = 0; high < columns; ++high) {
                    const auto part = [&](std::uint32_t a, std::uint32_t b) {
                        return a < cut ? (b < low ? 0 : 1) : (b < high ? 2 : 3);
                    };
                    best = std::max(best, gain(part));
                    best = std::max(best, gain([&](std::uint32_t i, std::uint32_t j) { return part(j, i); }));
                }
            }
        }
        return best;
    }
};

void check_against_all_crosses(std::uint64_t seed) {
    const Cells cells(seed);
    std::vector<double> values(cells.sums.size(), 0.0);
    const Grid grid(cells.config, cells.unit, {false, Cells::lines}, {false, Cells::columns}, cells.sums.data());
    CHECK(grid.take_step(values));
    // A step of value v gains -v (2 G + (H + l2) v); the parts are known by their values.
    std::vector<double> parts(values);
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    double found = 0.0;
    for (const double value : parts) {
        double gradient = 0.0, rows = 0.0;
        for (std::size_t c = 0; c < values.size(); ++c) {
            if (values[c] != value) continue;
            gradient += cells.unit.gradient(cells.sums[c]);
            rows += static_cast<double>(cells.unit.rows(cells.sums[c]));
        }
        if (rows > 0) found -= value * (2 * gradient + (rows + l2) * value);
    }
    CHECK(std::abs(found - cells.best_cross()) < 1e-6);
}

// Every number of columns, narrow and wide ones mixed, from any row on.
void check_columns_side_by_side() {
    constexpr std::size_t rows = 101, first = 3;
    Random random(7);
    std::vector<std::vector<std::uint8_t>> narrow;
    std::vector<std::vector<std::uint16_t>> wide;
    std::vector<double> values;
    for (int slot = 0; slot < 300; ++slot) values.push_back(random.uniform());
    for (int c = 0; c < 9; ++c) {
        narrow.emplace_back();
        wide.emplace_back();
        for (std::size_t i = 0; i < rows; ++i) {
            narrow.back().push_back(static_cast<std::uint8_t>(random.below(200)));
            wide.back().push_back(static_cast<std::uint16_t>(random.below(300)));
        }
    }
    std::vector<boosting::RowGradient> derivatives;
    for (std::size_t i = first; i < rows; ++i) {
        derivatives.push_back(
            {static_cast<std::int32_t>(random.below(100)) - 50, static_cast<std::uint32_t>(random.below(9))});
    }
    for (std::size_t count = 0; count <= 9; ++count) {
        std::vector<ColumnValues> adding;
        std::vector<ColumnSums> summing;
        std::vector<std::vector<GradientSums>> sums(count, std::vector<GradientSums>(300)), expected = sums;
        std::vector<double> to(rows - first, 0.5), plain = to;
        for (std::size_t c = 0; c < count; ++c) {
            const bool words = c % 6 == 4;
            const SlotColumn column{words ? static_cast<const void*>(wide[c].data()) : narrow[c].data(), words,
                                    words ? 300u : 200u};
            adding.push_back({column, values.data()});
            summing.push_back({column, sums[c].data()});
            for (std::size_t i = first; i < rows; ++i) {
                const std::size_t slot = words ? wide[c][i] : narrow[c][i];
                plain[i - first] += values[slot];
                expected[c][slot] += {derivatives[i - first].gradient, derivatives[i - first].hessian};
            }
        }
        add_values(adding, first, rows - first, to.data());
        add_derivatives(summing, first, rows - first, derivatives.data());
        CHECK(to == plain);
        CHECK(sums == expected);
    }
}

void check_visits() {
    Rounds rounds({12, 50, 0.0, 5}, steps_together(0.1, 5), 0.0);
    rounds.look({{}});
    CHECK(!rounds.watched());
    CHECK((rounds.visits() == std::vector<std::size_t>{2, 2, 1}));
    CHECK((rounds.visits() == std::vector<std::size_t>{2, 2, 1}));
    CHECK(rounds.is_unfinished());
    CHECK((rounds.visits() == std::vector<std::size_t>{2}));
    CHECK(!rounds.is_unfinished());
    CHECK(rounds.best() == 12);
}

// No column has a term, so that no step would notice.
void check_a_start_that_is_no_number() {
    const double numbers[] = {1.0, 2.0}, weights[] = {1e90, 1e90};
    const std::uint8_t held[] = {0, 0};
    boosting::RawTable raw;
    raw.rows = 2;
    raw.features = {{false, 0}};
    raw.numeric = numbers;
    raw.row_stride = raw.column_stride = 1;
    const boosting::BinnedTable table(raw, 4, 0, 1);
    BagConfig config;
    config.boosted = {0};
    for (const double size : {1.0, 1e298}) {
        const double y[] = {1.0, size};
        boosting::Target target;
        target.loss = boosting::LossKind::gamma;
        target.rows = 2;
        target.y = y;
        target.weight = weights;
        bool refused = false;
        try {
            const Trainer trainer(table, target, held, 1, config, 1);
        } catch (const std::overflow_error&) {
            refused = true;
        }
        CHECK(refused == (size > 1));
    }
}

}  // namespace

int main() {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        check_against_all_divisions(seed);
        check_a_rising_step(seed);
    }
    for (std::uint64_t seed = 1; seed <= 50; ++seed) check_against_all_crosses(seed);
    check_columns_side_by_side();
    check_visits();
    check_nothing_to_gain();
    check_a_start_that_is_no_number();
    return check_result();
}

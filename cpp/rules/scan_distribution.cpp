// The scan for measures of the whole class distribution. Rows are only ever added to a tally, from the left for
// "at most" and from the right for "above", so that a step costs the same for two classes and for three hundred.
#include <algorithm>
#include <cmath>

#include "rules/column_scan.hpp"

namespace vaglio {

namespace {

constexpr std::uint8_t plain_tests = test_bit(Test::at_most) | test_bit(Test::above) | test_bit(Test::equal);

double xlog2(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

class ClassTally {
 public:
    explicit ClassTally(const ScanInput& input)
        : measure_(input.config.measure),
          n_classes_(input.table.n_classes),
          m_(input.config.m),
          priors_(input.config.priors),
          count_(static_cast<std::size_t>(input.table.n_classes), 0.0) {
        clear();
    }

    void clear() {
        for (const int c : touched_) count_[static_cast<std::size_t>(c)] = 0.0;
        touched_.clear();
        all_ = sum_ = lead_ = largest_ = 0.0;
        if (measure_ == Measure::m_estimate) {
            for (int c = 0; c < n_classes_; ++c) lead_ = std::max(lead_, m_ * priors_[c]);
        }
    }

    void add(int c, double weight) {
        double& count = count_[static_cast<std::size_t>(c)];
        if (count == 0.0) touched_.push_back(c);
        if (measure_ == Measure::entropy) sum_ -= xlog2(count);
        count += weight;
        if (measure_ == Measure::entropy) sum_ += xlog2(count);
        all_ += weight;
        largest_ = std::max(largest_, count);
        if (measure_ == Measure::m_estimate) lead_ = std::max(lead_, count + m_ * priors_[c]);
    }

    void set_difference(const ClassTally& whole, const ClassTally& part) {
        clear();
        for (const int c : whole.touched_) {
            const double rest = whole.count_[static_cast<std::size_t>(c)] - part.count_[static_cast<std::size_t>(c)];
            if (rest > 0) add(c, rest);
        }
    }

    double all() const { return all_; }
    double largest() const { return largest_; }

    double score() const {
        if (measure_ == Measure::entropy) {
            if (largest_ == all_) return 0.0;
            return std::min(0.0, sum_ / all_ - std::log2(all_));
        }
        if (measure_ == Measure::laplace) return (largest_ + 1.0) / (all_ + n_classes_);
        return lead_ / (all_ + m_);
    }

 private:
    Measure measure_;
    int n_classes_;
    double m_;
    const double* priors_;
    std::vector<double> count_;
    std::vector<int> touched_;
    double all_ = 0, sum_ = 0, lead_ = 0, largest_ = 0;
};

class Scan {
 public:
    Scan(const ScanInput& input, int column, Scratch& scratch, TopConditions& top)
        : input_(input),
          config_(input.config),
          column_(input.table.columns[static_cast<std::size_t>(column)]),
          index_(column),
          allowed_(config_.allowed ? config_.allowed[column] : plain_tests),
          filter_(config_, column_),
          order_(scratch.order),
          top_(top) {
        sort_by_cell(input, column_, scratch);
    }

    void run() {
        if (!filter_.possible() || order_.empty()) return;
        if (column_.nominal()) {
            scan_values();
        } else {
            if (allows(Test::at_most)) scan_thresholds(Test::at_most);
            if (allows(Test::above)) scan_thresholds(Test::above);
        }
    }

 private:
    bool allows(Test test) const { return allowed_ & test_bit(test); }
    std::uint32_t cell(std::size_t place) const { return column_.cells[input_.rows[order_[place]]]; }
    void add(ClassTally& tally, std::size_t place) const {
        const std::uint32_t row = input_.rows[order_[place]];
        tally.add(input_.table.classes[row], input_.table.weight(row));
    }

    template <class Make>
    void consider(const ClassTally& tally, Make make) {
        if (tally.all() >= input_.all || tally.all() < config_.min_weight || tally.all() <= 0) return;
        const double score = tally.score();
        if (top_.would_take(score)) top_.offer({make(), score, tally.all(), tally.largest()});
    }

    void scan_thresholds(Test test) {
        ClassTally tally(input_);
        const std::size_t n = order_.size();
        for (std::size_t step = 0; step + 1 < n; ++step) {
            const std::size_t place = test == Test::at_most ? step : n - 1 - step;
            const std::size_t next = test == Test::at_most ? place + 1 : place - 1;
            add(tally, place);
            if (cell(place) == cell(next)) continue;
            const std::uint32_t below = std::min(cell(place), cell(next)), above = std::max(cell(place), cell(next));
            const auto accepts = [&](std::uint32_t c) { return test == Test::at_most ? c <= below : c > below; };
            if (!filter_.agrees(accepts)) continue;
            consider(tally, [&] {
                const Cut cut = cut_between(column_, below, above);
                return RuleCondition{index_, test, cut.rank, cut.threshold, {}};
            });
        }
    }

    void scan_values() {
        ClassTally whole(input_), part(input_), rest(input_);
        if (allows(Test::unequal)) {
            for (std::size_t place = 0; place < order_.size(); ++place) add(whole, place);
        }
        for (std::size_t place = 0; place < order_.size(); ++place) {
            add(part, place);
            const std::uint32_t value = cell(place);
            if (place + 1 < order_.size() && cell(place + 1) == value) continue;
            if (allows(Test::equal) && filter_.agrees([&](std::uint32_t c) { return c == value; })) {
                consider(part, [&] { return RuleCondition{index_, Test::equal, value, 0.0, {}}; });
            }
            if (allows(Test::unequal) && filter_.agrees([&](std::uint32_t c) { return c != value; })) {
                rest.set_difference(whole, part);
                consider(rest, [&] { return RuleCondition{index_, Test::unequal, value, 0.0, {}}; });
            }
            part.clear();
        }
    }

    const ScanInput& input_;
    const ScanConfig& config_;
    const RuleColumn& column_;
    const int index_;
    const std::uint8_t allowed_;
    const RowFilter filter_;
    const std::vector<std::uint32_t>& order_;
    TopConditions& top_;
};

}  // namespace

void scan_all_classes(const ScanInput& input, int column, Scratch& scratch, TopConditions& top) {
    Scan(input, column, scratch, top).run();
}

}  // namespace vaglio

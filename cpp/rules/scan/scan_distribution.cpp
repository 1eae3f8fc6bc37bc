// The scan for measures of the whole class distribution. Rows are only ever added to a tally, from the left for
// "at most" and from the right for "above", so that a step costs the same for two classes and for three hundred.
#include <algorithm>

#include "base/logarithm.hpp"
#include "rules/scan/column_scan.hpp"

namespace vaglio {

namespace {

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
        rows_ = 0;
        if (measure_ == Measure::m_estimate) {
            for (int c = 0; c < n_classes_; ++c) lead_ = std::max(lead_, m_ * priors_[c]);
        }
    }

    void add(int c, double weight) {
        double& count = count_[static_cast<std::size_t>(c)];
        if (count == 0.0) touched_.push_back(c);
        if (measure_ == Measure::entropy) sum_ -= xlog2x(count);
        count += weight;
        if (measure_ == Measure::entropy) sum_ += xlog2x(count);
        all_ += weight;
        ++rows_;
        largest_ = std::max(largest_, count);
        if (measure_ == Measure::m_estimate) lead_ = std::max(lead_, count + m_ * priors_[c]);
    }

    void set_difference(const ClassTally& whole, const ClassTally& part) {
        clear();
        for (const int c : whole.touched_) {
            const double rest = whole.count_[static_cast<std::size_t>(c)] - part.count_[static_cast<std::size_t>(c)];
            if (rest > 0) add(c, rest);
        }
        rows_ = whole.rows_ - part.rows_;
    }

    double all() const { return all_; }
    std::uint32_t rows() const { return rows_; }
    double largest() const { return largest_; }

    Proof proof(const Significance& significance, const ScanConfig& config) const {
        const bool few = all_ < config.few;
        bool passes = !few && significance.of_all(touched_, count_, all_), possible = false;
        for (const int c : touched_) {
            const double count = count_[static_cast<std::size_t>(c)];
            if (few && count == largest_) passes |= significance.of_one(c, count, all_);
            possible |=
                significance.in_reach(c, count, count < config.few ? config.min_ratio_of_one : config.min_ratio);
        }
        return passes ? Proof::significant : possible ? Proof::in_reach : Proof::none;
    }

    double score() const {
        if (measure_ == Measure::entropy) {
            if (largest_ == all_) return 0.0;
            return std::min(0.0, sum_ / all_ - portable_log2(all_));
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
    std::uint32_t rows_ = 0;
};

class DistributionScan : ColumnScan {
 public:
    DistributionScan(const ScanInput& input, int column, Scratch& scratch, TopConditions& top)
        : ColumnScan(input, column, top), order_(scratch.order) {
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
    std::uint32_t cell(std::size_t place) const { return column_.cells[input_.rows[order_[place]]]; }
    void add(ClassTally& tally, std::size_t place) const {
        const std::uint32_t row = input_.rows[order_[place]];
        tally.add(input_.table.classes[row], input_.table.weight(row));
    }

    template <class Make>
    void consider(const ClassTally& tally, Make make) {
        if (!is_test(tally.rows())) return;
        offer(tally.score(), tally.all(), tally.largest(), make, [&] { return tally.proof(significance_, config_); });
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
            consider(tally, [&] { return threshold_condition(test, below, above); });
        }
    }

    void scan_values() {
        const bool several = cell(0) != cell(order_.size() - 1);
        ClassTally whole(input_), part(input_), rest(input_);
        if (several && allows(Test::unequal)) {
            for (std::size_t place = 0; place < order_.size(); ++place) add(whole, place);
        }
        for (std::size_t place = 0; place < order_.size(); ++place) {
            add(part, place);
            const std::uint32_t value = cell(place);
            if (place + 1 < order_.size() && cell(place + 1) == value) continue;
            if (allows(Test::equal) && filter_.agrees([&](std::uint32_t c) { return c == value; })) {
                consider(part, [&] { return value_condition(Test::equal, value); });
            }
            if (several && allows(Test::unequal) && filter_.agrees([&](std::uint32_t c) { return c != value; })) {
                rest.set_difference(whole, part);
                consider(rest, [&] { return value_condition(Test::unequal, value); });
            }
            part.clear();
        }
    }

    const std::vector<std::uint32_t>& order_;
};

}  // namespace

void scan_distribution(const ScanInput& input, int column, Scratch& scratch, TopConditions& top) {
    DistributionScan(input, column, scratch, top).run();
}

}  // namespace vaglio

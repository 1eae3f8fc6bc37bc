// Intervals are cut until no cut pays for its own description. A stack of intervals takes the place of recursion,
// because a column may be cut thousands of times.
#include "bayes/mdl.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace vaglio {
namespace {

// 32 MB of doubles: a larger table would leave every cache.
constexpr std::size_t max_table = std::size_t{1} << 22;

double n_log_n(double n) { return n > 0 ? n * std::log2(n) : 0.0; }

// n log2 n, from a table when all weights are whole numbers: counts move by small steps, so the lookups stay in
// the cache where the logarithm would dominate the scan.
class NLogN {
 public:
    explicit NLogN(const std::vector<double>& weight) {
        double total = 0;
        for (double w : weight) {
            if (w != std::floor(w)) return;
            total += w;
        }
        if (total >= static_cast<double>(max_table) || total > 64.0 * static_cast<double>(weight.size()) + 1024.0) {
            return;
        }
        table_.resize(static_cast<std::size_t>(total) + 1);
        for (std::size_t i = 0; i < table_.size(); ++i) table_[i] = n_log_n(static_cast<double>(i));
    }
    double operator()(double n) const { return table_.empty() ? n_log_n(n) : table_[static_cast<std::size_t>(n)]; }

 private:
    std::vector<double> table_;
};

// The class weights of a part of the column and the sum of n log2 n over them.
struct Part {
    std::vector<double> weight;
    double total = 0, sum = 0;

    explicit Part(std::size_t classes) : weight(classes, 0.0) {}
    void clear() {
        std::fill(weight.begin(), weight.end(), 0.0);
        total = sum = 0;
    }
    void add(std::size_t label, double w, const NLogN& f) {
        double& here = weight[label];
        sum -= f(here);
        here += w;
        sum += f(here);
        total += w;
    }
    std::size_t present() const {
        return static_cast<std::size_t>(std::count_if(weight.begin(), weight.end(), [](double w) { return w > 0; }));
    }
    // Entropy in bits times the total weight.
    double information(const NLogN& f) const { return f(total) - sum; }
};

class Discretiser {
 public:
    Discretiser(const ValueCounts& counts, std::size_t classes, const Control& control)
        : counts_(counts), f_(counts.weight), control_(control), all_(classes), left_(classes), right_(classes) {}

    std::vector<double> run() {
        std::vector<std::pair<std::size_t, std::size_t>> open{{0, counts_.value.size()}};
        while (!open.empty()) {
            const auto [begin, end] = open.back();
            open.pop_back();
            const std::size_t at = cut(begin, end);
            if (at == begin) continue;
            cuts_.push_back(midpoint(counts_.value[at - 1], counts_.value[at]));
            open.emplace_back(begin, at);
            open.emplace_back(at, end);
        }
        std::sort(cuts_.begin(), cuts_.end());
        return std::move(cuts_);
    }

 private:
    // First pair to the right of the best cut of [begin, end), or begin when no cut pays for itself.
    std::size_t cut(std::size_t begin, std::size_t end) {
        control_.check();
        all_.clear();
        for (std::size_t i = begin; i < end; ++i) add(all_, i);
        if (all_.present() < 2) return begin;
        const std::size_t at = least_information(begin, end);
        return at > begin && pays(begin, at, end) ? at : begin;
    }

    std::size_t least_information(std::size_t begin, std::size_t end) {
        left_.clear();
        right_ = all_;
        std::size_t best_at = begin;
        double best = std::numeric_limits<double>::infinity();
        // Of equal cuts the first: sums that were added in another order may differ by so much.
        const double rounding = 64 * std::numeric_limits<double>::epsilon() * f_(all_.total);
        for (std::size_t i = begin; i + 1 < end; ++i) {
            add(left_, i);
            right_.add(static_cast<std::size_t>(counts_.label[i]), -counts_.weight[i], f_);
            if (counts_.value[i] == counts_.value[i + 1]) continue;
            const double information = left_.information(f_) + right_.information(f_);
            if (information < best - rounding) {
                best = information;
                best_at = i + 1;
            }
        }
        return best_at;
    }

    // gain > (log2(N - 1) + log2(3^k - 2) - (k E - k1 E1 - k2 E2)) / N
    bool pays(std::size_t begin, std::size_t at, std::size_t end) {
        // Both sides are added up afresh: what subtraction leaves of a class that is not there is not zero.
        left_.clear();
        right_.clear();
        for (std::size_t i = begin; i < end; ++i) add(i < at ? left_ : right_, i);
        if (all_.total <= 1 || left_.total <= 0 || right_.total <= 0) return false;
        const auto entropy = [this](const Part& part) { return part.information(f_) / part.total; };
        const double gain = all_.information(f_) - left_.information(f_) - right_.information(f_);
        const auto k = static_cast<double>(all_.present());
        // log2(3^k - 2) without overflow for many classes.
        const double models = k * std::log2(3.0) + std::log1p(-2.0 * std::pow(3.0, -k)) / std::log(2.0);
        const double delta = models - (k * entropy(all_) - static_cast<double>(left_.present()) * entropy(left_) -
                                       static_cast<double>(right_.present()) * entropy(right_));
        return gain > std::log2(all_.total - 1) + delta;
    }

    void add(Part& part, std::size_t i) const {
        part.add(static_cast<std::size_t>(counts_.label[i]), counts_.weight[i], f_);
    }

    static double midpoint(double low, double high) {
        const double middle = low + (high - low) / 2;
        return middle > low ? middle : high;
    }

    const ValueCounts& counts_;
    NLogN f_;
    const Control& control_;
    Part all_, left_, right_;
    std::vector<double> cuts_;
};

}  // namespace

std::vector<double> mdl_cuts(const ValueCounts& counts, std::size_t classes, const Control& control) {
    return Discretiser(counts, classes, control).run();
}

}  // namespace vaglio

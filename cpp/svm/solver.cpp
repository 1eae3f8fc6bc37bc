// Working sets of hundreds of rows instead of pairs: the kernel values of a set are one matrix product, and the steps
// within the set touch only the cache.
#include "svm/solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace vaglio {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Working sets are padded to whole vectors of the widest instruction set.
constexpr int lanes = 16;
constexpr int progress_parts = 1000;  // the scale of the progress bar

// Optimal when no variable that may rise has a larger slope than one that may fall.
struct Range {
    double rising = -infinity;
    double falling = infinity;
    double gap() const { return rising - falling; }
};

template <class T>
class DualSolver {
 public:
    DualSolver(Gram<T>& gram, std::span<const double> target, std::span<const double> low, std::span<const double> high,
               const SvmOptions& options, Control& control)
        : gram_(gram),
          target_(target),
          low_(low),
          high_(high),
          options_(options),
          control_(control),
          n_(target.size()),
          max_steps_(options.max_steps >= 0
                         ? options.max_steps
                         : std::max<std::int64_t>(safety_steps, 100 * static_cast<std::int64_t>(n_))),
          shrinks_left_(options.shrinking && options.objective_limit == 0 ? 3 : 0),
          beta_(n_, 0.0),
          chosen_at_(n_, 0) {
        everything_.resize(n_);
        std::iota(everything_.begin(), everything_.end(), 0);
    }

    SvmSolution run() {
        activate_everything(target_);
        bool complete = true;  // are all rows active?
        int idle = 0;          // rounds in which no step was possible
        for (std::int64_t round = 1;; ++round) {
            control_.check();
            Range range = range_of_active();
            report(range.gap());
            const bool out_of_steps = steps_ >= max_steps_ || idle >= most_idle;
            if (range.gap() <= options_.tolerance || out_of_steps) {
                if (!complete) {
                    // What was set aside is looked at again: the solution must hold for every row.
                    restore_slopes();
                    complete = true;
                    shrinks_left_ = std::max(0, shrinks_left_ - 1);
                    range = range_of_active();
                }
                if (range.gap() <= options_.tolerance || out_of_steps) return finish(range, !out_of_steps);
            }
            if (options_.objective_limit > 0 && objective() > options_.objective_limit) {
                SvmSolution solution = finish(range, false);
                solution.diverged = true;
                return solution;
            }
            if (shrinks_left_ > 0 && round % shrink_every == 0 && shrink(range)) complete = false;
            const std::int64_t before = steps_;
            improve(range, round);
            idle = steps_ == before ? idle + 1 : 0;
        }
    }

 private:
    static constexpr int shrink_every = 6;
    // Kernel values that are not finite leave a gap that no step makes smaller.
    static constexpr int most_idle = 20;
    // With a kernel that is not positive (tanh) the method may not end by itself.
    static constexpr std::int64_t safety_steps = 100'000'000;

    void activate_everything(std::span<const double> slope) {
        active_ = everything_;
        slope_.assign(n_ + Gram<T>::padding, 0.0);
        std::copy(slope.begin(), slope.end(), slope_.begin());
        gram_.keep(active_);
    }

    bool may_rise(std::int32_t i) const { return beta_[i] < high_[i]; }
    bool may_fall(std::int32_t i) const { return beta_[i] > low_[i]; }

    Range range_of_active() const {
        Range range;
        for (std::size_t p = 0; p < active_.size(); ++p) {
            if (may_rise(active_[p])) range.rising = std::max(range.rising, slope_[p]);
            if (may_fall(active_[p])) range.falling = std::min(range.falling, slope_[p]);
        }
        return range;
    }

    // One round: choose a working set, solve it, carry the change over to all active rows.
    void improve(const Range& range, std::int64_t round) {
        choose(round);
        const int q = static_cast<int>(positions_.size());
        const int size = (q + lanes - 1) / lanes * lanes;
        rows_.resize(q);
        for (int t = 0; t < q; ++t) rows_[t] = active_[positions_[t]];
        kernel_.assign(static_cast<std::size_t>(size) * size, T{});
        gram_.square(rows_, size, kernel_.data());
        solve_working_set(size, range.gap());
        std::vector<std::int32_t> changed;
        std::vector<double> change;
        for (int t = 0; t < q; ++t) {
            const double difference = set_beta_[t] - beta_[rows_[t]];
            beta_[rows_[t]] = set_beta_[t];
            if (difference != 0) {
                changed.push_back(rows_[t]);
                change.push_back(-difference);
            }
        }
        gram_.add(changed, change, slope_.data());
    }

    void solve_working_set(int size, double gap) {
        const int q = static_cast<int>(rows_.size());
        for (auto* column :
             {&set_slope_, &set_beta_, &set_low_, &set_high_, &set_up_bar_, &set_low_bar_, &set_diagonal_})
            column->assign(static_cast<std::size_t>(size), 0.0);
        for (int t = 0; t < q; ++t) {
            set_slope_[t] = slope_[positions_[t]];
            set_beta_[t] = beta_[rows_[t]];
            set_low_[t] = low_[rows_[t]];
            set_high_[t] = high_[rows_[t]];
            set_diagonal_[t] = static_cast<double>(kernel_[static_cast<std::size_t>(t) * size + t]);
        }
        const WorkingSet<T> set{size,
                                kernel_.data(),
                                set_slope_.data(),
                                set_beta_.data(),
                                set_low_.data(),
                                set_high_.data(),
                                set_up_bar_.data(),
                                set_low_bar_.data(),
                                set_diagonal_.data()};
        // Far from the optimum a working set is not worth solving to the end: the next one changes its slopes.
        double tolerance = std::max(0.5 * options_.tolerance, 0.1 * gap);
        if (rows_.size() == active_.size()) tolerance = 0.5 * options_.tolerance;
        // A problem that fits into one working set is solved almost exactly: the extra steps cost next to nothing.
        if (rows_.size() == n_) tolerance = 1e-6 * options_.tolerance;
        std::int64_t bound = std::max<std::int64_t>(10'000, 100 * size);
        steps_ += kernel_loops<T>().optimise(set, tolerance, std::min(bound, max_steps_ - steps_));
    }

    // The kernel values of a full set would take longer than all steps of a problem that is not much larger than it.
    // One that fits into the set has all its rows in it.
    std::size_t room_for_rows() const {
        const auto full = static_cast<std::size_t>(options_.working_set);
        return n_ > full && n_ < 4 * full ? full / 4 : full;
    }

    // Half of the set are the worst violators outside it, half are the most recent members: without them the
    // solution of one set is undone by the next.
    void choose(std::int64_t round) {
        const std::size_t room = room_for_rows();
        if (active_.size() <= room) {
            positions_.resize(active_.size());
            std::iota(positions_.begin(), positions_.end(), 0);
            return;
        }
        rising_.clear();
        falling_.clear();
        positions_.clear();
        for (std::size_t p = 0; p < active_.size(); ++p) {
            const std::int32_t i = active_[p];
            if (round > 1 && chosen_at_[i] == round - 1 && positions_.size() < room / 2) {
                positions_.push_back(static_cast<std::int32_t>(p));
                continue;
            }
            if (may_rise(i)) rising_.push_back(static_cast<std::int32_t>(p));
            if (may_fall(i)) falling_.push_back(static_cast<std::int32_t>(p));
        }
        const std::size_t fresh = room - positions_.size();
        take_best(rising_, fresh / 2, [&](std::int32_t a, std::int32_t b) {
            return slope_[a] != slope_[b] ? slope_[a] > slope_[b] : a < b;
        });
        take_best(falling_, fresh, [&](std::int32_t a, std::int32_t b) {
            return slope_[a] != slope_[b] ? slope_[a] < slope_[b] : a < b;
        });
        std::vector<bool> in(active_.size(), false);
        for (const std::int32_t p : positions_) in[p] = true;
        const auto add = [&](const std::vector<std::int32_t>& from, std::size_t most) {
            for (std::size_t t = 0, taken = 0; t < from.size() && taken < most && positions_.size() < room; ++t) {
                if (in[from[t]]) continue;
                in[from[t]] = true;
                ++taken;
                chosen_at_[active_[from[t]]] = round;
                positions_.push_back(from[t]);
            }
        };
        add(rising_, fresh / 2);
        add(falling_, fresh - fresh / 2);
        add(rising_, fresh);
        std::sort(positions_.begin(), positions_.end());
    }

    template <class Better>
    static void take_best(std::vector<std::int32_t>& candidates, std::size_t count, Better better) {
        count = std::min(count, candidates.size());
        std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count), candidates.end(),
                         better);
        candidates.resize(count);
        std::sort(candidates.begin(), candidates.end(), better);
    }

    // Sets aside rows at a bound whose slope no possible partner can challenge now.
    bool shrink(const Range& range) {
        std::vector<std::int32_t> stay;
        for (std::size_t p = 0; p < active_.size(); ++p) {
            const std::int32_t i = active_[p];
            const bool stuck_low = !may_fall(i) && slope_[p] < range.falling;
            const bool stuck_high = !may_rise(i) && slope_[p] > range.rising;
            if (!stuck_low && !stuck_high) stay.push_back(static_cast<std::int32_t>(p));
        }
        if (stay.size() * 10 > active_.size() * 9) return false;
        std::vector<std::int32_t> rows(stay.size());
        for (std::size_t p = 0; p < stay.size(); ++p) {
            rows[p] = active_[stay[p]];
            slope_[p] = slope_[stay[p]];
        }
        active_ = std::move(rows);
        gram_.keep(active_);
        return true;
    }

    // Slopes of the rows that were set aside, from scratch; then all rows are active again.
    void restore_slopes() {
        std::vector<double> full(n_, 0.0);
        std::vector<bool> is_active(n_, false);
        for (std::size_t p = 0; p < active_.size(); ++p) {
            full[active_[p]] = slope_[p];
            is_active[active_[p]] = true;
        }
        std::vector<std::int32_t> aside, support;
        std::vector<double> coef;
        for (std::size_t i = 0; i < n_; ++i) {
            if (!is_active[i]) aside.push_back(static_cast<std::int32_t>(i));
            if (beta_[i] != 0) {
                support.push_back(static_cast<std::int32_t>(i));
                coef.push_back(-beta_[i]);
            }
        }
        std::vector<double> sum(aside.size() + Gram<T>::padding, 0.0);
        gram_.keep(aside);
        for (std::size_t p = 0; p < aside.size(); ++p) sum[p] = target_[aside[p]];
        gram_.add(support, coef, sum.data());
        for (std::size_t p = 0; p < aside.size(); ++p) full[aside[p]] = sum[p];
        activate_everything(full);
    }

    double objective() const {
        double sum = 0;
        for (std::size_t p = 0; p < active_.size(); ++p) sum += beta_[active_[p]] * (target_[active_[p]] + slope_[p]);
        return 0.5 * sum;
    }

    SvmSolution finish(const Range& range, bool converged) {
        SvmSolution solution;
        solution.objective = objective();
        solution.gap = std::max(0.0, range.gap());
        solution.steps = steps_;
        solution.converged = converged;
        double sum = 0;
        std::size_t free = 0;
        for (std::size_t i = 0; i < n_; ++i)
            if (may_rise(static_cast<std::int32_t>(i)) && may_fall(static_cast<std::int32_t>(i))) {
                sum += slope_[i];
                ++free;
            }
        solution.intercept = free ? sum / static_cast<double>(free) : 0.5 * (range.rising + range.falling);
        slope_.resize(n_);
        solution.slope = std::move(slope_);
        solution.beta = std::move(beta_);
        return solution;
    }

    // The gap falls roughly geometrically: progress is counted in its logarithm.
    void report(double gap) {
        if (first_gap_ == 0) first_gap_ = std::max(gap, 2 * options_.tolerance);
        const double share =
            std::log(first_gap_ / std::max(gap, options_.tolerance)) / std::log(first_gap_ / options_.tolerance);
        if (!std::isfinite(share)) return;  // extreme kernel values have no gap
        const auto now = static_cast<std::int64_t>(progress_parts * std::clamp(share, 0.0, 1.0));
        if (now > reported_) {
            control_.advance(static_cast<std::uint64_t>(now - reported_));
            reported_ = now;
        }
    }

    Gram<T>& gram_;
    std::span<const double> target_, low_, high_;
    const SvmOptions& options_;
    Control& control_;
    std::size_t n_;
    std::int64_t max_steps_;
    int shrinks_left_;  // how often rows may be set aside again after a full check
    std::vector<double> beta_;
    std::vector<std::int64_t> chosen_at_;
    std::vector<std::int32_t> everything_, active_, positions_, rows_, rising_, falling_;
    std::vector<double> slope_;  // of the active rows
    std::vector<T> kernel_;
    std::vector<double> set_slope_, set_beta_, set_low_, set_high_, set_up_bar_, set_low_bar_, set_diagonal_;
    std::int64_t steps_ = 0;
    double first_gap_ = 0;
    std::int64_t reported_ = 0;
};

}  // namespace

template <class T>
SvmSolution solve_dual(Gram<T>& gram, std::span<const double> target, std::span<const double> low,
                       std::span<const double> high, const SvmOptions& options, Control& control) {
    return DualSolver<T>(gram, target, low, high, options, control).run();
}
template SvmSolution solve_dual(Gram<float>&, std::span<const double>, std::span<const double>, std::span<const double>,
                                const SvmOptions&, Control&);
template SvmSolution solve_dual(Gram<double>&, std::span<const double>, std::span<const double>,
                                std::span<const double>, const SvmOptions&, Control&);

}  // namespace vaglio

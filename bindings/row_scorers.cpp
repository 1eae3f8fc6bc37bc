#include "row_scorers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace {

// Beyond it, sums of large numbers may be infinite: the rows of a table are then looked at more closely.
constexpr double farthest = 1e100;

int largest(const double* values, std::size_t count) {
    for (std::size_t c = 0; c < count; ++c) {
        if (!std::isfinite(values[c])) return -1;
    }
    return static_cast<int>(std::max_element(values, values + count) - values);
}

// As SciPy computes it: the largest value is subtracted before the exponentials are taken.
int softmax(double* values, std::size_t count) {
    const int decided = largest(values, count);
    if (decided < 0) return decided;
    const double top = values[decided];
    double total = 0;
    for (std::size_t c = 0; c < count; ++c) total += values[c] = std::exp(values[c] - top);
    for (std::size_t c = 0; c < count; ++c) values[c] /= total;
    return decided;
}

class TreeScorer final : public RowScorer {
 public:
    TreeScorer(nb::object predictor, Array2<double> values)
        : owner_(predictor), tree_(nb::cast<const vaglio::tree::TreePredictor&>(predictor)), values_(values) {
        require(values.shape(0) == tree_.tree().size(), "values needs one row per node");
        outputs = values.shape(1);
        numbers = tree_.numeric_columns();
        codes = tree_.code_columns();
    }

    int score(const EncodedRow& row, double* out) const override {
        std::fill_n(out, outputs, 0.0);
        tree_.predict_row(row.numeric, row.codes, values_.data(), outputs, out);
        return largest(out, outputs);
    }

 private:
    nb::object owner_;
    const vaglio::tree::TreePredictor& tree_;
    Array2<double> values_;
};

// A forest of Python, and its rows as numbers feature by feature.
class PackedRows {
 public:
    explicit PackedRows(nb::object forest) : owner_(forest), forest_(nb::cast<const PackedForest&>(forest)) {}

    const PackedForest& forest() const { return forest_; }
    void count_columns(std::size_t& numbers, std::size_t& codes) const {
        for (const vaglio::Feature& feature : forest_.features) {
            std::size_t& columns = feature.nominal ? codes : numbers;
            columns = std::max<std::size_t>(columns, feature.column + std::size_t{1});
        }
    }
    // Calls use(x) with one number per feature; a code is a number too, a missing one is NaN.
    template <class Use>
    void with(const EncodedRow& row, const Use& use) const {
        const auto& features = forest_.features;
        std::array<double, 64> few;
        std::vector<double> many(features.size() > few.size() ? features.size() : 0);
        double* x = many.empty() ? few.data() : many.data();
        for (std::size_t f = 0; f < features.size(); ++f) {
            const auto column = features[f].column;
            x[f] = !features[f].nominal    ? row.numeric[column]
                   : row.codes[column] < 0 ? std::numeric_limits<double>::quiet_NaN()
                                           : row.codes[column];
        }
        use(x);
    }

 private:
    nb::object owner_;
    const PackedForest& forest_;
};

class ForestScorer final : public RowScorer {
 public:
    ForestScorer(nb::object forest, Array2<double> values) : rows_(forest), values_(values) {
        outputs = values.shape(1);
        rows_.count_columns(numbers, codes);
    }

    int score(const EncodedRow& row, double* out) const override {
        std::fill_n(out, outputs, 0.0);
        rows_.with(row, [&](const double* x) {
            vaglio::predict_forest_row(rows_.forest().view(), x, values_.data(), outputs, out);
        });
        for (std::size_t c = 0; c < outputs; ++c) out[c] /= static_cast<double>(rows_.forest().n_trees());
        return largest(out, outputs);
    }

 private:
    PackedRows rows_;
    Array2<double> values_;
};

class BoostedScorer final : public RowScorer {
 public:
    BoostedScorer(nb::object forest, Array1<double> values, Array1<double> baseline, Link link)
        : rows_(forest), values_(values), baseline_(baseline), link_(link) {
        require(baseline.size() > 0 && (link == Link::softmax || baseline.size() == 1), "other outputs than the link");
        outputs = link == Link::logistic ? 2 : baseline.size();
        rows_.count_columns(numbers, codes);
    }

    int score(const EncodedRow& row, double* out) const override {
        const std::size_t scores = baseline_.size();
        std::copy_n(baseline_.data(), scores, out);
        rows_.with(row, [&](const double* x) {
            vaglio::predict_outputs_row(rows_.forest().view(), x, values_.data(), scores, out);
        });
        if (link_ == Link::softmax) return softmax(out, scores);
        if (link_ == Link::exponential) out[0] = std::exp(std::min(out[0], most));
        if (link_ == Link::logistic) {
            out[1] = 1.0 / (1.0 + std::exp(-out[0]));
            out[0] = 1.0 - out[1];
        }
        return largest(out, outputs);
    }

 private:
    static constexpr double most = 700;  // the exponential of more may be infinite
    PackedRows rows_;
    Array1<double> values_, baseline_;
    Link link_;
};

class LinearScorer final : public RowScorer {
 public:
    LinearScorer(LinearParts parts, Link link) : p_(std::move(parts)), link_(link) {
        const std::size_t encoded = p_.centre.size();
        const auto* factors = p_.factor.data();
        numbers = p_.factor.size() ? *std::max_element(factors, factors + p_.factor.size()) + 1 : 0;
        codes = p_.code_columns.size();
        outputs = link == Link::logistic ? 2 : p_.intercept.size();
        const auto width = static_cast<std::int64_t>(p_.coef.shape(1));
        require(p_.scale.size() == encoded && p_.fill.size() == encoded && p_.numeric_columns.size() == encoded,
                "one centre, scale, fill and column per number is needed");
        const auto* start = p_.start.data();
        require(p_.start.size() == encoded + 1 && start[0] == 0 &&
                    start[encoded] == static_cast<std::int64_t>(p_.factor.size()) &&
                    std::is_sorted(start, start + encoded + 1) &&
                    std::all_of(factors, factors + p_.factor.size(), [](std::int64_t column) { return column >= 0; }),
                "the factors are out of range");
        require(p_.coef.shape(0) == p_.intercept.size() && p_.intercept.size() > 0,
                "one intercept per output is needed");
        require(link != Link::logistic || p_.intercept.size() == 1, "a logistic function has one value");
        const auto known = [&](std::int64_t column) { return column >= -1 && column < width; };
        require(std::all_of(p_.numeric_columns.data(), p_.numeric_columns.data() + encoded, known), "no such column");
        for (const auto& columns : p_.code_columns) {
            require(std::all_of(columns.data(), columns.data() + columns.size(), known), "no such column");
        }
    }

    std::size_t decisions() const override { return std::max<std::size_t>(2, p_.intercept.size()); }

    int score(const EncodedRow& row, double* out) const override {
        const std::size_t values = p_.intercept.size(), width = p_.coef.shape(1);
        std::fill_n(out, values, 0.0);
        for (std::size_t j = 0; j < p_.centre.size(); ++j) {
            const double product = product_of(row, j);
            const double x = std::isnan(product) ? p_.fill.data()[j] : product;
            const double z = (x - p_.centre.data()[j]) / p_.scale.data()[j];
            if (!(std::abs(z) < farthest)) return -1;
            add(out, values, width, p_.numeric_columns.data()[j], z);
        }
        for (std::size_t q = 0; q < codes; ++q) {
            const std::int32_t code = row.codes[q];
            if (code < 0 || static_cast<std::size_t>(code) >= p_.code_columns[q].size()) continue;
            add(out, values, width, p_.code_columns[q].data()[code], 1.0);
        }
        for (std::size_t c = 0; c < values; ++c) out[c] += p_.intercept.data()[c];
        if (link_ == Link::softmax) return softmax(out, values);
        const int decided = largest(out, values);
        if (values > 1 || decided < 0) return decided;
        const double value = out[0];
        if (link_ == Link::logistic) {
            out[0] = 1.0 / (1.0 + std::exp(value));
            out[1] = 1.0 / (1.0 + std::exp(-value));
        }
        return value > 0;
    }

 private:
    double product_of(const EncodedRow& row, std::size_t j) const {
        const auto* factor = p_.factor.data();
        double product = 1.0;
        for (std::int64_t f = p_.start.data()[j]; f < p_.start.data()[j + 1]; ++f) product *= row.numeric[factor[f]];
        return product;
    }

    void add(double* out, std::size_t values, std::size_t width, std::int64_t column, double z) const {
        if (column < 0) return;
        const double* coef = p_.coef.data() + column;
        for (std::size_t c = 0; c < values; ++c) out[c] += coef[c * width] * z;
    }

    LinearParts p_;
    Link link_;
};

class ModelTreeScorer final : public RowScorer {
 public:
    ModelTreeScorer(nb::object predictor, LeafParts parts)
        : owner_(predictor), tree_(nb::cast<const vaglio::tree::TreePredictor&>(predictor)), p_(std::move(parts)) {
        outputs = 1;
        numbers = std::max(tree_.numeric_columns(), p_.centre.size());
        codes = tree_.code_columns();
        const std::size_t nodes = tree_.tree().size(), terms = p_.coef.size();
        require(p_.scale.size() == p_.centre.size() && p_.fill.size() == p_.centre.size(),
                "one centre, scale and fill per number is needed");
        require(p_.start.size() == nodes + 1 && p_.intercept.size() == nodes, "one linear model per node is needed");
        require(p_.place.size() == terms && p_.category.size() == terms, "one place and category per term is needed");
        require(p_.bounds.size() == 2, "two bounds are needed");
        const auto* start = p_.start.data();
        require(start[0] == 0 && start[nodes] == static_cast<std::int64_t>(terms) &&
                    std::is_sorted(start, start + nodes + 1),
                "the terms are out of range");
        for (std::size_t t = 0; t < terms; ++t) {
            const std::int64_t place = p_.place.data()[t];
            require(place >= 0, "no such column");
            if (p_.category.data()[t] < 0) {
                require(static_cast<std::size_t>(place) < p_.centre.size(), "no such column");
            } else {
                codes = std::max(codes, static_cast<std::size_t>(place) + 1);
            }
        }
        node_.resize(nodes);
        std::iota(node_.begin(), node_.end(), 0.0);
    }

    int score(const EncodedRow& row, double* out) const override {
        double reached = 0;
        tree_.predict_row(row.numeric, row.codes, node_.data(), 1, &reached);
        const auto node = static_cast<std::size_t>(reached);
        double sum = 0;
        for (auto t = p_.start.data()[node]; t < p_.start.data()[node + 1]; ++t) {
            const std::int64_t place = p_.place.data()[t], category = p_.category.data()[t];
            if (category >= 0) {
                if (row.codes[place] == category) sum += p_.coef.data()[t];
                continue;
            }
            const double given = row.numeric[place];
            const double x = std::isnan(given) ? p_.fill.data()[place] : given;
            sum += (x - p_.centre.data()[place]) / p_.scale.data()[place] * p_.coef.data()[t];
        }
        sum += p_.intercept.data()[node];
        if (!std::isfinite(sum)) return -1;
        out[0] = std::clamp(sum, p_.bounds.data()[0], p_.bounds.data()[1]);
        return 0;
    }

 private:
    nb::object owner_;
    const vaglio::tree::TreePredictor& tree_;
    LeafParts p_;
    std::vector<double> node_;
};

class BayesScorer final : public RowScorer {
 public:
    BayesScorer(BayesParts parts, std::size_t n_numbers, std::size_t n_codes) : p_(std::move(parts)) {
        outputs = p_.prior.size();
        numbers = n_numbers;
        codes = n_codes;
        vaglio::check_terms(terms(), numbers, codes);
    }

    int score(const EncodedRow& row, double* out) const override {
        vaglio::Control control;
        const auto joint = vaglio::joint_log_likelihood({row.numeric, 1, numbers, 1, 1}, {row.codes, 1, codes, 1, 1},
                                                        span_of(p_.prior), terms(), 1, control);
        // A class that cannot be has the probability 0; of none, or of a density beyond all numbers, others know more.
        const double top = *std::max_element(joint.begin(), joint.end());
        if (!std::isfinite(top) || std::any_of(joint.begin(), joint.end(), [](double x) { return x != x; })) return -1;
        double total = 0;
        for (std::size_t c = 0; c < outputs; ++c) total += out[c] = std::exp(joint[c] - top);
        for (std::size_t c = 0; c < outputs; ++c) out[c] /= total;
        return largest(out, outputs);
    }

 private:
    vaglio::NaiveBayesTerms terms() const {
        return {outputs,          span_of(p_.kind),  span_of(p_.column),
                span_of(p_.size), span_of(p_.start), span_of(p_.numbers)};
    }

    BayesParts p_;
};

class EnsembleScorer final : public RowScorer {
 public:
    EnsembleScorer(std::vector<RowMember> members, std::size_t n_outputs) : members_(std::move(members)) {
        outputs = n_outputs;
        for (const RowMember& member : members_) {
            const auto& scorer = nb::cast<const RowScorer&>(member.scorer);
            scorers_.push_back(&scorer);
            total_ += member.weight;
            require((member.hard ? scorer.decisions() : scorer.outputs) == member.classes.size(),
                    "a member has other classes");
            for (const std::int64_t c : member.classes) {
                require(c >= 0 && static_cast<std::size_t>(c) < outputs, "a member has a class nobody knows");
            }
            const bool all = member.numeric.empty() && member.codes.empty();
            require(all || (scorer.numbers <= member.numeric.size() && scorer.codes <= member.codes.size()),
                    "a member sees too few columns");
            numbers = std::max(numbers, all ? scorer.numbers : needed(member.numeric));
            codes = std::max(codes, all ? scorer.codes : needed(member.codes));
        }
    }

    int score(const EncodedRow& row, double* out) const override {
        std::fill_n(out, outputs, 0.0);
        std::vector<double> said, numeric;
        std::vector<std::int32_t> code;
        for (std::size_t m = 0; m < members_.size(); ++m) {
            const RowMember& member = members_[m];
            EncodedRow seen = row;
            if (!member.numeric.empty() || !member.codes.empty()) {
                numeric.assign(member.numeric.size() + 1, 0.0);
                code.assign(member.codes.size() + 1, -1);
                for (std::size_t j = 0; j < member.numeric.size(); ++j) numeric[j] = row.numeric[member.numeric[j]];
                for (std::size_t j = 0; j < member.codes.size(); ++j) code[j] = row.codes[member.codes[j]];
                seen = {numeric.data(), code.data()};
            }
            said.resize(scorers_[m]->outputs);
            const int decided = scorers_[m]->score(seen, said.data());
            if (decided < 0) return -1;
            if (member.hard) {
                out[member.classes[static_cast<std::size_t>(decided)]] += member.weight;
            } else {
                for (std::size_t c = 0; c < said.size(); ++c) out[member.classes[c]] += member.weight * said[c];
            }
        }
        for (std::size_t c = 0; c < outputs; ++c) out[c] /= total_;
        return largest(out, outputs);
    }

 private:
    static std::size_t needed(const std::vector<std::int64_t>& columns) {
        std::size_t most = 0;
        for (const std::int64_t column : columns) {
            require(column >= 0, "no such column");
            most = std::max(most, static_cast<std::size_t>(column) + 1);
        }
        return most;
    }

    std::vector<RowMember> members_;
    std::vector<const RowScorer*> scorers_;
    double total_ = 0;
};

}  // namespace

std::unique_ptr<RowScorer> tree_scorer(nb::object predictor, Array2<double> values) {
    return std::make_unique<TreeScorer>(predictor, values);
}

std::unique_ptr<RowScorer> boosted_scorer(nb::object forest, Array1<double> values, Array1<double> baseline, int link) {
    return std::make_unique<BoostedScorer>(forest, values, baseline, static_cast<Link>(link));
}

std::unique_ptr<RowScorer> forest_scorer(nb::object forest, Array2<double> values) {
    return std::make_unique<ForestScorer>(forest, values);
}

std::unique_ptr<RowScorer> linear_scorer(LinearParts parts, int link) {
    require(link >= 0 && link <= static_cast<int>(Link::softmax), "no such link");
    return std::make_unique<LinearScorer>(std::move(parts), static_cast<Link>(link));
}

std::unique_ptr<RowScorer> model_tree_scorer(nb::object predictor, LeafParts parts) {
    return std::make_unique<ModelTreeScorer>(predictor, std::move(parts));
}

std::unique_ptr<RowScorer> bayes_scorer(BayesParts parts, std::size_t numbers, std::size_t codes) {
    return std::make_unique<BayesScorer>(std::move(parts), numbers, codes);
}

std::unique_ptr<RowScorer> ensemble_scorer(std::vector<RowMember> members, std::size_t outputs) {
    return std::make_unique<EnsembleScorer>(std::move(members), outputs);
}

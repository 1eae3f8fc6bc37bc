// The options of the growers, each a class with a keyword per field.
#include "additive/rounds.hpp"
#include "additive/trainer.hpp"
#include "boosting/trainer.hpp"
#include "records.hpp"
#include "tree/binned/choose.hpp"
#include "tree/config.hpp"

using vaglio::tree::Criterion;
using vaglio::tree::MissingPolicy;
using vaglio::tree::NominalSplit;
using vaglio::tree::Pruning;

VAGLIO_NAMED(Criterion, "'gain', 'gain_ratio', 'gini', 'error', 'squared_error', 'absolute_error', 'poisson'",
             {"gain", Criterion::gain}, {"gain_ratio", Criterion::gain_ratio}, {"gini", Criterion::gini},
             {"error", Criterion::error}, {"squared_error", Criterion::squared_error},
             {"absolute_error", Criterion::absolute_error}, {"poisson", Criterion::poisson})
VAGLIO_NAMED(NominalSplit, "'multiway', 'subset'", {"multiway", NominalSplit::multiway},
             {"subset", NominalSplit::subset})
VAGLIO_NAMED(MissingPolicy, "'fractional', 'learned', 'own_branch'", {"fractional", MissingPolicy::fractional},
             {"learned", MissingPolicy::learned}, {"own_branch", MissingPolicy::own_branch})
VAGLIO_NAMED(Pruning, "'none', 'pessimistic', 'error_based'", {"none", Pruning::none},
             {"pessimistic", Pruning::pessimistic}, {"error_based", Pruning::error_based})

void register_config(nb::module_& m) {
    bind_config<vaglio::tree::TreeConfig>(
        m, "TreeConfig", "Options of the tree growers.", SAME(criterion), SAME(nominal_split), SAME(missing),
        SAME(average_gain_condition), SAME(reuse_nominal), SAME(require_positive_gain), SAME(strict),
        SAME(mdl_correction), SAME(c45_numeric_minimum), SAME(oblique), SAME(guarded_from), SAME(sieve),
        SAME(random_thresholds), SAME(draw_ties), SAME(min_gain), SAME(min_impurity_decrease), SAME(max_depth),
        SAME(min_rows_split), SAME(min_rows_leaf), SAME(min_weight_fraction), SAME(max_leaf_nodes), SAME(chi2_alpha),
        SAME(max_features), SAME(max_bins), SAME(seed), SAME(pruning), SAME(epsilon), SAME(confidence),
        SAME(subtree_raising), SAME(monotonic), SAME(values_clipped));
    bind_config<vaglio::tree::GrowthWeights>(
        m, "GrowthWeights", "What is known of weights and targets before trees grow on bins.",
        FIELD("weight", bounds.weight), FIELD("rows", bounds.rows), FIELD("target", bounds.target),
        FIELD("largest", bounds.largest), SAME(unit), SAME(middle), SAME(whole), SAME(weighted));
    bind_config<vaglio::boosting::TrainerConfig>(
        m, "BoostingConfig", "Options of boosting.", SAME(learning_rate), SAME(subsample), SAME(seed),
        FIELD("n_threads", threads), SAME(track_loss), SAME(shared), SAME(refit), FIELD("turn_of", growth.turns),
        FIELD("max_leaves", growth.max_leaves), FIELD("max_depth", growth.max_depth),
        FIELD("level_wise", growth.level_wise), FIELD("max_features", growth.max_features),
        FIELD("interactions", growth.interactions), FIELD("min_samples_leaf", growth.split.min_samples_leaf),
        FIELD("min_hessian", growth.split.min_hessian), FIELD("like_scikit_learn", growth.split.like_scikit_learn),
        FIELD("min_gain", growth.split.min_gain), FIELD("l2", growth.split.l2),
        FIELD("nominal_smoothing", growth.split.nominal_smoothing), FIELD("nominal_l2", growth.split.nominal_l2),
        FIELD("guarded_from", growth.split.guarded_from), FIELD("middle_of_gaps", growth.split.middle_of_gaps),
        FIELD("monotonic", growth.split.monotonic));
    bind_config<vaglio::additive::BagConfig>(
        m, "AdditiveConfig", "Options of additive models; without marks of boosted features, all are.",
        SAME(learning_rate), SAME(most_steps), FIELD("max_leaves", step.max_leaves), SAME(boosted),
        FIELD("min_samples_leaf", step.split.min_samples_leaf), FIELD("min_hessian", step.split.min_hessian),
        FIELD("l2", step.split.l2), FIELD("nominal_smoothing", step.split.nominal_smoothing),
        FIELD("guarded_from", step.split.guarded_from), FIELD("monotonic", step.split.monotonic));
    bind_config<vaglio::additive::StoppingConfig>(m, "AdditiveStopping", "When the rounds of an additive model end.",
                                                  SAME(max_rounds), SAME(patience), SAME(tolerance), SAME(interval));
}

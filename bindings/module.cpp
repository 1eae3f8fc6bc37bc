// The compiled module is an index: each topic registers its own functions.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void register_additive(nb::module_& m);
void register_additive_part(nb::module_& m);
void register_additive_passes(nb::module_& m);
void register_binned(nb::module_& m);
void register_config(nb::module_& m);
void register_boosting(nb::module_& m);
void register_boosting_passes(nb::module_& m);
void register_levels(nb::module_& m);
void register_forest(nb::module_& m);
void register_knn(nb::module_& m);
void register_bayes(nb::module_& m);
void register_distinct(nb::module_& m);
void register_optimal(nb::module_& m);
void register_parallel(nb::module_& m);
void register_row(nb::module_& m);
void register_rules(nb::module_& m);
void register_look(nb::module_& m);
void register_spread(nb::module_& m);
void register_tree(nb::module_& m);
void register_tree_arrays(nb::module_& m);
void register_tree_prune(nb::module_& m);
void register_linear(nb::module_& m);
void register_svm(nb::module_& m);
void register_text(nb::module_& m);

NB_MODULE(_core, m) {
    m.doc() = "The inner loops of vaglio.";
#ifdef NDEBUG
    // A cache of the caller may outlive the interpreter's last collection: that is no news for a user at the exit of a
    // program. Builds for finding faults go on to tell it.
    nb::set_leak_warnings(false);
#endif
    register_config(m);  // first: others have options as defaults
    register_tree_arrays(m);
    register_additive(m);
    register_additive_part(m);
    register_additive_passes(m);
    register_binned(m);
    register_boosting(m);
    register_boosting_passes(m);
    register_levels(m);
    register_forest(m);
    register_knn(m);
    register_bayes(m);
    register_distinct(m);
    register_optimal(m);
    register_parallel(m);
    register_row(m);
    register_rules(m);
    register_look(m);
    register_spread(m);
    register_tree(m);
    register_tree_prune(m);
    register_linear(m);
    register_svm(m);
    register_text(m);
}

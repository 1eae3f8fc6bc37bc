#include "vaglio/perceptron_ops.hpp"

#include "vaglio/levels.hpp"

namespace vaglio {

namespace v1 {
void perceptron_walk(const PerceptronWalk&);
}
#ifdef VAGLIO_X86_LEVELS
namespace v3 {
void perceptron_walk(const PerceptronWalk&);
}
namespace v4 {
void perceptron_walk(const PerceptronWalk&);
}
#endif

namespace {

PerceptronOp choose() {
#ifdef VAGLIO_X86_LEVELS
    if (x86_level() == 4) return v4::perceptron_walk;
    if (x86_level() == 3) return v3::perceptron_walk;
#endif
    return v1::perceptron_walk;
}

}  // namespace

PerceptronOp perceptron_op() {
    static const PerceptronOp chosen = choose();
    return chosen;
}

}  // namespace vaglio

#pragma once
// Growing a tree and cutting it back in one step.
#include "base/control.hpp"
#include "tree/config.hpp"
#include "tree/table/data.hpp"
#include "tree/tree.hpp"

namespace vaglio {

// The tree of these rows, pruned as the options say. The same tree for any number of threads.
Tree learn_tree(const TreeData& data, const TreeConfig& config, int threads, Control& control);

}  // namespace vaglio

// The pool of threads: every item once, exceptions, nested loops, several callers, forked children.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/check.hpp"
#include "base/parallel.hpp"

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

using vaglio::parallel_for;

static void every_item_is_done_once() {
    for (const int threads : {1, 2, 7}) {
        std::vector<std::atomic<int>> seen(1000);
        std::atomic<int> bad_worker{0};
        parallel_for(threads, seen.size(), [&](std::size_t item, int worker) {
            ++seen[item];
            if (worker < 0 || worker >= threads) ++bad_worker;
        });
        CHECK(bad_worker == 0);
        for (const auto& count : seen) CHECK(count == 1);
    }
    parallel_for(4, 0, [](std::size_t, int) { CHECK(false); });
}

static void an_exception_reaches_the_caller_and_the_pool_survives() {
    for (int round = 0; round < 20; ++round) {
        bool caught = false;
        try {
            parallel_for(3, 100, [](std::size_t item, int) {
                if (item == 50) throw std::runtime_error("fifty");
            });
        } catch (const std::runtime_error&) {
            caught = true;
        }
        CHECK(caught);
    }
    std::atomic<int> done{0};
    parallel_for(3, 100, [&](std::size_t, int) { ++done; });
    CHECK(done == 100);
}

static void a_nested_loop_runs_on_its_own_worker() {
    std::atomic<int> done{0};
    CHECK(!vaglio::inside_parallel());
    parallel_for(3, 8, [&](std::size_t, int) {
        const auto me = std::this_thread::get_id();
        CHECK(vaglio::inside_parallel());
        parallel_for(3, 10, [&](std::size_t, int worker) {
            if (worker == 0 && std::this_thread::get_id() == me) ++done;
        });
    });
    CHECK(done == 80);
    CHECK(!vaglio::inside_parallel());
}

static void two_callers_take_turns() {
    std::atomic<int> done{0};
    auto caller = [&] {
        for (int round = 0; round < 50; ++round) parallel_for(2, 20, [&](std::size_t, int) { ++done; });
    };
    std::thread first(caller), second(caller);
    first.join();
    second.join();
    CHECK(done == 2000);
}

static void no_number_of_threads_is_too_large() {
    std::atomic<int> done{0};
    std::atomic<int> largest{0};
    parallel_for(1 << 30, 10000, [&](std::size_t, int worker) {
        ++done;
        for (int seen = largest; worker > seen && !largest.compare_exchange_weak(seen, worker);) {
        }
    });
    CHECK(done == 10000);
    CHECK(largest < vaglio::most_threads());
}

// ThreadSanitizer does not follow a fork from a process that has threads, and Windows has no fork.
#if !defined(_WIN32) && !defined(__SANITIZE_THREAD__)
static void a_forked_child_has_a_pool_of_its_own() {
    std::atomic<int> done{0};
    parallel_for(2, 4, [&](std::size_t, int) { ++done; });
    const pid_t child = fork();
    if (child == 0) {
        std::atomic<int> mine{0};
        parallel_for(2, 100, [&](std::size_t, int) { ++mine; });
        std::_Exit(mine == 100 ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#else
static void a_forked_child_has_a_pool_of_its_own() {}
#endif

int main() {
    CHECK(vaglio::allowed_threads() >= 1);
    every_item_is_done_once();
    an_exception_reaches_the_caller_and_the_pool_survives();
    a_nested_loop_runs_on_its_own_worker();
    two_callers_take_turns();
    no_number_of_threads_is_too_large();
    a_forked_child_has_a_pool_of_its_own();
    return check_result();
}

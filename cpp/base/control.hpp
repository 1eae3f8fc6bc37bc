#pragma once
// How a long kernel is watched from outside: a flag that asks it to stop, a counter that says how far it is.
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>

namespace vaglio {

// Thrown by a kernel that found the stop flag set; the binding turns it into KeyboardInterrupt.
struct Interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

struct Control {
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> done{0};
    std::atomic<std::uint64_t> total{0};
    // For a kernel that runs on the caller's own thread: called there at every check, to look for Ctrl-C.
    void (*look)() = nullptr;
    const std::thread::id caller = std::this_thread::get_id();

    void expect(std::uint64_t steps) { total.store(steps, std::memory_order_relaxed); }
    void advance(std::uint64_t steps) { done.fetch_add(steps, std::memory_order_relaxed); }
    bool stopped() const { return stop.load(std::memory_order_relaxed); }
    // Call every few milliseconds of work.
    void check() const {
        if (stopped()) throw Interrupted{};
        if (look != nullptr && std::this_thread::get_id() == caller) look();
    }
};

}  // namespace vaglio

// A pool of std::thread that lives as long as the process. OpenMP is not used: its threads do not survive a fork, and
// several of its runtimes in one process fight for the processors.
#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/compiler.hpp"

#ifndef _WIN32
#include <pthread.h>
#endif

namespace vaglio {
namespace {

thread_local bool working = false;

struct Loop {
    const std::function<void(std::size_t, int)>* body;
    std::size_t count;
    int threads;
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr error;
    std::mutex error_mutex;

    void run(int worker) {
        const bool was_working = working;
        working = true;
        for (std::size_t item; !failed.load(std::memory_order_relaxed) && (item = next.fetch_add(1)) < count;) {
            try {
                (*body)(item, worker);
            } catch (...) {
                const std::lock_guard lock(error_mutex);
                if (!error) error = std::current_exception();
                failed = true;
            }
        }
        working = was_working;
    }
};

// Workers sleep until a loop is posted that can use another thread. Only one loop runs at a time: a second caller
// on another thread waits for its turn, so that two fits never use more threads than either asked for. Workers
// beyond the number of processors end when they had nothing to do for a while.
//
// To wake a thread takes tens of microseconds, on virtual machines more, and some learners post thousands of loops of
// as little work in a second. So a thread that has nothing to do looks for a moment whether there is more, before it
// sleeps. It gives its processor to whoever wants it meanwhile, and does not look where there are more threads than
// processors. While all look, a loop begins and ends without a lock.
class Pool {
 public:
    void run(Loop& loop) {
        const std::lock_guard turn(turn_);
        {
            const std::lock_guard lock(mutex_);
            grow(loop.threads - 1);
        }
        loop_ = &loop;
        wanted_ = loop.threads - 1;
        ++generation_;
        if (asleep_ > 0) {
            // Who is about to sleep either sees the loop, or sleeps when the lock is free again.
            mutex_.lock();
            mutex_.unlock();
            wake_.notify_all();
        }
        loop.run(0);
        loop_ = nullptr;  // from here on nobody joins
        const auto done = [this] { return busy_ == 0; };
        if (loop.threads <= processors_) look_for(done);
        if (!done()) {
            std::unique_lock lock(mutex_);
            waits_ = true;
            finished_.wait(lock, done);
            waits_ = false;
        }
        last_loop_ = std::chrono::steady_clock::now();
    }

 private:
    // Called with the mutex held.
    void grow(int count) {
        while (static_cast<int>(threads_.size()) < count) {
            const int worker = static_cast<int>(threads_.size()) + 1;
            try {
                threads_.emplace_back([this, worker] { serve(worker); });
            } catch (const std::system_error&) {
                return;  // no more threads from the system: those that are there, and the caller, do the work
            }
        }
    }

    void serve(int worker) {
        std::uint64_t seen = 0;
        bool looks = false;
        for (;;) {
            if (looks) look_for([&] { return generation_ != seen; });
            if (generation_ == seen || worker > wanted_) {
                if (!sleep(worker, seen)) return;
            }
            seen = generation_;
            // First counted, then the loop is read: whoever takes the loop away waits for those that could have seen
            // it.
            ++busy_;
            Loop* loop = loop_;
            looks = loop && worker < loop->threads && loop->threads <= processors_;
            if (loop && worker < loop->threads) loop->run(worker);
            if (--busy_ == 0 && waits_) {
                mutex_.lock();
                mutex_.unlock();
                finished_.notify_all();
            }
        }
    }

    // Until there is a loop for the worker; false if it ends.
    bool sleep(int worker, std::uint64_t seen) {
        const auto wanted = [&] { return loop_ && generation_ != seen && worker <= wanted_; };
        std::unique_lock lock(mutex_);
        ++asleep_;
        if (worker < processors_) {
            wake_.wait(lock, wanted);
        } else {
            while (!wake_.wait_for(lock, patience, wanted)) {
                if (!ends(worker)) continue;
                --asleep_;
                threads_.back().detach();
                threads_.pop_back();
                return false;
            }
        }
        --asleep_;
        return true;
    }

    // The last worker goes first, so that the numbers of the others stay without a gap.
    bool ends(int worker) const {
        const bool idle = !loop_ && std::chrono::steady_clock::now() - last_loop_.load() >= patience;
        return idle && worker == static_cast<int>(threads_.size());
    }

    // Returns when it is done, or after a moment.
    template <class Done>
    static void look_for(Done done) {
        for (int i = 0; i < quick_looks; ++i) {
            if (done()) return;
            VAGLIO_PAUSE();
        }
        const auto end = std::chrono::steady_clock::now() + moment;
        while (!done() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    }

    static constexpr std::chrono::milliseconds patience{200};
    static constexpr std::chrono::microseconds moment{100};
    static constexpr int quick_looks = 200;  // a few microseconds
    const int processors_ = allowed_threads();
    std::mutex turn_;
    std::mutex mutex_;
    std::condition_variable wake_, finished_;
    std::vector<std::thread> threads_;
    std::atomic<Loop*> loop_ = nullptr;
    std::atomic<int> wanted_ = 0, busy_ = 0, asleep_ = 0;
    std::atomic<bool> waits_ = false;
    std::atomic<std::uint64_t> generation_ = 0;
    std::atomic<std::chrono::steady_clock::time_point> last_loop_{};
};

std::mutex pool_mutex;
Pool* pool = nullptr;

Pool& the_pool() {
    const std::lock_guard lock(pool_mutex);
    if (!pool) {
#ifndef _WIN32
        // A forked child has none of the parent's threads. It forgets the pool, whose destructor would wait for threads
        // that are not there, and starts its own when it needs one.
        static const int registered = pthread_atfork([] { pool_mutex.lock(); }, [] { pool_mutex.unlock(); },
                                                     [] {
                                                         pool = nullptr;
                                                         pool_mutex.unlock();
                                                     });
        static_cast<void>(registered);
#endif
        pool = new Pool;  // lives until exit: worker threads may outlast static destructors
    }
    return *pool;
}

}  // namespace

bool inside_parallel() { return working; }

void parallel_for(int threads, std::size_t count, const std::function<void(std::size_t, int)>& body) {
    threads = std::min(std::max(threads, 1), most_threads());
    threads = static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), count));
    Loop loop{&body, count, threads, {}, {}, {}, {}};
    if (threads <= 1 || working) {
        loop.run(0);
    } else {
        the_pool().run(loop);
    }
    if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace vaglio

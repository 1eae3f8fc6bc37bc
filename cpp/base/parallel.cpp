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

#include "base/processors.hpp"

#ifndef _WIN32
#include <pthread.h>
#endif

namespace vaglio {
namespace {

thread_local bool working = false;

struct Loop {
    const std::function<void(std::size_t, int)>* body;
    std::size_t count;
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
// To wake a thread takes tens of microseconds, on virtual machines more, and some learners post a thousand loops of as
// little work in a second. So a thread that has nothing to do looks for a moment whether there is more, before it sleeps.
// It gives its processor to whoever wants it meanwhile, and does not look where there are more threads than processors.
class Pool {
 public:
    void run(Loop& loop, int threads) {
        const std::lock_guard turn(turn_);
        bool sleepers = false;
        {
            const std::lock_guard lock(mutex_);
            grow(threads - 1);
            loop_ = &loop;
            wanted_ = threads - 1;
            ++generation_;
            sleepers = asleep_ > 0;
        }
        if (sleepers) wake_.notify_all();
        loop.run(0);
        std::unique_lock lock(mutex_);
        loop_ = nullptr;
        if (busy_ > 0 && threads <= processors_) {
            lock.unlock();
            look_for([this] { return busy_ == 0; });
            lock.lock();
        }
        finished_.wait(lock, [this] { return busy_ == 0; });
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
        const auto wanted = [&] { return loop_ && generation_ != seen && worker <= wanted_; };
        std::unique_lock lock(mutex_);
        for (;;) {
            ++asleep_;
            if (worker < processors_) {
                wake_.wait(lock, wanted);
            } else if (!wake_.wait_for(lock, patience, wanted)) {
                --asleep_;
                if (!ends(worker)) continue;
                threads_.back().detach();
                threads_.pop_back();
                return;
            }
            --asleep_;
            seen = generation_;
            Loop* loop = loop_;
            const bool alone = wanted_ < processors_;
            ++busy_;
            lock.unlock();
            loop->run(worker);
            lock.lock();
            if (--busy_ == 0) finished_.notify_all();
            if (!alone) continue;
            lock.unlock();
            look_for([&] { return generation_ != seen; });
            lock.lock();
        }
    }

    // Returns when it is done, or after a moment.
    template <class Done>
    static void look_for(Done done) {
        const auto end = std::chrono::steady_clock::now() + moment;
        while (!done() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    }

    // The last worker goes first, so that the numbers of the others stay without a gap.
    bool ends(int worker) const {
        const bool idle = !loop_ && std::chrono::steady_clock::now() - last_loop_ >= patience;
        return idle && worker == static_cast<int>(threads_.size());
    }

    static constexpr std::chrono::milliseconds patience{200};
    static constexpr std::chrono::microseconds moment{100};
    const int processors_ = allowed_threads();
    std::mutex turn_;
    std::mutex mutex_;
    std::condition_variable wake_, finished_;
    std::vector<std::thread> threads_;
    Loop* loop_ = nullptr;
    int wanted_ = 0;
    int asleep_ = 0;
    std::chrono::steady_clock::time_point last_loop_;
    // Changed with the mutex held, read without it.
    std::atomic<int> busy_ = 0;
    std::atomic<std::uint64_t> generation_ = 0;
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
    Loop loop{&body, count, {}, {}, {}, {}};
    if (threads <= 1 || working) {
        loop.run(0);
    } else {
        the_pool().run(loop, threads);
    }
    if (loop.error) std::rethrow_exception(loop.error);
}

}  // namespace vaglio

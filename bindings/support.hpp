#pragma once
// What every binding file shares: array types, and how a kernel is run so that Ctrl-C and progress work.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/control.hpp"

namespace nb = nanobind;

// Arrays come in C order on the CPU; nanobind rejects another dtype or order instead of copying silently.
template <class T>
using Array1 = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array2 = nb::ndarray<const T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array3 = nb::ndarray<const T, nb::numpy, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Array1<T>& array) {
    return {array.data(), array.size()};
}

// Python objects whose kind C++ does not tell. The names stand in the signatures, of which the stub _core.pyi is made.
inline bool is_progress(PyObject* object) { return object == Py_None || PyCallable_Check(object) != 0; }
inline bool is_any(PyObject*) { return true; }

// Called with the steps done and the steps in all.
class Progress : public nb::object {
    NB_OBJECT_DEFAULT(Progress, nb::object, "collections.abc.Callable[[int, int], None]", is_progress)
};
// An array whose dtype only its values tell.
class AnyArray : public nb::object {
    NB_OBJECT_DEFAULT(AnyArray, nb::object, "numpy.typing.NDArray[typing.Any]", is_any)
    template <class T>
    AnyArray(const nb::ndarray<nb::numpy, T>& array) : nb::object(nb::cast(array)) {}  // NOLINT: a named conversion
};

// What to_numpy makes of a vector.
template <class T>
using NumPy = nb::ndarray<nb::numpy, T>;

// Memory of an object that Python holds; the array keeps the object alive.
template <class T>
using View = nb::ndarray<nb::numpy, const T, nb::device::cpu>;
template <class T, class Allocator>
View<T> view_of(const std::vector<T, Allocator>& values) {
    return View<T>(values.data(), {values.size()});
}
template <class T, class Allocator>
View<T> view_of(const std::vector<T, Allocator>& values, std::size_t width) {
    return View<T>(values.data(), {values.size() / width, width});
}

// Bad shapes and values are the caller's mistake: ValueError.
inline void require(bool condition, const char* message) {
    if (!condition) throw nb::value_error(message);
}

// A vector handed to NumPy without a copy; NumPy's reference keeps it alive.
template <class T, class Allocator>
NumPy<T> to_numpy(std::vector<T, Allocator>&& values, std::vector<std::size_t> shape = {}) {
    using Owner = std::vector<T, Allocator>;
    auto* owner = new Owner(std::move(values));
    nb::capsule keep(owner, [](void* p) noexcept { delete static_cast<Owner*>(p); });
    if (shape.empty()) shape.push_back(owner->size());
    return NumPy<T>(owner->data(), shape.size(), shape.data(), keep);
}

// About how many elementary steps a kernel takes at most, as a product that cannot overflow.
inline double steps_of(std::initializer_list<std::size_t> sizes) {
    double product = 1;
    for (const std::size_t size : sizes) product *= static_cast<double>(size);
    return product;
}

// Runs a kernel that looks at one column of a chunk: it is done in milliseconds, while other chunks are worked on.
template <class Kernel>
auto without_gil(Kernel kernel) {
    const nb::gil_scoped_release unlocked;
    return kernel();
}

// Runs kernel(control) on a thread of its own, without the GIL, and wakes ten times a second to look for Ctrl-C
// and to call progress(done, total) if one is given. On a signal the kernel is told to stop, and the Python error
// is raised once it has. A kernel of few steps (of about a millisecond) runs in place, and looks for
// Ctrl-C itself: starting a thread, or waiting for the GIL among other threads, would take longer than its work.
template <class Kernel>
auto run_kernel(const nb::object& progress, Kernel kernel, double steps = std::numeric_limits<double>::infinity())
    -> decltype(kernel(std::declval<vaglio::Control&>())) {
    using Result = decltype(kernel(std::declval<vaglio::Control&>()));
    constexpr double few = 1 << 20;
    vaglio::Control control;
    if (steps <= few) {
        control.look = [] {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
        };
        return kernel(control);
    }
    std::mutex mutex;
    std::condition_variable finished;
    bool done = false;
    std::exception_ptr error;
    std::optional<Result> result;
    bool python_error = false;
    {
        nb::gil_scoped_release unlocked;
        std::thread thread([&] {
            try {
                result.emplace(kernel(control));
            } catch (...) {
                error = std::current_exception();
            }
            const std::lock_guard lock(mutex);
            done = true;
            finished.notify_one();
        });
        std::unique_lock lock(mutex);
        while (!finished.wait_for(lock, std::chrono::milliseconds(100), [&] { return done; })) {
            lock.unlock();
            {
                nb::gil_scoped_acquire locked;
                if (!python_error && PyErr_CheckSignals() != 0) python_error = true;
                if (!python_error && !progress.is_none()) {
                    PyObject* value = PyObject_CallFunction(progress.ptr(), "KK",
                                                            static_cast<unsigned long long>(control.done.load()),
                                                            static_cast<unsigned long long>(control.total.load()));
                    if (value) {
                        Py_DECREF(value);
                    } else {
                        python_error = true;
                    }
                }
            }
            if (python_error) control.stop = true;
            lock.lock();
        }
        lock.unlock();
        thread.join();
    }
    if (python_error) throw nb::python_error();
    if (error) std::rethrow_exception(error);
    return std::move(*result);
}

"""Arrays that are kept in memory and on disk."""

from __future__ import annotations

import numpy as np
import pytest

from vaglio.engines.spill import Spill
from vaglio.errors import InputError


@pytest.mark.parametrize("room", [0, 1 << 20], ids=["on disk", "in memory"])
def test_arrays_and_some_of_their_rows_come_back(tmp_path, room):
    random = np.random.default_rng(0)
    arrays = {
        "x0": random.normal(size=1000),
        "x1": random.integers(0, 9, 1000).astype(np.int8),
        "block": np.asfortranarray(random.normal(size=(1000, 3))),
        "rows": random.normal(size=(1000, 2)),
        "none": np.empty((1000, 0)),
    }
    spill = Spill(room, tmp_path)
    spill.put("part", arrays)
    assert (spill.folder is None) == (room > 0)
    rows = np.array([0, 17, 999])
    for name, array in spill.get("part").items():
        np.testing.assert_array_equal(array, arrays[name])
        assert array.dtype == arrays[name].dtype
    for chosen in (rows, rows[:0]):
        taken = spill.take("part", chosen)
        assert list(taken) == list(arrays)
        for name, array in taken.items():
            np.testing.assert_array_equal(array, arrays[name][chosen])
            assert array.dtype == arrays[name].dtype
            assert not isinstance(array.base, np.memmap)  # the file may be removed
    spill.close()
    assert not list(tmp_path.iterdir())


def test_what_leaves_memory_comes_back_from_disk(tmp_path):
    parts = {f"part {at}": {"x": np.full(1000, at, dtype=np.float64)} for at in range(5)}
    spill = Spill(1 << 20, tmp_path)
    for name, arrays in parts.items():
        spill.put(name, arrays)
    assert spill.folder is None
    spill.shrink(2 * 8000)
    assert spill.folder is not None
    assert len(list(spill.folder.iterdir())) == 3
    spill.put("part 0", {"x": np.zeros(1000)})
    for name, arrays in parts.items():
        np.testing.assert_array_equal(spill.get(name)["x"], arrays["x"])
    spill.close()
    assert not list(tmp_path.iterdir())


def test_a_disk_that_takes_no_more_is_said(tmp_path):
    resource = pytest.importorskip("resource")
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    spill = Spill(0, tmp_path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, usual[1]))
    try:
        with pytest.raises(InputError, match="the disk is full"):
            spill.put("rows", {"x": np.arange(1_000_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    spill.close()
    assert not list(tmp_path.iterdir())
